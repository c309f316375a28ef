import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { APIConnectionError, APIError } from 'openai';
import { Pool } from 'undici';
import { EgressFailure, Exchange, systemLookup } from '#egress';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import { Log } from '../platform/logging.js';
import { ChatClient, WholeResponse, type ChatRequest } from './chat-client.js';
import { ModelFailure, readCompletion, type ModelAnswer } from './model-answer.js';
import { ModelHealth } from './model-health.js';
import type { Prompt } from './prompt.js';

/** Larger answers are cut off while they arrive. A verdict takes some hundred bytes; models that think aloud take more. */
const ANSWER_MAX_BYTES = 1024 * 1024;
const CONNECTIONS = 256;
/** Request fields that some OpenAI-compatible servers and models refuse: LM Studio JSON mode, reasoning models a temperature. */
const OPTIONAL_FIELDS = { temperature: 0, response_format: { type: 'json_object' } } as const;
type OptionalField = keyof typeof OPTIONAL_FIELDS;

/** Asks the operator's model. Its address is configuration, not a target of agents: the egress guard does not apply. */
@Injectable()
export class ModelClient implements OnApplicationShutdown {
  private readonly pool: Pool;
  private readonly openai: ChatClient;
  /** Fields that this server has refused; left out from then on. */
  private readonly refused = new Set<OptionalField>();

  constructor(
    private readonly config: RiskConfig,
    private readonly clock: Clock,
    private readonly health: ModelHealth,
    private readonly log: Log,
  ) {
    // One deadline rules every phase; the client's and undici's own would turn a timeout into some other failure.
    const beyondDeadlineMs = config.llmTimeoutMs + 60_000;
    this.pool = new Pool(new URL(config.llmBaseUrl).origin, {
      connections: CONNECTIONS,
      connect: { timeout: beyondDeadlineMs, lookup: systemLookup },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.openai = new ChatClient(
      {
        baseURL: config.llmBaseUrl,
        apiKey: config.llmApiKey,
        // Null keeps the library from reading further variables of the environment.
        organization: null,
        project: null,
        adminAPIKey: null,
        webhookSecret: null,
        logLevel: 'off',
        maxRetries: 0,
        defaultHeaders: { 'User-Agent': 'agent-gateway' },
      },
      (request) => this.send(request),
    );
  }

  /** One verdict within `LLM_TIMEOUT_MS` all told. @throws ModelFailure and nothing else */
  async ask(prompt: Prompt): Promise<ModelAnswer> {
    const startedMs = this.clock.monotonicMs();
    try {
      const answer = readCompletion(await this.complete(prompt, startedMs + this.config.llmTimeoutMs));
      this.health.answered(this.clock.monotonicMs() - startedMs);
      return answer;
    } catch (err) {
      const failure = toFailure(err);
      const durationMs = Math.round(this.clock.monotonicMs() - startedMs);
      this.health.failed(durationMs, failure);
      // The cause stays out: providers quote parts of the API key, and a prompt, in their error texts.
      this.log.warn({ model: this.config.llmModel, reason: failure.reason, durationMs }, 'risk model gave no verdict');
      throw failure;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.destroy();
  }

  private async complete(prompt: Prompt, deadlineMs: number): Promise<unknown> {
    for (;;) {
      const fields = { ...OPTIONAL_FIELDS };
      for (const name of this.refused) delete (fields as Partial<typeof OPTIONAL_FIELDS>)[name];
      try {
        return await this.openai.chat.completions.create(
          {
            model: this.config.llmModel,
            messages: [
              { role: 'system', content: prompt.system },
              { role: 'user', content: prompt.user },
            ],
            ...fields,
          },
          { fetchOptions: { deadlineMs } as object },
        );
      } catch (err) {
        const name = refusedField(err);
        if (name === null || !(name in fields)) throw err;
        this.refused.add(name);
      }
    }
  }

  /** Follows no redirect; reads the answer whole, up to a size, within the deadline. */
  private async send({ path, headers, body, deadlineMs }: ChatRequest): Promise<Response> {
    const leftMs = Math.max(1, deadlineMs - this.clock.monotonicMs());
    const exchange = new Exchange('POST', ANSWER_MAX_BYTES, leftMs, () => {});
    this.pool.dispatch({ path, method: 'POST', headers, body }, exchange);
    const answer = await exchange.response;
    return new WholeResponse(answer.body, {
      status: answer.status,
      headers: answer.headers.filter(([name]) => /^content-type$/i.test(name)),
    });
  }
}

function refusedField(err: unknown): OptionalField | null {
  if (!(err instanceof APIError) || (err.status !== 400 && err.status !== 422)) return null;
  const names = Object.keys(OPTIONAL_FIELDS) as OptionalField[];
  return names.find((name) => err.param === name || err.message.includes(name)) ?? null;
}

function toFailure(err: unknown): ModelFailure {
  if (err instanceof ModelFailure) return err;
  if (err instanceof APIConnectionError) {
    const kind = err.cause instanceof EgressFailure ? err.cause.kind : 'no_answer';
    if (kind === 'timeout') return new ModelFailure('no answer in time', true, { cause: err });
    if (kind === 'too_large') return new ModelFailure('answer is too large', false, { cause: err });
    return new ModelFailure('model server could not be reached, or broke off', false, { cause: err });
  }
  if (err instanceof APIError && err.status !== undefined) {
    return new ModelFailure(`model server answered HTTP ${err.status}`, false, { cause: err });
  }
  if (err instanceof SyntaxError) return new ModelFailure('answer is not JSON', false, { cause: err });
  return new ModelFailure('model client failed', false, { cause: err });
}

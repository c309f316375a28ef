import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { Agent, request } from 'undici';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import { Log } from '../platform/logging.js';
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
  private readonly agent: Agent;
  private readonly openai: OpenAI;
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
    this.agent = new Agent({
      connections: CONNECTIONS,
      connect: { timeout: beyondDeadlineMs },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.openai = new OpenAI({
      baseURL: config.llmBaseUrl,
      apiKey: config.llmApiKey,
      // Null keeps the library from reading further variables of the environment.
      organization: null,
      project: null,
      adminAPIKey: null,
      webhookSecret: null,
      logLevel: 'off',
      maxRetries: 0,
      timeout: beyondDeadlineMs,
      fetch: (url, init) => this.fetch(url instanceof Request ? url.url : url, init ?? {}),
    });
  }

  /** One verdict within `LLM_TIMEOUT_MS` all told. @throws ModelFailure and nothing else */
  async ask(prompt: Prompt): Promise<ModelAnswer> {
    const startedMs = this.clock.monotonicMs();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.config.llmTimeoutMs);
    try {
      const answer = readCompletion(await this.complete(prompt, deadline.signal));
      this.health.answered(this.clock.monotonicMs() - startedMs);
      return answer;
    } catch (err) {
      const failure = toFailure(err);
      const durationMs = Math.round(this.clock.monotonicMs() - startedMs);
      this.health.failed(durationMs, failure);
      // The cause stays out: providers quote parts of the API key, and a prompt, in their error texts.
      this.log.warn({ model: this.config.llmModel, reason: failure.reason, durationMs }, 'risk model gave no verdict');
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  private async complete(prompt: Prompt, signal: AbortSignal): Promise<unknown> {
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
          { signal },
        );
      } catch (err) {
        const name = refusedField(err);
        if (name === null || !(name in fields)) throw err;
        this.refused.add(name);
      }
    }
  }

  /**
   * What the library calls instead of the global fetch: follows no redirect, reads the answer whole, up to a size, and
   * takes half the CPU (a call costs 190 µs against 390).
   */
  private async fetch(url: string | URL, init: RequestInit): Promise<Response> {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: this.agent,
      method: 'POST',
      headers: Object.fromEntries(new Headers(init.headers)),
      body: init.body as string,
      signal: init.signal,
    });
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      // Leaving the loop destroys the body, and its socket.
      if (sizeBytes > ANSWER_MAX_BYTES) throw new ModelFailure('answer is too large');
      chunks.push(chunk);
    }
    if (statusCode < 200 || statusCode > 599) throw new ModelFailure(`model server answered HTTP ${statusCode}`);
    const withoutBody = statusCode === 204 || statusCode === 205 || statusCode === 304;
    return new Response(withoutBody ? null : Buffer.concat(chunks), {
      status: statusCode,
      headers: { 'content-type': String(headers['content-type'] ?? '') },
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
  if (err instanceof APIUserAbortError || err instanceof APIConnectionTimeoutError) {
    return new ModelFailure('no answer in time', true, { cause: err });
  }
  if (err instanceof APIConnectionError) {
    if (err.cause instanceof ModelFailure) return err.cause;
    return new ModelFailure('model server could not be reached, or broke off', false, { cause: err });
  }
  if (err instanceof APIError && err.status !== undefined) {
    return new ModelFailure(`model server answered HTTP ${err.status}`, false, { cause: err });
  }
  if (err instanceof SyntaxError) return new ModelFailure('answer is not JSON', false, { cause: err });
  return new ModelFailure('model client failed', false, { cause: err });
}

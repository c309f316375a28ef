import { setTimeout } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import OpenAI, { APIConnectionError, APIError } from 'openai';
import { Pool } from 'undici';
import { EgressFailure, Exchange, systemLookup } from '#egress';
import type { ModelResult } from '../observability/metric-words.js';
import { Metrics } from '../observability/metrics.js';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import { ReadResponse } from '../platform/fast-lane/read-response.js';
import { parseRetryAfter } from '../platform/http/retry-after.js';
import { Log } from '../platform/logging.js';
import { ModelFailure, parseCompletion, readCompletion, tokensOf, type ModelAnswer } from './model-answer.js';
import { ModelDialect } from './model-dialect.js';
import { ModelHealth } from './model-health.js';
import type { Prompt } from './prompt.js';

/**
 * Larger responses are aborted while they arrive. A verdict has a few hundred bytes; models that write out their
 * reasoning send more.
 */
const ANSWER_MAX_BYTES = 1024 * 1024;
const CONNECTIONS = 256;
/** The delay before the single retry, unless the server names one. */
const RETRY_AFTER_MS = 250;
const NONE = new Headers();
/** The response headers that are needed. */
const KEPT_HEADERS = /^(content-type|retry-after(-ms)?)$/i;

/**
 * Calls the operator's model. The egress guard does not apply, because its address comes from the configuration and not
 * from agents.
 */
@Injectable()
export class ModelClient implements OnApplicationShutdown {
  private readonly pool: Pool;
  private readonly openai: OneHeadOpenAI;
  private readonly dialect: ModelDialect;

  constructor(
    private readonly config: RiskConfig,
    private readonly clock: Clock,
    private readonly health: ModelHealth,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {
    // One deadline covers all phases. The shorter timeouts of the client and undici would turn a timeout into another
    // kind of failure.
    const beyondDeadlineMs = config.llmTimeoutMs + 60_000;
    this.dialect = new ModelDialect(clock);
    const base = new URL(config.llmBaseUrl);
    // Azure needs its version in the query of each call, and its key in its own header.
    const query = Object.fromEntries(base.searchParams);
    base.search = base.hash = '';
    this.pool = new Pool(base.origin, {
      connections: CONNECTIONS,
      connect: { timeout: beyondDeadlineMs, lookup: systemLookup },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.openai = new OneHeadOpenAI({
      baseURL: base.href,
      defaultQuery: query,
      apiKey: config.llmApiKey,
      // null stops the library from reading more environment variables.
      organization: null,
      project: null,
      adminAPIKey: null,
      webhookSecret: null,
      logLevel: 'off',
      maxRetries: 0,
      defaultHeaders: {
        'User-Agent': 'agent-gateway',
        ...('api-version' in query ? { 'api-key': config.llmApiKey } : {}),
      },
      fetch: (_url, init) => this.fetch(init!),
    });
  }

  /** Gets one verdict within `LLM_TIMEOUT_MS` in total. @throws ModelFailure and nothing else */
  async ask(prompt: Prompt): Promise<ModelAnswer> {
    const startedMs = this.clock.monotonicMs();
    try {
      const answer = readCompletion(await this.complete(prompt, startedMs + this.config.llmTimeoutMs));
      this.health.answered(this.clock.monotonicMs() - startedMs);
      this.metrics.modelCalled('ok');
      return answer;
    } catch (err) {
      const failure = toFailure(err);
      this.metrics.modelCalled(resultOf(failure));
      const durationMs = Math.round(this.clock.monotonicMs() - startedMs);
      this.health.failed(durationMs, failure);
      // The cause is not logged, because providers quote parts of the API key and of the prompt in their error texts.
      this.log.warn({ model: this.config.llmModel, reason: failure.reason, durationMs }, 'risk model gave no verdict');
      throw failure;
    } finally {
      this.metrics.stepTook('model', this.clock.monotonicMs() - startedMs);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.destroy();
  }

  private async complete(prompt: Prompt, deadlineMs: number): Promise<unknown> {
    for (let mayRetry = true; ;) {
      try {
        const response = await this.openai.chat.completions
          .create(
            { model: this.config.llmModel, ...this.dialect.call(prompt) },
            { timeout: Math.max(1, Math.ceil(deadlineMs - this.clock.monotonicMs())) },
          )
          .asResponse();
        const completion = parseCompletion(await response.text());
        const { prompt: asked, completion: answered } = tokensOf(completion);
        this.metrics.modelTokensUsed(asked, answered);
        this.dialect.answeredBy((completion as { model?: unknown } | null)?.model);
        return completion;
      } catch (err) {
        if (this.dialect.learn(err)) continue;
        const waitMs = mayRetry ? retryWaitMs(err, this.clock.nowMs()) : null;
        // If the retry can't finish in time, it would turn a known failure into a timeout.
        if (waitMs === null || this.clock.monotonicMs() + waitMs >= deadlineMs) throw err;
        mayRetry = false;
        await setTimeout(waitMs, undefined, { ref: false });
      }
    }
  }

  /** Follows no redirect. Reads the whole answer, up to a size, before the library's timeout aborts the signal. */
  private async fetch(init: RequestInit): Promise<Response> {
    const { path, headers } = this.openai.head!;
    const exchange = new Exchange('POST', ANSWER_MAX_BYTES, this.config.llmTimeoutMs, () => {});
    init.signal!.addEventListener('abort', () => exchange.timeOut());
    this.pool.dispatch({ path, method: 'POST', headers, body: init.body as string }, exchange);
    const answer = await exchange.response;
    return new ReadResponse(answer.body, {
      status: answer.status,
      headers: answer.headers.filter(([name]) => KEPT_HEADERS.test(name)),
    });
  }
}

/**
 * Makes the URL and the headers of a call once, because they are the same for each call. The library takes a sixth of a
 * request's processor time for them (benchmarks/README.md).
 */
class OneHeadOpenAI extends OpenAI {
  /** Set before the first call reaches `fetch`. */
  head: { url: string; path: string; headers: string[] } | null = null;

  override async buildRequest(...args: Parameters<OpenAI['buildRequest']>): ReturnType<OpenAI['buildRequest']> {
    const [{ body, timeout }] = args;
    if (this.head) {
      const req = { method: 'post' as const, headers: NONE, body: JSON.stringify(body) };
      return { req, url: this.head.url, timeout: timeout ?? this.timeout };
    }
    const built = await super.buildRequest(...args);
    const { pathname, search } = new URL(built.url);
    // The library's headers about this machine, the attempt and its timeout are left out.
    const headers = [...built.req.headers].filter(([name]) => !name.startsWith('x-stainless-')).flat();
    this.head = { url: built.url, path: pathname + search, headers };
    return built;
  }
}

/** @returns null if a retry can't help: for everything except 429 and 5xx */
function retryWaitMs(err: unknown, nowMs: number): number | null {
  if (!(err instanceof APIError)) return null;
  const { status = 0, headers } = err as APIError;
  if (status !== 429 && status < 500) return null;
  const ms = headers?.get('retry-after-ms') ?? '';
  if (/^\d+(\.\d+)?$/.test(ms)) return Number(ms);
  return parseRetryAfter(headers?.get('retry-after'), nowMs) ?? RETRY_AFTER_MS;
}

/** Without an answer there is a cause: the connection, or the status of the server. */
function resultOf({ kind, options }: ModelFailure): ModelResult {
  if (kind === 'timeout') return 'timeout';
  return kind === 'none' && options.cause !== undefined ? 'error' : 'unusable';
}

function toFailure(err: unknown): ModelFailure {
  if (err instanceof ModelFailure) return err;
  if (err instanceof APIConnectionError) {
    const kind = err.cause instanceof EgressFailure ? err.cause.kind : 'no_answer';
    if (kind === 'timeout') return new ModelFailure('no answer in time', 'timeout', { cause: err });
    if (kind === 'too_large') return new ModelFailure('answer is too large', 'none', { cause: err });
    return new ModelFailure('model server could not be reached, or closed the connection', 'none', { cause: err });
  }
  if (err instanceof APIError && err.status !== undefined) {
    // Azure filters prompts before its models see them.
    if (err.code === 'content_filter') return new ModelFailure('content filter', 'refusal', { cause: err });
    return new ModelFailure(`model server answered HTTP ${err.status}`, 'none', { cause: err });
  }
  return new ModelFailure('model client failed', 'none', { cause: err });
}

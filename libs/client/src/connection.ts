import { GatewayError } from './errors.js';
import type { Fetch, GatewayOptions } from './options.js';
import { sleep } from './sleep.js';

const BACKOFF_MS = 250;
const BACKOFF_MAX_MS = 8000;
/** The longest wait before one call is repeated. A limit per minute starts again within it. */
const RETRY_AFTER_MAX_MS = 60_000;
/** How long a wait for a human survives an outage of the gateway, for example a restart. */
const OUTAGE_MAX_MS = 300_000;
/** A connection that is silent for longer counts as dead. */
const ANSWER_MS = 30_000;

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal | null;
}

/**
 * Calls the gateway, and repeats calls while it is unavailable. Every call is safe to repeat: `POST /proxy` has an
 * idempotency key wherever a second request could do harm, and the gateway executes each action only once.
 */
export class Connection {
  readonly url: string;
  private readonly fetch: Fetch;
  private readonly agentKey: string;
  private readonly retries: number;

  constructor({ gatewayUrl, agentKey, fetch, retries = 5 }: GatewayOptions) {
    this.url = new URL(gatewayUrl).href.replace(/\/+$/, '');
    // Fails here, and not at every call, if the key is not a valid header value.
    this.agentKey = new Headers({ 'Agent-Key': agentKey }).get('Agent-Key') ?? '';
    // Looks up the global `fetch` at each call, so that it can be replaced (tests, tracing), and calls it with the
    // right `this`.
    this.fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.retries = retries;
  }

  /** @returns the upstream's response, or a 428 @throws GatewayError */
  async send(call: Call): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.attempt(call, call.signal);
      if (outcome instanceof Response) return outcome;
      if (attempt > this.retries) throw outcome;
      await pause(outcome, attempt, call.signal);
    }
  }

  /** Gets JSON. During an outage it keeps trying for longer than `send`. */
  async wait<T>(call: Call, waitSeconds: number): Promise<T> {
    const startMs = Date.now();
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.attemptJson<T>(call, waitSeconds * 1000 + ANSWER_MS);
      if (!(outcome instanceof GatewayError)) return outcome;
      if (Date.now() - startMs > OUTAGE_MAX_MS) throw outcome;
      await pause(outcome, attempt, call.signal);
    }
  }

  private async attemptJson<T>(call: Call, limitMs: number): Promise<T | GatewayError> {
    call.signal?.throwIfAborted();
    const limit = new AbortController();
    const onAbort = (): void => limit.abort(call.signal?.reason);
    call.signal?.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => limit.abort(new Error(`no answer within ${limitMs} ms`)), limitMs);
    try {
      const outcome = await this.attempt(call, limit.signal);
      return outcome instanceof Response ? ((await outcome.json()) as T) : outcome;
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof GatewayError) throw error;
      return unreachable(error);
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', onAbort);
    }
  }

  /** @returns a response, or an error after which the call can be repeated @throws every other error */
  private async attempt(call: Call, signal: AbortSignal | null): Promise<Response | GatewayError> {
    try {
      const response = await this.fetch(this.url + call.path, {
        method: call.method,
        headers: {
          'Agent-Key': this.agentKey,
          ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...call.headers,
        },
        body: call.body,
        signal,
        // Returns an upstream's redirect unchanged. Following it would send the agent key to its target.
        redirect: 'manual',
      });
      return await judge(response);
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof GatewayError) throw error;
      return unreachable(error);
    }
  }
}

async function judge(response: Response): Promise<Response | GatewayError> {
  if (response.headers.has('X-Proxy-Status') || response.status === 428 || response.ok) return response;
  if (response.type === 'opaqueredirect') {
    throw new GatewayError('redirect_unreadable', 0, 'The upstream answered with a redirect, which browsers hide');
  }
  const error = await readError(response);
  if (error.status === 503 || error.code === 'gateway_unreachable' || startsAgainSoon(error)) return error;
  throw error;
}

/** A limit is used up and starts again within a minute. Nothing was sent. For longer, the caller decides what to do. */
const startsAgainSoon = ({ code, retryAfterMs }: GatewayError): boolean =>
  code === 'limit_reached' && retryAfterMs !== null && retryAfterMs <= RETRY_AFTER_MAX_MS;

/** Reads the gateway's error. A 502 to 504 that is not from the gateway means that the gateway could not be reached. */
async function readError(response: Response): Promise<GatewayError> {
  const text = await response.text();
  const { status, headers } = response;
  const details = { requestId: headers.get('X-Request-Id'), retryAfterMs: retryAfterMs(headers) };
  const said = errorText(text);
  if (said === null && status >= 502 && status <= 504) {
    return new GatewayError(
      'gateway_unreachable',
      status,
      `A server in front of the gateway answered ${status}`,
      details,
    );
  }
  return new GatewayError(headers.get('X-Error-Code') ?? `http_${status}`, status, said ?? `HTTP ${status}`, details);
}

/** @returns the text of the gateway's `{error, statusCode}`; null for any other body */
export function errorText(body: string): string | null {
  try {
    const { error, statusCode } = JSON.parse(body) as { error?: unknown; statusCode?: unknown };
    return typeof error === 'string' && typeof statusCode === 'number' ? error : null;
  } catch {
    return null;
  }
}

function unreachable(cause: unknown): GatewayError {
  const reason = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause : cause).message : String(cause);
  return new GatewayError('gateway_unreachable', 0, `The gateway could not be reached: ${reason}`, { cause });
}

/** Parses seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(headers: Headers): number | null {
  const text = headers.get('Retry-After');
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : null;
}

/** Waits as long as the gateway asks for, at most a minute. Otherwise waits longer each time, with jitter. */
function pause(error: GatewayError, attempt: number, signal: AbortSignal | null): Promise<void> {
  const backoffMs = Math.min(BACKOFF_MS * 2 ** Math.min(attempt - 1, 10), BACKOFF_MAX_MS);
  const askedMs = error.retryAfterMs === null ? null : Math.min(error.retryAfterMs, RETRY_AFTER_MAX_MS);
  return sleep(askedMs ?? backoffMs * (0.75 + Math.random() / 2), signal);
}

import { awaitDecision, patienceEndMs, type Held } from './approval.js';
import { Connection } from './connection.js';
import { GatewayError } from './errors.js';
import type { Fetch, GatewayOptions, HeldAction } from './options.js';
import { readRequest, type ReadRequest } from './request.js';
import { sleep } from './sleep.js';

/** Methods whose repetition could do harm: the gateway wants a key with them. */
const KEYED = new Set(['POST', 'PATCH']);
const KEY_HEADER = 'idempotency-key';
/** An upstream has 30 seconds, and the risk assessment some before it. */
const KEY_IN_USE_MAX_MS = 90_000;
const KEY_IN_USE_PAUSE_MS = 1000;

/**
 * A `fetch` whose requests go through the gateway. It resolves with the upstream's answer, whatever its status; when a human must
 * approve the request, after that. It rejects with a `GatewayError` when the gateway or a human refuses, and with the signal's
 * reason when that aborts.
 */
export function createGatewayFetch(options: GatewayOptions): Fetch {
  const connection = new Connection(options);
  return async (input, init) => {
    const request = await readRequest(input, init);
    const intent = request.intent ?? (await intentOf(options, request));
    const endMs = patienceEndMs(options);
    const response = await forward(connection, options, request, intent);
    if (response.headers.has('X-Proxy-Status')) return asFetched(response, request);
    if (response.status !== 428) {
      throw new GatewayError(
        'not_a_gateway',
        response.status,
        `${connection.url} does not answer like an Agent Gateway`,
      );
    }
    const held = toHeldAction(connection, options, request, intent, (await response.json()) as Held);
    await options.onHeld?.(held);
    request.signal?.throwIfAborted();
    return asFetched(await awaitDecision(connection, options, held.actionId, request.signal, endMs), request);
  };
}

/**
 * Waits on for a request that was held before, e.g. after `ApprovalPending` or in a program that was started again, and executes
 * it when it is approved.
 */
export async function resumeAction(
  options: GatewayOptions,
  actionId: string,
  { signal = null }: { signal?: AbortSignal | null } = {},
): Promise<Response> {
  return awaitDecision(new Connection(options), options, actionId, signal, patienceEndMs(options));
}

async function intentOf({ intent }: GatewayOptions, { method, url, headers, body }: ReadRequest): Promise<string> {
  return typeof intent === 'string' ? intent : intent({ method, url, headers, body });
}

/** `POST /proxy`. While another call with the same key is under way, that is waited for: its answer is this one's. */
async function forward(
  connection: Connection,
  options: GatewayOptions,
  request: ReadRequest,
  intent: string,
): Promise<Response> {
  const { method, url, headers, body, signal } = request;
  const key = headers[KEY_HEADER] ?? (KEYED.has(method) ? newKey() : null);
  const call = {
    method: 'POST' as const,
    path: '/proxy',
    headers: { ...(key === null ? {} : { 'Idempotency-Key': key }), ...preference(options, key) },
    body: JSON.stringify({ method, targetUrl: url, headers, ...(body === null ? {} : { body }), intent }),
    signal,
  };
  const startMs = Date.now();
  for (;;) {
    try {
      return await connection.send(call);
    } catch (error) {
      const inUse = key !== null && error instanceof GatewayError && error.status === 409;
      if (!inUse || Date.now() - startMs > KEY_IN_USE_MAX_MS) throw error;
      await sleep(error.retryAfterMs ?? KEY_IN_USE_PAUSE_MS, signal);
    }
  }
}

/**
 * With a key, one call can ask, wait and get the answer: cut off, it is repeated and finds its own action again. Whoever wants to
 * hear of the hold, or has no key, takes the 428 and waits by its id.
 */
function preference(
  { onHeld, waitSeconds, longPollSeconds = 60 }: GatewayOptions,
  key: string | null,
): Record<string, string> {
  const wait = Math.floor(Math.min(waitSeconds ?? longPollSeconds, longPollSeconds));
  return key === null || onHeld || wait < 1 ? {} : { Prefer: `wait=${wait}` };
}

function toHeldAction(
  connection: Connection,
  options: GatewayOptions,
  { method, url, headers, body }: ReadRequest,
  intent: string,
  held: Held,
): HeldAction {
  const dashboard = options.dashboardUrl === undefined ? `${connection.url}/dashboard` : String(options.dashboardUrl);
  return {
    actionId: held.action_id,
    summary: `${method} ${url}`,
    method,
    url,
    headers,
    body,
    intent,
    dashboardUrl: `${dashboard.replace(/\/+$/, '')}/approvals/${held.action_id}`,
    riskScore: held.risk_score,
    riskExplanation: held.risk_explanation,
    expiresAt: held.expires_at,
  };
}

/** SDKs read `url`: it is that of the request, not of the gateway. */
function asFetched(response: Response, { url, redirect }: ReadRequest): Response {
  if (redirect === 'error' && response.status >= 300 && response.status < 400 && response.headers.has('Location')) {
    throw new TypeError(`${url} answered with a redirect`);
  }
  return Object.defineProperty(response, 'url', { value: url, configurable: true });
}

/** Unlike any other; no secret. Node 18 has no global `crypto`, and browsers give a UUID to pages from https only. */
function newKey(): string {
  const random = () => Math.random().toString(36).slice(2).padEnd(11, '0');
  return globalThis.crypto?.randomUUID?.() ?? `${Date.now().toString(36)}-${random()}-${random()}`;
}

import { awaitDecision, patienceEndMs, type Held } from './approval.js';
import { Connection } from './connection.js';
import { GatewayError } from './errors.js';
import type { Fetch, GatewayOptions, HeldAction } from './options.js';
import { readRequest, type ReadRequest } from './request.js';
import { revisionOf } from './revision.js';
import { sleep } from './sleep.js';

/** Methods that could do harm when repeated. The gateway requires a key for them. */
const KEYED = new Set(['POST', 'PATCH']);
const KEY_HEADER = 'idempotency-key';
/** Longer than the 30 seconds that an upstream has, plus the risk assessment before it. */
const KEY_IN_USE_MAX_MS = 90_000;
const KEY_IN_USE_PAUSE_MS = 1000;

/**
 * Creates a `fetch` that sends requests through the gateway. It resolves with the upstream's response, whatever its
 * status. If a human must approve the request, it resolves after that. It rejects with a `GatewayError` if the gateway
 * or a human refuses, and with the signal's reason if the signal aborts.
 */
export function createGatewayFetch(options: GatewayOptions): Fetch {
  const connection = new Connection(options);
  return async (input, init) => {
    const request = await readRequest(input, init);
    const intent = request.intent ?? (await resolveIntent(options, request));
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
 * Continues to wait for a held request, for example after `ApprovalPending` or after a restart of your program, and
 * executes it when it is approved.
 */
export async function resumeAction(
  options: GatewayOptions,
  actionId: string,
  { signal = null }: { signal?: AbortSignal | null } = {},
): Promise<Response> {
  return awaitDecision(new Connection(options), options, actionId, signal, patienceEndMs(options));
}

async function resolveIntent({ intent }: GatewayOptions, request: ReadRequest): Promise<string> {
  const { method, url, headers, body, bodyBase64 } = request;
  return typeof intent === 'string' ? intent : intent({ method, url, headers, body, bodyBase64 });
}

/**
 * Calls `POST /proxy`. While another call with the same key is in progress, waits for it, because both get the same
 * response.
 */
async function forward(
  connection: Connection,
  options: GatewayOptions,
  request: ReadRequest,
  intent: string,
): Promise<Response> {
  const { method, url, headers, signal } = request;
  const key = headers[KEY_HEADER] ?? (KEYED.has(method) ? newKey() : null);
  const call = {
    method: 'POST' as const,
    path: '/proxy',
    headers: { ...(key === null ? {} : { 'Idempotency-Key': key }), ...preference(options, key) },
    body: JSON.stringify({ method, targetUrl: url, headers, ...bodyField(request), intent }),
    signal,
  };
  const startMs = Date.now();
  for (;;) {
    try {
      return await connection.send(call);
    } catch (error) {
      const inUse = key !== null && error instanceof GatewayError && error.status === 409;
      if (!inUse || Date.now() - startMs > KEY_IN_USE_MAX_MS) throw error;
      await sleep(Math.min(error.retryAfterMs ?? KEY_IN_USE_PAUSE_MS, KEY_IN_USE_MAX_MS), signal);
    }
  }
}

function bodyField({ body, bodyBase64 }: ReadRequest): { body?: string; bodyBase64?: string } {
  if (bodyBase64 !== null) return { bodyBase64 };
  return body === null ? {} : { body };
}

/**
 * With a key, one call can send the request, wait, and return the response: if it is cut off, the repeated call finds
 * the same action. Callers that want to know about the hold, or have no key, get the 428 and wait with the action's id.
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
  { method, url, headers, body, bodyBase64 }: ReadRequest,
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
    bodyBase64,
    intent,
    dashboardUrl: `${dashboard.replace(/\/+$/, '')}/approvals/${held.action_id}`,
    riskScore: held.risk_score,
    riskExplanation: held.risk_explanation,
    expiresAt: held.expires_at,
  };
}

/** Sets `url` to the URL that was sent instead of the gateway's, because SDKs read it. */
function asFetched(response: Response, { url: asked, redirect }: ReadRequest): Response {
  const url = revisionOf(response)?.request?.url ?? asked;
  if (redirect === 'error' && response.status >= 300 && response.status < 400 && hasRedirect(response.headers)) {
    throw new TypeError(`${url} answered with a redirect`);
  }
  return Object.defineProperty(response, 'url', { value: url, configurable: true });
}

/** The gateway gives a redirect another name, so that no library follows it with the agent's key. */
const hasRedirect = (headers: Headers): boolean => headers.has('X-Upstream-Location') || headers.has('Location');

/**
 * Creates a unique key. It need not be secret. Node 18 has no global `crypto`, and browsers provide `randomUUID` only
 * on https pages.
 */
function newKey(): string {
  const random = () => Math.random().toString(36).slice(2).padEnd(11, '0');
  return globalThis.crypto?.randomUUID?.() ?? `${Date.now().toString(36)}-${random()}-${random()}`;
}

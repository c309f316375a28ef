import { errorText, type Connection } from './connection.js';
import { ApprovalDenied, ApprovalExpired, ApprovalPending, GatewayError } from './errors.js';
import type { GatewayOptions, Revision } from './options.js';
import { remember, tell } from './revision.js';
import { sleep } from './sleep.js';

/** The body of a 428. */
export interface Held {
  action_id: string;
  risk_score: number;
  risk_explanation: string;
  expires_at: string;
}

interface StoredResult {
  status: number;
  headers: Record<string, string | string[]>;
  body: string;
  bodyEncoding?: 'base64';
  /** Present if the upstream gave no response: then this is the gateway's own error. */
  fromUpstream?: false;
}

/** The fields of an action that revises another one. */
interface Revised {
  revises?: string;
  request?: { method: string; targetUrl: string; headers: Record<string, string>; body: string | null };
}

type Status =
  | ({ status: 'PENDING' | 'APPROVED' } & Revised)
  | { status: 'EXPIRED' }
  | { status: 'DENIED'; resolution_note: string | null; revised_as?: string }
  | { status: 'EXECUTED'; result: StoredResult };

/** The pause between two polls while another call executes the action. */
const UNDER_WAY_PAUSE_MS = 1000;
const NULL_BODY_STATUS = new Set([204, 205, 304]);

/** The time when `waitSeconds` have passed, counted from now. */
export const patienceEndMs = ({ waitSeconds = Infinity }: GatewayOptions): number => Date.now() + waitSeconds * 1000;

/**
 * Polls the status until it is decided or `endMs` is reached, then executes. If a person changed the request, it
 * continues with the changed request, and tells the caller before it executes that.
 * @returns the upstream's response
 * @throws GatewayError
 */
export async function awaitDecision(
  connection: Connection,
  options: GatewayOptions,
  askedId: string,
  signal: AbortSignal | null,
  endMs: number,
): Promise<Response> {
  let actionId = askedId;
  let revision: Revision | null = null;
  let announced: string | null = null;
  const read = (seconds: number): Promise<Status> =>
    connection.wait(
      {
        method: 'GET',
        path: `/status/${encodeURIComponent(actionId)}`,
        headers: seconds < 1 ? {} : { Prefer: `wait=${seconds}` },
        signal,
      },
      seconds,
    );
  for (;;) {
    const askedMs = Date.now();
    const seconds = Math.ceil(Math.min(options.longPollSeconds ?? 60, Math.max(0, endMs - askedMs) / 1000));
    const status = await read(seconds);
    if (status.status === 'DENIED' && status.revised_as !== undefined) {
      revision = { actionId: status.revised_as, revises: actionId, request: null };
      actionId = status.revised_as;
      continue;
    }
    if (status.status === 'PENDING') {
      if (Date.now() >= endMs) throw new ApprovalPending(actionId);
      // A gateway that shuts down responds immediately. The pause keeps this loop from flooding the next instance.
      if (Date.now() - askedMs < 1000) await sleep(1000, signal);
      continue;
    }
    if (status.status === 'APPROVED') revision = revisionIn(actionId, status) ?? revision;
    if (revision !== null && announced !== actionId && (status.status === 'APPROVED' || status.status === 'EXECUTED')) {
      await tell(options, revision);
      signal?.throwIfAborted();
      announced = actionId;
    }
    const answer = await finish(connection, actionId, status, signal);
    if (answer !== null) return remember(answer, revision);
    await sleep(UNDER_WAY_PAUSE_MS, signal);
  }
}

function revisionIn(actionId: string, { revises, request }: Revised): Revision | null {
  if (revises === undefined || request === undefined) return null;
  const { method, targetUrl, headers, body } = request;
  return { actionId, revises, request: { method, url: targetUrl, headers, body } };
}

/**
 * The gateway executes each action only once. So it is safe to repeat the call if the connection breaks or another call
 * was faster: then the result is read from the action.
 * @returns null while another call executes the action
 */
async function finish(
  connection: Connection,
  actionId: string,
  status: Status,
  signal: AbortSignal | null,
): Promise<Response | null> {
  switch (status.status) {
    case 'APPROVED':
      return execute(connection, actionId, signal);
    case 'EXECUTED':
      return storedResponse(status.result);
    case 'DENIED':
      throw new ApprovalDenied(actionId, status.resolution_note);
    case 'EXPIRED':
      throw new ApprovalExpired(actionId);
    case 'PENDING':
      return null;
  }
}

async function execute(connection: Connection, actionId: string, signal: AbortSignal | null): Promise<Response | null> {
  const path = `/proxy/execute/${encodeURIComponent(actionId)}`;
  try {
    return await connection.send({ method: 'POST', path, signal });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // Meanwhile the action was executed, is being executed, or has expired. Its status says which.
    if (error.status === 409) return null;
    if (error.code === 'action_expired') throw new ApprovalExpired(actionId);
    throw error;
  }
}

/** Restores the response of the execution. @throws GatewayError if it was the gateway's own 502 or 504 */
function storedResponse({ status, headers, body, bodyEncoding, fromUpstream }: StoredResult): Response {
  if (fromUpstream === false) {
    const code = [headers['x-error-code']].flat()[0] ?? `http_${status}`;
    throw new GatewayError(code, status, errorText(body) ?? `HTTP ${status}`);
  }
  const bytes =
    bodyEncoding === 'base64'
      ? Uint8Array.from(atob(body), (character) => character.charCodeAt(0))
      : new TextEncoder().encode(body);
  const response = new Response(NULL_BODY_STATUS.has(status) ? null : bytes, { status });
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) response.headers.append(name, value);
  }
  response.headers.set('X-Proxy-Status', 'executed-approved');
  return response;
}

import { ERROR_CODES, type ActionStatus, type ErrorCode } from '#contracts';
import type { Handle } from './tool.js';

/** Instructions for a language model: one thing to do, and what not to do. */
export const NEXT: Record<Exclude<ActionStatus, 'EXECUTED'>, (actionId: string) => string> = {
  PENDING: (id) =>
    `Nothing was sent: a human must approve it first. Call get_action with actionId "${id}"; it waits for the decision. ` +
    'When its status is APPROVED, call execute_action once. Do not send the request again, and do not try another way.',
  APPROVED: (id) =>
    `A human approved it, and nothing has been sent yet. Call execute_action with actionId "${id}" once.`,
  DENIED: () =>
    'A human denied it, and nothing was sent. Stop, tell your user (with the note, if there is one), and do not try another way.',
  EXPIRED: () =>
    'It expired, and nothing was sent. Tell your user; if it is still needed, send it again with the request tool.',
};

/** After a cut body. Reading a stored answer again is safe. */
export function nextAfterCut(shown: number, total: number, { actionId, idempotencyKey }: Handle): string {
  const more = `The body was cut after ${shown} of ${total} characters. To read more, `;
  if (actionId !== undefined) {
    return `${more}call get_action with actionId "${actionId}" and a larger maxBodyChars: the request is not sent again.`;
  }
  if (idempotencyKey !== undefined) {
    return `${more}call request with the same arguments, idempotencyKey "${idempotencyKey}" and a larger maxBodyChars: the request is not sent again.`;
  }
  return `${more}ask for less (filters, fields or pages: see get_operation), or call again with a larger maxBodyChars.`;
}

const AGAIN = 'Nothing was sent. Call again in a few seconds with the same arguments, including the idempotencyKey.';
const ASK =
  'Nothing was sent by this call. Call get_action with the same actionId: it returns the outcome of the request.';

/** Instructions that differ from the catalogue, which is written for the HTTP interface. */
const WITH_TOOLS: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'Nothing was sent. Correct the arguments and call again.',
  service_unknown: 'Nothing was sent. Call list_services to see which base URLs you may reach.',
  action_unknown: 'Use an actionId from one of your earlier results.',
  idempotency_in_progress: AGAIN,
  idempotency_conflict: 'Nothing was sent. Use a new idempotencyKey for a different request.',
  request_given_up: AGAIN,
  action_pending: ASK,
  execution_in_progress: ASK,
  approval_denied: ASK,
  action_executed: ASK,
  action_expired: NEXT.EXPIRED(''),
  database_unavailable: AGAIN,
  gateway_busy: AGAIN,
  too_many_in_flight: AGAIN,
  too_much_buffered: AGAIN,
  too_many_pending: AGAIN,
  too_much_held: AGAIN,
  too_much_stored: AGAIN,
  shutting_down: AGAIN,
};

/** @param own what the error itself says. Only the error of a limit knows when the limit starts again */
export const nextAfterError = (code: ErrorCode, own?: string): string =>
  (code === 'limit_reached' ? own : undefined) ?? WITH_TOOLS[code] ?? ERROR_CODES[code].meaning;

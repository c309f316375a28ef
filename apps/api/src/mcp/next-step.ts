import type { ActionStatus } from '#contracts';
import type { ApiError } from '../platform/errors.js';

/** What to do now, in words for a language model: one thing, and what not to do. */
export const NEXT: Record<Exclude<ActionStatus, 'EXECUTED'>, (actionId: string) => string> = {
  PENDING: (id) =>
    `Nothing was sent: a human must approve it first. Call get_action with actionId "${id}"; it waits for the decision. ` +
    'When its status is APPROVED, call execute_action once. Do not send the request again, and do not try another way.',
  APPROVED: (id) => `A human approved it, and nothing was sent yet. Call execute_action with actionId "${id}" once.`,
  DENIED: () =>
    'A human denied it, and nothing was sent. Stop, tell your user (with the note, if there is one), and do not try another way.',
  EXPIRED: () =>
    'Its time ran out, and nothing was sent. Tell your user; if it is still wanted, send it again with the request tool.',
};

/** After a body that was cut. A stored answer can be read again at no risk. */
export function nextAfterCut(
  shown: number,
  total: number,
  { actionId, idempotencyKey }: { actionId?: string; idempotencyKey?: string },
): string {
  const again =
    actionId !== undefined
      ? `call get_action with actionId "${actionId}" and a larger maxBodyChars (the request is not sent again)`
      : idempotencyKey !== undefined
        ? `call request again with the same arguments, idempotencyKey "${idempotencyKey}" and a larger maxBodyChars (it is not sent again)`
        : 'ask for less (filters, fields, or pages: see get_operation), or call again with a larger maxBodyChars';
  return `The body was cut after ${shown} of ${total} characters. To read more, ${again}.`;
}

const STOP = 'Stop and tell your user; do not try another way.';

const BY_STATUS: Record<number, string> = {
  400: 'Nothing was sent. Correct the arguments and call again.',
  401: `Nothing was sent: the agent key does not work (any more). ${STOP}`,
  403: `Nothing was sent. ${STOP}`,
  404: 'Nothing was sent. Use list_services to see which base URLs you may reach.',
  409: 'Call again in a few seconds with the same arguments, the idempotencyKey included.',
  410: 'Nothing was sent, and this approval is of no use any more. Tell your user; if it is still wanted, send it again with the request tool.',
  413: 'Ask for less: filters, fields, or pages (see get_operation).',
  422: 'Nothing was sent. Take another idempotencyKey for another request.',
  503: 'Nothing was sent. Call again in a few seconds with the same arguments, the idempotencyKey included.',
};
const OTHER = 'Tell your user: only an administrator of the gateway can help.';

const NOBODY_KNOWS =
  'Nobody knows whether the API carried it out. Find out with a GET before you do anything else; only if it did not happen, ' +
  'send it again (POST and PATCH with another idempotencyKey).';

/** After a refusal of the gateway's own: nothing was sent. */
export function nextAfterRefusal({ statusCode, message }: ApiError): string {
  if (message.startsWith('Action not found')) return 'Take the actionId from an earlier result of yours.';
  if (message.startsWith('Cannot execute action')) {
    return 'Nothing was sent by this call. Call get_action with the same actionId: it tells what became of the request.';
  }
  return BY_STATUS[statusCode] ?? OTHER;
}

/** After a request that left, and for which no usable answer came. */
export const nextAfterFailure = (statusCode: number): string => (statusCode === 413 ? BY_STATUS[413] : NOBODY_KNOWS);

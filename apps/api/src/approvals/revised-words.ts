import type { RevisedRequest } from '#contracts';
import type { ActionEntity } from '#database';

/** Tells a language model what to do about an action that a person has revised as another one. */
export const afterRevision = (id: string): string =>
  `A person changed your request: GET /status/${id} shows what would be sent instead. If it still does what your user wants, ` +
  `POST /proxy/execute/${id} exactly once when its status is APPROVED. Do not send the original request again.`;

/** Tells a language model what to do about a revision. */
export const aboutRevision = (id: string): string =>
  `A person changed your request, and executing sends the changed one: read "request" of GET /status/${id}. If it still does ` +
  `what your user wants, POST /proxy/execute/${id} exactly once when its status is APPROVED; tell your user what was changed.`;

export const revisedRequest = ({ method, targetUrl, headers, body }: ActionEntity): RevisedRequest => ({
  method,
  targetUrl,
  headers,
  body,
});

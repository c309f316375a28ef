import type { ServerResponse } from 'node:http';

/** Aborts when the caller hangs up before the answer. It adds a listener, so use it only for calls that wait. */
export function abortWhenGone(response: ServerResponse): AbortSignal {
  // The caller may have hung up before this call. The event does not fire again.
  if (response.closed) return AbortSignal.abort();
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

import type { ServerResponse } from 'node:http';

/** Aborts when the caller hangs up before it has its answer. For calls that wait: others would pay for nothing. */
export function abortWhenGone(response: ServerResponse): AbortSignal {
  // While its key was looked up: nothing would tell us again.
  if (response.closed) return AbortSignal.abort();
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

import type { ServerResponse } from 'node:http';

/** Aborts when the caller hangs up before it has its answer. */
export function abortWhenGone(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

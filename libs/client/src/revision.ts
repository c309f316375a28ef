import type { GatewayOptions, Revision } from './options.js';

const revisions = new WeakMap<Response, Revision>();

/** @returns the changed request that this response answers; null if the request was sent unchanged */
export const revisionOf = (response: Response): Revision | null => revisions.get(response) ?? null;

export function remember(response: Response, revision: Revision | null): Response {
  if (revision !== null) revisions.set(response, revision);
  return response;
}

/** Tells the caller that a changed request is executed. The default is a warning, so that somebody learns of it. */
export async function tell({ onRevised }: GatewayOptions, revision: Revision): Promise<void> {
  if (onRevised) await onRevised(revision);
  else console.warn(`Agent Gateway: ${inWords(revision)}`);
}

function inWords({ revises, request }: Revision): string {
  const what = request === null ? 'another request was' : `${request.method} ${request.url} is`;
  return `a person changed the request of action ${revises}, and ${what} executed in its place.`;
}

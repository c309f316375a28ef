import { UPSTREAM_TIMEOUT_MS, type HttpMethod } from '#contracts';

/** A claim older than the longest forward, with a margin, belongs to a process that is gone. */
export const STALE_CLAIM_MS = UPSTREAM_TIMEOUT_MS + 15_000;

/** The status that a 409 names while an approved action is being executed (contract 7). */
export const EXECUTION_IN_PROGRESS = 'APPROVED (execution in progress)';

/**
 * Whether a request of this method may be sent once more when nobody knows if it arrived. RFC 9110 section 9.2.2 calls
 * the others idempotent; POST and PATCH are never sent twice.
 */
export function isRepeatable(method: HttpMethod): boolean {
  return method !== 'POST' && method !== 'PATCH';
}

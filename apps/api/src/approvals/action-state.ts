import { UPSTREAM_TIMEOUT_MS } from '#contracts';

/**
 * A claim that is older than the longest request, plus a margin, belongs to a process that is gone.
 * See docs/reference/states.md#stale-claims.
 */
export const STALE_CLAIM_MS = UPSTREAM_TIMEOUT_MS + 15_000;

/**
 * The status that a 409 names while an approved action is being executed (docs/reference/states.md#execution-claim).
 */
export const EXECUTION_IN_PROGRESS = 'APPROVED (execution in progress)';

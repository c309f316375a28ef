import { UPSTREAM_TIMEOUT_MS } from '#contracts';

/**
 * A request is sent within this time after its claim, or given up. The time of the risk model comes on top. It leaves
 * room for the renewal of an OAuth token.
 */
export const SEND_WITHIN_MS = 20_000;
/** For statements that wait, such as the one that writes the record, and the one that stores the answer. */
const MARGIN_MS = 10_000;

/**
 * A claim that is older than the longest request belongs to a process that is gone
 * (docs/reference/idempotency.md#stale-claims). The risk model may add its own timeout.
 */
export const STALE_CLAIM_MS = SEND_WITHIN_MS + UPSTREAM_TIMEOUT_MS + MARGIN_MS;

import { UPSTREAM_TIMEOUT_MS } from '#contracts';

/**
 * A request is sent within this time after its claim, or given up. The time of the risk model comes on top. It leaves
 * room for the renewal of an OAuth token.
 */
export const SEND_WITHIN_MS = 20_000;
/** The statements that write the record and store the answer may wait for a connection, and for the batch before them. */
const MARGIN_MS = 25_000;

/**
 * A claim that is older than the longest request belongs to a process that is gone
 * (docs/reference/idempotency.md#stale-claims). The risk model may add its own timeout.
 */
export const STALE_CLAIM_MS = SEND_WITHIN_MS + UPSTREAM_TIMEOUT_MS + MARGIN_MS;

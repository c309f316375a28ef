const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * The delays after the first failure, the second, and so on. After the last delay comes the last attempt. About 10 h 35
 * min in total. See docs/reference/notifications.md#retries.
 */
const RETRY_DELAYS_MS = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR];
/** Spreads the retries, so that a receiver that recovers does not get all delayed deliveries at the same time. */
const JITTER = 0.2;
/** Equal to the longest own delay, so that a receiver can't delay a delivery without limit. */
const RETRY_AFTER_MAX_MS = 8 * HOUR;

/**
 * Returns the delay before the next attempt; null if there is none.
 * @param failures number of failed attempts, at least 1
 * @param retryAfterMs the delay that the receiver asked for. The result is not shorter, up to a limit
 * @param random a number from 0 to 1
 */
export function retryDelayMs(failures: number, retryAfterMs: number | null, random: number): number | null {
  const delay = RETRY_DELAYS_MS[failures - 1] as number | undefined;
  if (delay === undefined) return null;
  const own = Math.round(delay * (1 - JITTER + 2 * JITTER * random));
  return Math.max(own, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** After the first failure, the second, …; after the last of them comes the last attempt. About 10 h 35 min in all. */
const RETRY_DELAYS_MS = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR];
/** A receiver that comes back must not meet all at once what was put off meanwhile. */
const JITTER = 0.2;
/** As long as we would wait ourselves: nobody puts off a callback for ever. */
const RETRY_AFTER_MAX_MS = 8 * HOUR;

/**
 * How long to wait before the next attempt; null: it was the last.
 * @param failures how many attempts have failed, at least 1
 * @param retryAfterMs what the receiver asked for: the wait is not shorter, within bounds
 * @param random from 0 to 1
 */
export function retryDelayMs(failures: number, retryAfterMs: number | null, random: number): number | null {
  const delay = RETRY_DELAYS_MS[failures - 1] as number | undefined;
  if (delay === undefined) return null;
  const own = Math.round(delay * (1 - JITTER + 2 * JITTER * random));
  return Math.max(own, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}

/** `Retry-After` in milliseconds, from seconds or a date (RFC 9110, section 10.2.3); null when it says nothing. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * SECOND;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

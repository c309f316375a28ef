/**
 * Reads `Retry-After` of an answer to the gateway: seconds or a date (RFC 9110, section 10.2.3). Some servers send
 * fractions of a second.
 * @returns milliseconds; null if the header is missing or invalid
 */
export function parseRetryAfter(value: string | null | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d{1,12}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  // `Date.parse` also reads a date from most texts without letters: `-5` is a day in May 2001.
  const date = /[a-z]/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

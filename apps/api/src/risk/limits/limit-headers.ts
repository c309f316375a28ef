import { LIMIT_WINDOW_SECONDS } from '#contracts/states';
import { amountLeft, tightestLimit, type LimitState } from './limit-to-count.js';

/** The fields that replace those of the upstream, in lower case. */
export const RATE_LIMIT_FIELDS: ReadonlySet<string> = new Set(['ratelimit', 'ratelimit-policy']);

/**
 * `RateLimit` and `RateLimit-Policy` of the tightest limit (draft-ietf-httpapi-ratelimit-headers-10): what is left, the
 * seconds until the window ends, the quota, and the seconds of a window. No limit: none.
 */
export function rateLimitHeaders(states: readonly LimitState[]): [name: string, value: string][] {
  const tightest = tightestLimit(states);
  return tightest === null ? [] : headersOf(tightest);
}

/** The two fields of one limit. */
export function headersOf(state: LimitState): [name: string, value: string][] {
  const { rule, limit, resetsInSeconds } = state;
  const name = sfString(rule.name);
  // The fields take integers only. Rounded down, they never promise more than there is.
  const [quota, left] = [limit.count, amountLeft(state)].map(Math.floor);
  return [
    ['RateLimit', `${name};r=${left};t=${resetsInSeconds}`],
    ['RateLimit-Policy', `${name};q=${quota};w=${LIMIT_WINDOW_SECONDS[limit.per]}`],
  ];
}

/** A String of RFC 9651. It has ASCII characters only, so others are written as in URLs. */
function sfString(text: string): string {
  const ascii = text.toWellFormed().replace(/[^\x20-\x7e]+/gu, encodeURIComponent);
  return `"${ascii.replace(/["\\]/g, '\\$&')}"`;
}

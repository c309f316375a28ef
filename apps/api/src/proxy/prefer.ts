import { PREFER_WAIT_MAX_SECONDS } from '#contracts/limits';
import { errors } from '../platform/errors.js';

/** Seconds of `Prefer: wait=N` (RFC 7240 section 4.3), capped at the limit. 0 when the caller does not want to wait. */
export function preferredWait(header: string | string[] | undefined): number {
  if (header === undefined) return 0;
  const match = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec([header].flat().join(','));
  return match ? Math.min(Number(match[1]), PREFER_WAIT_MAX_SECONDS) : 0;
}

/**
 * Whether the header contains `Prefer: handling=dry-run` (RFC 7240 section 4.4; the value is the gateway's own). A
 * misspelled preference is refused and not ignored, because a typo must not send the request. @throws ApiError 400
 */
export function prefersDryRun(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  let isDryRun = false;
  for (const [, name, rest] of [header]
    .flat()
    .join(',')
    .matchAll(/(?:^|[,;])\s*(handling|dry[-_]?run)(?![\w-])([^,;]*)/gi)) {
    const value = /^\s*=\s*("?)(dry-run|strict|lenient)\1\s*$/i.exec(rest)?.[2].toLowerCase();
    if (name.toLowerCase() !== 'handling' || value === undefined) {
      throw errors.invalid('Prefer: handling must be dry-run, strict or lenient');
    }
    isDryRun ||= value === 'dry-run';
  }
  return isDryRun;
}

/** Whether the header contains `Prefer: stream` (the preference is the gateway's own). */
export const prefersStream = (header: string | string[] | undefined): boolean =>
  header !== undefined && /(?:^|[,;])\s*stream\s*(?:$|[,;])/i.test([header].flat().join(','));

/** The rest of the header, without the gateway's own preferences. Null when nothing is left. */
export function ownPreferencesRemoved(header: string | string[] | undefined): string | null {
  const left = [header ?? '']
    .flat()
    .join(',')
    .split(',')
    .filter((preference) => !/^\s*(wait\s*=|stream\s*$|handling\s*=\s*"?dry-run\b|$)/i.test(preference));
  return left.length === 0 ? null : left.join(',').trim();
}

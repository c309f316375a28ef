import { PREFER_WAIT_MAX_SECONDS } from '#contracts/limits';

/** Seconds of `Prefer: wait=N` (RFC 7240 section 4.3), at most the limit; 0 when the caller does not want to wait. */
export function preferredWait(header: string | string[] | undefined): number {
  const match = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec([header ?? ''].flat().join(','));
  return match ? Math.min(Number(match[1]), PREFER_WAIT_MAX_SECONDS) : 0;
}

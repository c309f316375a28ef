import type { AuditStats, TimeBucket } from '#contracts';

/** The smallest of 1, 2, 5 times a power of ten that is not below `value`: an axis that ends on a number people say. */
export function niceTop(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= value)!;
}

const STEP_MS = { hour: 3_600_000, day: 86_400_000 } as const;

/** Every bucket of the range: those without a request too, which the server leaves out. */
export function everyBucket(
  stats: Pick<AuditStats, 'overTime' | 'bucket'>,
  fromMs: number,
  toMs: number,
): TimeBucket[] {
  const step = STEP_MS[stats.bucket];
  const known = new Map(stats.overTime.map((bucket) => [Date.parse(bucket.at), bucket]));
  const buckets: TimeBucket[] = [];
  // The server cuts days and hours in UTC.
  for (let at = Math.floor(fromMs / step) * step; at < toMs; at += step) {
    buckets.push(known.get(at) ?? { at: new Date(at).toISOString(), forwarded: 0, executed: 0, held: 0, refused: 0 });
  }
  return buckets;
}

/** How many more requests another threshold would have held; negative: fewer. Scores are known in steps of 0.05. */
export function askedMore(stats: Pick<AuditStats, 'risk' | 'riskThreshold'>, threshold: number): number {
  const count = (from: number, to: number) =>
    stats.risk.reduce(
      (sum, bucket) => (bucket.from >= from - 1e-9 && bucket.from < to - 1e-9 ? sum + bucket.requests : sum),
      0,
    );
  return threshold < stats.riskThreshold
    ? count(threshold, stats.riskThreshold)
    : -count(stats.riskThreshold, threshold);
}

import type { AuditStats, TimeBucket } from '#contracts';
import { number } from '../../lib/format.js';

/** The smallest of 1, 2, 5 times a power of ten that is not below `value`: an axis that ends on a number people say. */
export function niceTop(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= value)!;
}

/** Nothing, half and all of an axis of counts; of an axis that ends at 1, no half. */
export const countTicks = (top: number): { at: number; label: string }[] =>
  (top % 2 === 0 || top > 10 ? [0, 0.5, 1] : [0, 1]).map((at) => ({ at, label: number(at * top) }));

const DURATIONS = [0, 10, 60, 600, 3600, 6 * 3600, 86_400, 7 * 86_400, 30 * 86_400];

/** Durations that people say, up to the first that is longer than the longest; those too short to be told apart are left out. */
export function durationTicks(longest: number): number[] {
  const end = DURATIONS.findIndex((seconds) => seconds > Math.max(longest, 59));
  const ticks = DURATIONS.slice(0, end === -1 ? undefined : end + 1);
  return ticks.at(-1)! > 3600 ? ticks.filter((seconds) => seconds !== 10) : ticks;
}

/** At most `count` of them, evenly apart, each with its index: as many labels as fit below a chart on a phone. */
export function someOf<T>(all: readonly T[], count: number): [T, number][] {
  const step = Math.max(1, Math.ceil(all.length / count));
  return all
    .map((each, index): [T, number] => [each, index])
    .filter(([, index]) => index % step === Math.floor(step / 2));
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

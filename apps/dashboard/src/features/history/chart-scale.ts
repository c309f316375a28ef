import type { AuditStats, TimeBucket } from '#contracts';
import { dayStart } from '../../lib/clock.js';
import { number } from '../../lib/format.js';

/** The smallest of 1, 2 or 5 times a power of ten that is at least `value`, so that an axis ends on a round number. */
export function niceTop(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= value)!;
}

/** The ticks of a count axis: zero, half and maximum. An axis that ends at 1 has no half. */
export const countTicks = (top: number): { at: number; label: string }[] =>
  (top % 2 === 0 || top > 10 ? [0, 0.5, 1] : [0, 1]).map((at) => ({ at, label: number(at * top) }));

const DURATIONS = [0, 10, 60, 600, 3600, 6 * 3600, 86_400, 7 * 86_400, 30 * 86_400];

/** Round durations up to the first one above the longest. Ticks that would be too close together are left out. */
export function durationTicks(longest: number): number[] {
  const end = DURATIONS.findIndex((seconds) => seconds > Math.max(longest, 59));
  const ticks = DURATIONS.slice(0, end === -1 ? undefined : end + 1);
  return ticks.at(-1)! > 3600 ? ticks.filter((seconds) => seconds !== 10) : ticks;
}

/** At most `count` items at equal distances, with their indexes. So the labels fit below a chart on a phone. */
export function pickEvenly<T>(all: readonly T[], count: number): [T, number][] {
  const step = Math.max(1, Math.ceil(all.length / count));
  return all
    .map((each, index): [T, number] => [each, index])
    .filter(([, index]) => index % step === Math.floor(step / 2));
}

const HOUR_MS = 3_600_000;

/** The start of the bucket that contains a moment, and of the next one. Days use the reader's time zone, hours UTC. */
export function bucketAround(ms: number, width: AuditStats['bucket']): [from: number, to: number] {
  if (width === 'day') return [dayStart(ms).getTime(), dayStart(ms, -1).getTime()];
  const from = Math.floor(ms / HOUR_MS) * HOUR_MS;
  return [from, from + HOUR_MS];
}

/** All buckets of the range. The server leaves out buckets without requests. */
export function everyBucket(
  stats: Pick<AuditStats, 'overTime' | 'bucket'>,
  fromMs: number,
  toMs: number,
): TimeBucket[] {
  const around = (ms: number) => bucketAround(ms, stats.bucket);
  const known = new Map(stats.overTime.map((bucket) => [around(Date.parse(bucket.at))[0], bucket]));
  const buckets: TimeBucket[] = [];
  for (let [at, next] = around(fromMs); at < toMs; [at, next] = around(next)) {
    buckets.push(known.get(at) ?? { at: new Date(at).toISOString(), forwarded: 0, executed: 0, held: 0, refused: 0 });
  }
  return buckets;
}

/** How many more requests another threshold would have held. Negative means fewer. The scores come in steps of 0.05. */
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

import { askedMore, countTicks, durationTicks, everyBucket, niceTop, pickEvenly } from './chart-scale.js';

it.each([
  [0, 1],
  [1, 1],
  [3, 5],
  [10, 10],
  [11, 20],
  [99, 100],
  [1234, 2000],
])('an axis for %d ends at %d', (value, top) => expect(niceTop(value)).toBe(top));

it.each([
  [1, ['0', '1']],
  [5, ['0', '5']],
  [10, ['0', '5', '10']],
  [50, ['0', '25', '50']],
])('an axis up to %d is labelled in whole numbers', (top, labels) =>
  expect(countTicks(top).map(({ label }) => label)).toEqual(labels),
);

it.each([
  [0, [0, 10, 60]],
  [45, [0, 10, 60]],
  [60, [0, 10, 60, 600]],
  [7200, [0, 60, 600, 3600, 21_600]],
  [9_999_999, [0, 60, 600, 3600, 21_600, 86_400, 604_800, 2_592_000]],
])('an axis of durations ends above %d seconds if possible', (longest, ticks) =>
  expect(durationTicks(longest)).toEqual(ticks),
);

it.each([
  [0, []],
  [1, [0]],
  [3, [0, 1, 2]],
  [24, [3, 9, 15, 21]],
  [31, [4, 12, 20, 28]],
])('of %d items, at most four have labels at equal distances', (count, indices) =>
  expect(pickEvenly(Array.from({ length: count }), 4).map(([, index]) => index)).toEqual(indices),
);

describe('everyBucket', () => {
  it('fills the gaps between the buckets from the server', () => {
    const held = { at: '2026-05-01T01:00:00.000Z', forwarded: 0, executed: 0, held: 2, refused: 0 };
    const from = Date.parse('2026-05-01T00:30:00.000Z');
    const buckets = everyBucket({ bucket: 'hour', overTime: [held] }, from, from + 3 * 3_600_000);
    expect(buckets.map(({ at, held: count }) => [at.slice(11, 13), count])).toEqual([
      ['00', 0],
      ['01', 2],
      ['02', 0],
      ['03', 0],
    ]);
  });
});

describe('askedMore', () => {
  const stats = {
    riskThreshold: 0.5,
    risk: [
      { from: 0.1, requests: 100 },
      { from: 0.4, requests: 7 },
      { from: 0.45, requests: 31 },
      { from: 0.5, requests: 5 },
      { from: 0.9, requests: 2 },
    ],
  };

  it('counts the requests between the current threshold and another', () => {
    expect(askedMore(stats, 0.45)).toBe(31);
    expect(askedMore(stats, 0.4)).toBe(38);
    expect(askedMore(stats, 0.5)).toBe(-0);
    expect(askedMore(stats, 0.55)).toBe(-5);
    expect(askedMore(stats, 1)).toBe(-7);
  });
});

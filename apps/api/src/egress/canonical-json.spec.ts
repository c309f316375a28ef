import { timesAsLong } from '../../../../libs/egress/test/linear-time.js';
import { firstValue } from './canonical-json.js';

const lists = (count: number): string => `[${'[],'.repeat(count - 2)}[]]`;

it('finds the first JSON value of a text if it has exactly the maximum number of values', () => {
  expect(firstValue(` ${lists(100_000)}x`) === lists(100_000)).toBe(true);
});

it('does not search for the end of JSON that has more than the maximum number of values', async () => {
  const [longer, long] = [lists(2_000_000), lists(200_000)];
  expect(firstValue(long)).toHaveLength(0);
  // Looking for it took ten times as long.
  expect(
    await timesAsLong(
      () => firstValue(longer),
      () => firstValue(long),
    ),
  ).toBeLessThan(4);
});

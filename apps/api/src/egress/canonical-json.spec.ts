import { timesAsLong } from '../../../../libs/egress/test/linear-time.js';
import { firstValue } from './canonical-json.js';

const lists = (count: number): string => `[${'[],'.repeat(count - 2)}[]]`;

it('finds the first value of JSON that has as many values as are read', () => {
  expect(firstValue(` ${lists(100_000)}x`) === lists(100_000)).toBe(true);
});

it('does not look for the end of JSON that has more', async () => {
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

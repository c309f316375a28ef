import { dayPresets, rangeWords } from './day-presets.js';

/** A Tuesday in every time zone. */
const NOW = new Date(2026, 4, 12, 15, 30).getTime();
const presets = dayPresets(NOW);

it('names today and the seven days before', () => {
  expect(presets.map(({ label }) => label)).toEqual([
    'Today',
    'Yesterday',
    'Last Sunday',
    'Last Saturday',
    'Last Friday',
    'Last Thursday',
    'Last Wednesday',
    'Last Tuesday',
  ]);
});

it('covers each day from midnight to midnight without gaps', () => {
  for (const { from } of presets) expect([new Date(from).getHours(), new Date(from).getMinutes()]).toEqual([0, 0]);
  expect(presets.slice(1).map(({ to }) => to)).toEqual(presets.slice(0, -1).map(({ from }) => from));
  expect(Date.parse(presets[0]!.from)).toBeLessThanOrEqual(NOW);
  expect(Date.parse(presets[0]!.to)).toBeGreaterThan(NOW);
  expect(new Date(presets[7]!.from).getDate()).toBe(5);
});

it('names a range by its day or its dates', () => {
  const [today, , , , , , , tuesday] = presets;
  expect(rangeWords(tuesday!.from, tuesday!.to, NOW)).toBe('Last Tuesday');
  expect(rangeWords(tuesday!.from, today!.to, NOW)).toBe('May 5 – May 12');
  const month = new Date(2026, 3, 1).toISOString();
  expect(rangeWords(month, new Date(2026, 3, 2).toISOString(), NOW)).toBe('Apr 1');
  expect(rangeWords(month, null, NOW)).toBe('Apr 1 – …');
});

import fc from 'fast-check';
import { parseRetryAfter } from './retry-after.js';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const read = (value: string | null | undefined): number | null => parseRetryAfter(value, NOW);

it.each([
  ['0', 0],
  ['120', 120_000],
  [' 120 ', 120_000],
  ['0.25', 250],
  // A moment, as some servers send it: far away.
  ['1795809600', 1_795_809_600_000],
  ['1.0004', 1000],
  ['Sat, 31 Jan 2026 12:05:00 GMT', 300_000],
  ['Saturday, 31-Jan-26 12:05:00 GMT', 300_000],
  ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
])('reads %j as %d ms', (text, ms) => {
  expect(read(text)).toBe(ms);
});

it.each([
  null,
  undefined,
  '',
  ' ',
  'soon',
  '-5',
  '1e400',
  '1e3',
  '5,6',
  '0x10',
  '9'.repeat(400),
  `0.${'9'.repeat(400)}x`,
])('ignores %j', (text) => {
  expect(read(text)).toBeNull();
});

it('reads every second and every date in the future', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 999_999_999 }), (seconds) => read(`${seconds}`) === seconds * 1000));
  const seconds = fc.integer({ min: 0, max: 1_000_000_000 });
  fc.assert(fc.property(seconds, (after) => read(new Date(NOW + after * 1000).toUTCString()) === after * 1000));
});

it('returns null or a whole number of milliseconds for any text', () => {
  const hostile = fc.stringMatching(/^[\d\sGMTZe.,:+-]*$/);
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), hostile), (text) => {
      const ms = read(text);
      return ms === null || (Number.isSafeInteger(ms) && ms >= 0);
    }),
  );
});

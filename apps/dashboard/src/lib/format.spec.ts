import { ago, bytes, clockTime, dateTime, duration, elapsed, plural, score, timeOfDay, untilTime } from './format.js';

describe('duration', () => {
  it.each([
    [0, '0 sec'],
    [59.9, '59 sec'],
    [60, '1 min'],
    [3599, '59 min'],
    [7200, '2 hr'],
    [86_400 * 41, '41 days'],
    [-5, '0 sec'],
  ])('of %d seconds is its largest whole unit', (seconds, expected) => {
    expect(duration(seconds)).toBe(expected);
  });
});

describe('ago', () => {
  const now = Date.parse('2026-01-01T12:00:00Z');
  it('is never in the future, even if the clocks differ', () => {
    expect(ago('2026-01-01T12:00:09Z', now)).toBe('just now');
  });
  it('uses one unit', () => {
    expect(ago('2026-01-01T11:57:10Z', now)).toBe('2 min ago');
  });
});

it('formats sizes and times with units', () => {
  const sizes = [1, 999, 1500, 10_485_761, 20 * 1024 * 1024];
  expect(sizes.map(bytes)).toEqual(['1 byte', '999 bytes', '1.5 kB', '10.5 MB', '20 MB']);
  expect([elapsed(84.4), elapsed(1234)]).toEqual(['84 ms', '1.2 sec']);
});

it.each([
  [0, '00:05'],
  [9, '09:05'],
  [12, '12:05'],
  [15, '15:05'],
])('formats hour %d on the 24-hour clock', (hour, expected) => {
  const at = new Date(2026, 0, 2, hour, 5, 7);
  expect(timeOfDay(at.getTime())).toBe(expected);
  expect(clockTime(at.getTime())).toBe(`${expected}:07`);
  expect(dateTime(at.toISOString())).toBe(`Jan 2, 2026, ${expected}:07`);
});

it('formats counts with singular and plural', () => {
  expect([plural(1, 'item', 'items'), plural(0, 'item', 'items')]).toEqual(['1 item', '0 items']);
});

it('formats a score with two decimals', () => {
  expect(score(0.7)).toBe('0.70');
});

it('names the day of an end that is not today', () => {
  const nowMs = new Date(2026, 10, 21, 14, 3).getTime();
  expect(untilTime(new Date(2026, 10, 21, 15, 3).getTime(), nowMs)).toBe('15:03');
  expect(untilTime(new Date(2026, 10, 22, 14, 3).getTime(), nowMs)).toBe('Nov 22, 14:03');
});

import { ago, bytes, duration, elapsed, plural, score } from './format.js';

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
  it('is never in the future, even when the clocks differ', () => {
    expect(ago('2026-01-01T12:00:09Z', now)).toBe('just now');
  });
  it('names one unit', () => {
    expect(ago('2026-01-01T11:57:10Z', now)).toBe('2 min ago');
  });
});

it('writes sizes and times with their units', () => {
  expect([bytes(1), bytes(999), bytes(1500), bytes(10_485_760)]).toEqual(['1 byte', '999 bytes', '1.5 kB', '10.5 MB']);
  expect([elapsed(84.4), elapsed(1234)]).toEqual(['84 ms', '1.2 sec']);
});

it('counts', () => {
  expect([plural(1, 'item', 'items'), plural(0, 'item', 'items')]).toEqual(['1 item', '0 items']);
});

it('shows a score with two digits', () => {
  expect(score(0.7)).toBe('0.70');
});

import fc from 'fast-check';
import { retryDelayMs } from './retry-delay.js';

const minutes = (...delays: (number | null)[]) => delays.map((delay) => delay && delay / 60_000);

describe('retryDelayMs', () => {
  it('waits longer after each failure, and gives up after the seventh', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8].map((failures) => retryDelayMs(failures, null, 0.5));
    expect(minutes(...delays)).toEqual([5 / 60, 1, 5, 30, 120, 480, null, null]);
  });

  it('varies by at most a fifth', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
        const middle = retryDelayMs(failures, null, 0.5)!;
        const delay = retryDelayMs(failures, null, random)!;
        expect(Math.abs(delay - middle)).toBeLessThanOrEqual(middle * 0.2 + 1);
      }),
    );
  });

  it('respects the Retry-After of the receiver between its own delay and 8 hours', () => {
    expect(retryDelayMs(1, 120_000, 0.5)).toBe(120_000);
    expect(retryDelayMs(3, 1000, 0.5)).toBe(300_000);
    expect(retryDelayMs(1, 1e12, 0.5)).toBe(8 * 3_600_000);
    expect(retryDelayMs(7, 1000, 0.5)).toBeNull();
  });
});

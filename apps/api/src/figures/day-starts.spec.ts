import * as fc from 'fast-check';
import { dayStarts } from './day-starts.js';

const at = (text: string): number => Date.parse(text);
const iso = (ms: number): string => new Date(ms).toISOString();

it.each([
  ['UTC', '2026-05-01T12:00:00Z', ['2026-05-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z']],
  ['Asia/Kolkata', '2026-05-01T12:00:00Z', ['2026-04-30T18:30:00.000Z', '2026-05-01T18:30:00.000Z']],
  // Midnight does not exist on this day in Egypt.
  ['Africa/Cairo', '2026-04-23T12:00:00Z', ['2026-04-22T22:00:00.000Z', '2026-04-23T22:00:00.000Z']],
  // In Cuba it comes twice on this day.
  ['America/Havana', '2026-11-01T12:00:00Z', ['2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z']],
  ['Pacific/Kiritimati', '2026-05-01T12:00:00Z', ['2026-05-01T10:00:00.000Z', '2026-05-02T10:00:00.000Z']],
])('knows when days start in %s', (zone, noon, starts) => {
  expect(dayStarts(at(noon), at(noon) + 86_400_000, zone).map(iso)).toEqual(starts);
});

it('puts each moment of each zone into the day that a calendar there shows', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const moment = fc.integer({ min: at('2015-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });
  fc.assert(
    fc.property(fc.constantFrom(...zones), moment, (zone, ms) => {
      const calendar = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
      const [start, next] = dayStarts(ms, ms + 48 * 3_600_000, zone);
      expect(start).toBeLessThanOrEqual(ms);
      expect(calendar.format(start)).toBe(calendar.format(ms));
      expect(calendar.format(start - 1)).not.toBe(calendar.format(ms));
      expect(calendar.format(next - 1)).toBe(calendar.format(ms));
      expect(calendar.format(next)).not.toBe(calendar.format(ms));
    }),
    { numRuns: 300 },
  );
});

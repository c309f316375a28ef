import { isTimeZone } from './time-zone.js';

it('tells names of time zones from other texts', () => {
  expect(['Europe/Berlin', 'UTC', 'Mars/Base', '', '+05:30', "x'--"].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

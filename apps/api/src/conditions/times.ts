import { Undecided, type Value } from './values.js';

const kept = new Map<string, Intl.DateTimeFormat | null>();
/** There are about 600 names of time zones, and any number of offsets. */
const KEPT_MAX = 1000;

/** Null: there is no such time zone. Making a format takes 50 µs. */
function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  let format = kept.get(timeZone);
  if (format === undefined) {
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(timeZone, (format = makeFormat(timeZone)));
  }
  return format;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export const isTimeZone = (name: string): boolean => name.length <= 64 && formatOf(name) !== null;

/** A time whose fields in UTC are those that a clock in this time zone shows. Null: there is no such time zone. */
function shownIn(time: Date, timeZone: string): Date | null {
  const format = timeZone.length > 64 ? null : formatOf(timeZone);
  if (format === null) return null;
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const { year, month, day, hour, minute, second } = parts as Record<string, number>;
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, time.getUTCMilliseconds()));
}

const GETTERS: Record<string, (time: Date) => number> = {
  getFullYear: (time) => time.getUTCFullYear(),
  getMonth: (time) => time.getUTCMonth(),
  getDate: (time) => time.getUTCDate(),
  getDayOfMonth: (time) => time.getUTCDate() - 1,
  getDayOfWeek: (time) => time.getUTCDay(),
  getDayOfYear: (time) => Math.floor((time.getTime() - Date.UTC(time.getUTCFullYear(), 0)) / 86_400_000),
  getHours: (time) => time.getUTCHours(),
  getMinutes: (time) => time.getUTCMinutes(),
  getSeconds: (time) => time.getUTCSeconds(),
  getMilliseconds: (time) => time.getUTCMilliseconds(),
};

export const TIME_GETTERS: ReadonlySet<string> = new Set(Object.keys(GETTERS));

/** A field of a time, in UTC or in a time zone. Months, days of the month and days of the year count from 0, as in CEL. */
export function timeField(time: Date, getter: string, timeZone?: string): Value | Undecided {
  const shown = timeZone === undefined ? time : shownIn(time, timeZone);
  return shown === null ? new Undecided('there is no such time zone') : BigInt(GETTERS[getter](shown));
}

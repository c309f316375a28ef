/** Dates, durations, sizes and plurals. All use Intl and the browser's language. */
const cached = <T>(make: () => T): (() => T) => {
  let value: T | undefined;
  return () => (value ??= make());
};

/** Some systems report a language that makes Intl throw, such as `en-US@posix`. */
const locale = cached((): string => {
  const wanted = typeof navigator === 'undefined' ? 'en' : navigator.language;
  try {
    return Intl.getCanonicalLocales(wanted)[0] ?? 'en';
  } catch {
    return 'en';
  }
});

/** All pages use the 24-hour clock. Rule names contain times, and people with other languages read them. */
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const DAY = { month: 'short', day: 'numeric' } as const;
const dateTimeFormat = cached(
  () => new Intl.DateTimeFormat(locale(), { year: 'numeric', ...DAY, ...CLOCK, second: '2-digit' }),
);
const timeFormat = cached(() => new Intl.DateTimeFormat(locale(), CLOCK));
const clockFormat = cached(() => new Intl.DateTimeFormat(locale(), { ...CLOCK, second: '2-digit' }));
const dayFormat = cached(() => new Intl.DateTimeFormat(locale(), DAY));
const weekdayFormat = cached(() => new Intl.DateTimeFormat(locale(), { weekday: 'long' }));
const numberFormat = cached(() => new Intl.NumberFormat(locale()));
const orFormat = cached(() => new Intl.ListFormat('en', { type: 'disjunction' }));
const pluralRules = cached(() => new Intl.PluralRules('en'));

/** Nov 21, 2026, 15:42:07 */
export const dateTime = (iso: string | number): string => dateTimeFormat().format(new Date(iso));
/** 15:42 */
export const timeOfDay = (at: string | number): string => timeFormat().format(new Date(at));
/** 15:42, or Nov 21, 15:42 for another day than that of `nowMs`. */
export const untilTime = (at: string | number, nowMs: number): string =>
  day(at) === day(nowMs) ? timeOfDay(at) : `${day(at)}, ${timeOfDay(at)}`;
/** 15:42:07 */
export const clockTime = (at: number): string => clockFormat().format(new Date(at));
/** Nov 21 */
export const day = (at: string | number): string => dayFormat().format(new Date(at));
/** Tuesday */
export const weekday = (at: string | number): string => weekdayFormat().format(new Date(at));
/** Ana, Bo, or Cy */
export const orList = (names: readonly string[]): string => orFormat().format(names);
export const number = (value: number): string => numberFormat().format(value);
export const percent = (share: number): string =>
  new Intl.NumberFormat(locale(), { style: 'percent', maximumFractionDigits: 0 }).format(share);
/** Risk scores have two decimals, so that columns line up. */
export const score = (value: number): string => value.toFixed(2);

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

const unitFormats = new Map<string, Intl.NumberFormat>();
function unit(value: number, name: string): string {
  let format = unitFormats.get(name);
  if (!format) {
    format = new Intl.NumberFormat('en', { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: 1 });
    unitFormats.set(name, format);
  }
  return format.format(value);
}

/** The largest whole unit: `57 min`, `2 hr`, `10 sec`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [name, size] = UNITS.find(([, size]) => whole >= size) ?? UNITS[3];
  return unit(Math.floor(whole / size), name);
}

/** `2 min ago`; under five seconds `just now`. */
export function ago(iso: string | number, nowMs: number): string {
  const seconds = (nowMs - new Date(iso).getTime()) / 1000;
  return seconds < 5 ? 'just now' : `${duration(seconds)} ago`;
}

/** `84 ms`, `1.2 sec` */
export const elapsed = (ms: number): string =>
  ms < 1000 ? unit(Math.round(ms), 'millisecond') : unit(ms / 1000, 'second');

const MEBIBYTE = 1024 * 1024;

export function bytes(size: number): string {
  // Limits are stated so: 20 MB, and not 21.
  if (size > 0 && size % MEBIBYTE === 0) return unit(size / MEBIBYTE, 'megabyte');
  if (size < 1000) return plural(size, 'byte', 'bytes');
  if (size < 1_000_000) return unit(size / 1000, 'kilobyte');
  return unit(size / 1_000_000, 'megabyte');
}

/** `plural(3, 'request', 'requests')` is `3 requests`. */
export const plural = (count: number, one: string, other: string): string =>
  `${number(count)} ${pluralRules().select(count) === 'one' ? one : other}`;

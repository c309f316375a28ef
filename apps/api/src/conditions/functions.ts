import {
  copySteps,
  Duration,
  isMap,
  isNumber,
  OUT_OF_STEPS,
  textSteps,
  Undecided,
  type Steps,
  type Value,
} from './values.js';
import { keysOf } from './equality.js';
import { toInteger, toTime, typeOf } from './operators.js';
import { matches, placeOf } from './patterns.js';
import { TIME_GETTERS, timeField } from './times.js';

type Result = Value | Undecided;
type CelFunction = (args: readonly Value[], steps: Steps) => Result;

const UNFIT = new Undecided('a function does not fit the types of its values');
const notReadable = (type: string): Undecided => new Undecided(`a text is no ${type}`);

const onTexts =
  (run: (text: string, other: string, steps: Steps) => Result): CelFunction =>
  ([text, other], steps) =>
    typeof text === 'string' && typeof other === 'string' ? run(text, other, steps) : UNFIT;

const copied =
  (run: (text: string) => string): CelFunction =>
  ([text], steps) => {
    if (typeof text !== 'string') return UNFIT;
    return steps.take(copySteps(text.length)) ? run(text) : OUT_OF_STEPS;
  };

/** `f(x)`, with the name and the number of arguments as the key. */
export const FUNCTIONS: Partial<Record<string, CelFunction>> = {
  'size/1': size,
  'type/1': ([value]) => typeOf(value),
  'dyn/1': ([value]) => value,
  'string/1': ([value]) =>
    typeof value === 'string' || isNumber(value) || typeof value === 'boolean' ? String(value) : UNFIT,
  'bool/1': ([value]) => {
    if (typeof value === 'boolean') return value;
    const text = typeof value === 'string' ? value.slice(0, 6) : '';
    return (
      /^(?:1|t|true|TRUE|True)$/.test(text) || (/^(?:0|f|false|FALSE|False)$/.test(text) ? false : notReadable('bool'))
    );
  },
  'int/1': ([value]) => {
    if (typeof value === 'bigint') return value;
    if (typeof value === 'number') return Number.isFinite(value) ? toInteger(BigInt(Math.trunc(value))) : UNFIT;
    return typeof value === 'string' && /^[+-]?\d{1,19}$/.test(value)
      ? toInteger(BigInt(value.replace('+', '')))
      : notReadable('int');
  },
  'double/1': ([value]) => {
    if (typeof value === 'bigint' || typeof value === 'number') return Number(value);
    const number = typeof value === 'string' && value.length <= 40 && DECIMAL.test(value) ? Number(value) : NaN;
    return Number.isFinite(number) ? number : notReadable('double');
  },
  'timestamp/1': ([value]) => {
    if (value instanceof Date) return value;
    if (typeof value === 'bigint') return toTime(new Date(Number(value) * 1000));
    return typeof value === 'string' && value.length <= 40 && TIMESTAMP.test(value)
      ? toTime(new Date(value))
      : notReadable('timestamp');
  },
  'duration/1': ([value]) => {
    if (value instanceof Duration) return value;
    return (typeof value === 'string' ? durationOf(value) : null) ?? notReadable('duration');
  },
};

const DECIMAL = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const UNITS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 1e-3, ns: 1e-6 };

/** Such as `1h30m`. */
function durationOf(text: string): Duration | null {
  if (text.length > 40 || !/^[+-]?(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|ns))+$/.test(text)) return null;
  let ms = 0;
  for (const [, number, unit] of text.matchAll(/([\d.]+)([a-z]+)/g)) ms += Number(number) * UNITS[unit];
  return new Duration(text.startsWith('-') ? -ms : ms);
}

function size([value]: readonly Value[], steps: Steps): Result {
  if (Array.isArray(value)) return BigInt(value.length);
  if (isMap(value)) return steps.take(copySteps(keysOf(value).length)) ? BigInt(keysOf(value).length) : OUT_OF_STEPS;
  if (typeof value !== 'string') return UNFIT;
  return steps.take(textSteps(value.length)) ? BigInt(characters(value)) : OUT_OF_STEPS;
}

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** CEL counts code points. */
function characters(text: string): number {
  // A text of ASCII has none that takes two places.
  if (Buffer.byteLength(text) === text.length) return text.length;
  return text.length - (text.match(PAIR)?.length ?? 0);
}

/** `x.f(y)`, with the name and the number of arguments besides the receiver as the key. */
export const METHODS: Partial<Record<string, CelFunction>> = {
  'contains/1': onTexts((text, sought, steps) => {
    const place = placeOf(text, sought, steps);
    return place instanceof Undecided ? place : place !== -1;
  }),
  'startsWith/1': onTexts((text, start, steps) =>
    steps.take(textSteps(start.length)) ? text.startsWith(start) : OUT_OF_STEPS,
  ),
  'endsWith/1': onTexts((text, end, steps) => (steps.take(textSteps(end.length)) ? text.endsWith(end) : OUT_OF_STEPS)),
  'matches/1': onTexts(matches),
  'size/0': size,
  'lowerAscii/0': copied((text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  'upperAscii/0': copied((text) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  'trim/0': copied((text) => text.trim()),
  'split/1': onTexts((text, separator, steps) =>
    steps.take(1 + text.length) && separator.length <= 200 ? text.split(separator) : OUT_OF_STEPS,
  ),
  'join/0': ([list], steps) => join(list, '', steps),
  'join/1': ([list, separator], steps) => (typeof separator === 'string' ? join(list, separator, steps) : UNFIT),
  ...Object.fromEntries(
    Array.from(TIME_GETTERS, (name) => [`${name}/0`, ([time]: readonly Value[]) => fieldOf(time, name)]),
  ),
  ...Object.fromEntries(
    Array.from(TIME_GETTERS, (name) => [
      `${name}/1`,
      ([time, zone]: readonly Value[], steps: Steps) => {
        if (!(time instanceof Date) || typeof zone !== 'string') return UNFIT;
        return steps.take(ZONE_STEPS) ? timeField(time, name, zone) : OUT_OF_STEPS;
      },
    ]),
  ),
};

/** The steps for a time in a time zone. */
const ZONE_STEPS = 500;
/** In milliseconds. */
const DURATION_GETTERS: Partial<Record<string, number>> = {
  getHours: 3_600_000,
  getMinutes: 60_000,
  getSeconds: 1000,
  getMilliseconds: 1,
};

function fieldOf(value: Value, getter: string): Result {
  if (value instanceof Date) return timeField(value, getter);
  const unit = DURATION_GETTERS[getter];
  return value instanceof Duration && unit !== undefined ? toInteger(BigInt(Math.trunc(value.ms / unit))) : UNFIT;
}

function join(list: Value, separator: string, steps: Steps): Result {
  if (!Array.isArray(list)) return UNFIT;
  const items = list as readonly Value[];
  let length = 0;
  for (const item of items) {
    if (typeof item !== 'string') return UNFIT;
    length += item.length + separator.length;
    if (!steps.take(copySteps(item.length + separator.length))) return OUT_OF_STEPS;
  }
  return steps.take(copySteps(length)) ? (items as readonly string[]).join(separator) : OUT_OF_STEPS;
}

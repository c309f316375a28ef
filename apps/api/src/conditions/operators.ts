import { isEqual, isIn, isTextAndNumber, ownField, TEXT_AND_NUMBER } from './equality.js';
import {
  copySteps,
  Duration,
  Fields,
  isMap,
  isNumber,
  OUT_OF_STEPS,
  textSteps,
  TypeName,
  Undecided,
  type Steps,
  type Value,
} from './values.js';

type Result = Value | Undecided;

const [INT64_MIN, INT64_MAX] = [-(2n ** 63n), 2n ** 63n - 1n];
/** Of a timestamp in CEL, in milliseconds. */
const [TIME_MIN, TIME_MAX] = [-62_135_596_800_000, 253_402_300_799_999];
const NOT_DEFINED = new Undecided('an operator does not fit the types of its values');
const TOO_LARGE = new Undecided('an integer overflows');
const BY_ZERO = new Undecided('an integer is divided by zero');

/** Negative: the first is smaller. NaN: they can't be ordered. */
function order(one: Value, other: Value, steps: Steps): number | Undecided {
  if (isNumber(one) && isNumber(other)) return one < other ? -1 : one > other ? 1 : one == other ? 0 : NaN;
  if (typeof one === 'string' && typeof other === 'string') {
    if (!steps.take(textSteps(Math.min(one.length, other.length)))) return OUT_OF_STEPS;
    return one < other ? -1 : Number(one > other);
  }
  if (typeof one === 'boolean' && typeof other === 'boolean') return Number(one) - Number(other);
  if (one instanceof Date && other instanceof Date) return one.getTime() - other.getTime();
  if (one instanceof Duration && other instanceof Duration) return one.ms - other.ms;
  return notOrdered(one, other);
}

/** Made once each: `exists` may meet thousands. */
const unordered = new Map<string, Undecided>();

function notOrdered(one: Value, other: Value): Undecided {
  if (isTextAndNumber(one, other)) return TEXT_AND_NUMBER;
  const types = `${typeOf(one).name} and ${typeOf(other).name}`;
  let found = unordered.get(types);
  if (found === undefined) unordered.set(types, (found = new Undecided(`values of the types ${types} have no order`)));
  return found;
}

type Operator = (one: Value, other: Value, steps: Steps) => Result;

const ordered =
  (test: (order: number) => boolean): Operator =>
  (one, other, steps) => {
    const found = order(one, other, steps);
    return found instanceof Undecided ? found : test(found);
  };

const not = (equal: boolean | Undecided): boolean | Undecided => (equal instanceof Undecided ? equal : !equal);

export const OPERATORS: Partial<Record<string, Operator>> = {
  '==': isEqual,
  '!=': (one, other, steps) => not(isEqual(one, other, steps)),
  in: isIn,
  '<': ordered((found) => found < 0),
  '<=': ordered((found) => found <= 0),
  '>': ordered((found) => found > 0),
  '>=': ordered((found) => found >= 0),
  '+': (one, other, steps) =>
    onNumbers(
      one,
      other,
      (a, b) => a + b,
      (a, b) => a + b,
    ) ?? joined(one, other, steps),
  '-': (one, other) =>
    onNumbers(
      one,
      other,
      (a, b) => a - b,
      (a, b) => a - b,
    ) ?? difference(one, other),
  '*': (one, other) =>
    onNumbers(
      one,
      other,
      (a, b) => a * b,
      (a, b) => a * b,
    ) ?? NOT_DEFINED,
  '/': (one, other) =>
    other === 0n
      ? BY_ZERO
      : (onNumbers(
          one,
          other,
          (a, b) => a / b,
          (a, b) => a / b,
        ) ?? NOT_DEFINED),
  '%': (one, other) =>
    typeof one === 'bigint' && typeof other === 'bigint' ? (other === 0n ? BY_ZERO : one % other) : NOT_DEFINED,
};

/** Integers and doubles don't mix. */
function onNumbers(
  one: Value,
  other: Value,
  onIntegers: (one: bigint, other: bigint) => bigint,
  onDoubles: (one: number, other: number) => number,
): Result | null {
  if (typeof one === 'bigint' && typeof other === 'bigint') return toInteger(onIntegers(one, other));
  return typeof one === 'number' && typeof other === 'number' ? onDoubles(one, other) : null;
}

export const toInteger = (integer: bigint): Result =>
  integer < INT64_MIN || integer > INT64_MAX ? TOO_LARGE : integer;

function joined(one: Value, other: Value, steps: Steps): Result {
  if (typeof one === 'string' && typeof other === 'string') {
    return steps.take(copySteps(one.length + other.length)) ? one + other : OUT_OF_STEPS;
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    const items = [one, other] as (readonly Value[])[];
    return steps.take(copySteps(one.length + other.length)) ? items.flat() : OUT_OF_STEPS;
  }
  if (one instanceof Duration && other instanceof Duration) return new Duration(one.ms + other.ms);
  if (one instanceof Date && other instanceof Duration) return toTime(new Date(one.getTime() + other.ms));
  if (one instanceof Duration && other instanceof Date) return toTime(new Date(other.getTime() + one.ms));
  return NOT_DEFINED;
}

function difference(one: Value, other: Value): Result {
  if (one instanceof Date && other instanceof Date) return new Duration(one.getTime() - other.getTime());
  if (one instanceof Date && other instanceof Duration) return toTime(new Date(one.getTime() - other.ms));
  if (one instanceof Duration && other instanceof Duration) return new Duration(one.ms - other.ms);
  return NOT_DEFINED;
}

export const toTime = (date: Date): Result =>
  date.getTime() >= TIME_MIN && date.getTime() <= TIME_MAX ? date : new Undecided('it is no date');

export function negated(value: Value): Result {
  if (typeof value === 'bigint') return toInteger(-value);
  return typeof value === 'number' ? -value : NOT_DEFINED;
}

export function inverted(value: Value): Result {
  return typeof value === 'boolean' ? !value : NOT_DEFINED;
}

/** `x[key]` and `x.key`. */
export function itemAt(value: Value, key: Value): Result {
  if (value instanceof Fields) return typeof key === 'string' ? value.get(key) : NOT_DEFINED;
  if (Array.isArray(value)) {
    const index = typeof key === 'bigint' ? Number(key) : -1;
    return (value as readonly Value[])[index] ?? nullOrMissing(value as readonly Value[], index);
  }
  if (!isMap(value)) return hasNoFields(value);
  return ownField(value, key) ?? missing(key, value);
}

function nullOrMissing(list: readonly Value[], index: number): Result {
  return index >= 0 && index < list.length ? null : new Undecided('a list has no item at this place');
}

const missing = (key: Value, map: Value): Result =>
  ownField(map, key) === null
    ? null
    : new Undecided(`there is no field ${typeof key === 'string' ? key.slice(0, 40) : 'of this name'}`);

/** A body that is not there is null, and so is the operation of a request that nothing describes. */
const NULL_HAS_NONE = new Undecided('what it reads is not there: null has no fields');

export const hasNoFields = (value: Value): Undecided =>
  value === null ? NULL_HAS_NONE : new Undecided(`${describeType(value)} has no fields`);

/** For people. */
export const describeType = (value: Value): string =>
  value === null ? 'null' : `a value of type ${typeOf(value).name}`;

const TYPES: Partial<Record<string, string>> = { boolean: 'bool', bigint: 'int', number: 'double', string: 'string' };

export function typeOf(value: Value): TypeName {
  const other = value === null ? 'null_type' : Array.isArray(value) ? 'list' : 'map';
  return TypeName.all.get(TYPES[typeof value] ?? other)!;
}

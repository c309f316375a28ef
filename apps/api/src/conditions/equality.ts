import { mayBeField } from '../request-reading/folded-name.js';
import { Duration, isMap, isNumber, OUT_OF_STEPS, textSteps, Undecided, type Steps, type Value } from './values.js';

/** Numbers are compared by value. Values of different types are different, unless some servers convert one to the other. */
export function isEqual(one: Value, other: Value, steps: Steps): boolean | Undecided {
  // With the comparison of its items, a list or a map takes as long as two other operations for each.
  if (!steps.take(2)) return OUT_OF_STEPS;
  if (isNumber(one) && isNumber(other)) return one == other;
  if (typeof one === 'string' && typeof other === 'string') {
    return steps.take(one.length === other.length ? textSteps(one.length) : 1) ? one === other : OUT_OF_STEPS;
  }
  if (Array.isArray(one) && Array.isArray(other)) return areEqualLists(one, other, steps);
  if (isMap(one) && isMap(other)) return areEqualMaps(one, other, steps);
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (one instanceof Duration && other instanceof Duration) return one.ms === other.ms;
  if (one === other) return true;
  if (!mayConvert(one, other) && !mayConvert(other, one)) return false;
  return isTextAndNumber(one, other) ? TEXT_AND_NUMBER : CONVERTED;
}

export const isTextAndNumber = (one: Value, other: Value): boolean =>
  (typeof one === 'string' && isNumber(other)) || (isNumber(one) && typeof other === 'string');

/** It says what to write, because the fields of forms meet it most often. */
export const TEXT_AND_NUMBER = new Undecided(
  'a text can’t be compared with a number (values of forms are texts: compare double(…) of the field)',
);

const CONVERTED = new Undecided('some servers convert a value of this type, so nobody knows whether it is equal');

/**
 * Whether some servers take a value for another one of another type: `["admin"]` for `"admin"`, `{"0": "a"}` for `["a"]`,
 * `"5"` for 5, 1 for true.
 */
function mayConvert(one: Value, other: Value): boolean {
  if (Array.isArray(one)) return isMap(other) || isScalar(other);
  if (isMap(one)) return isScalar(other);
  if (typeof one === 'string') {
    const text = one.slice(0, TEXT_READ_MAX).trim();
    if (typeof other === 'boolean') return /^(?:true|t|yes|y|on|1|false|f|no|n|off|0|)$/i.test(text);
    return isNumber(other) && numbersIn(text).includes(Number(other));
  }
  return typeof one === 'boolean' && isNumber(other) && Number(one) === Number(other);
}

/** The longest text that is read as a number. */
const TEXT_READ_MAX = 400;
/** The numbers that servers read from a text: `0x5` is 0 or 5, and `1_000` is 1 or 1000. */
const numbersIn = (text: string): number[] => [
  Number.parseFloat(text),
  Number(text),
  Number(text.replace(/[_,]/g, '')),
];
const isScalar = (value: Value): boolean => typeof value === 'string' || typeof value === 'boolean' || isNumber(value);

function areEqualLists(one: readonly Value[], other: readonly Value[], steps: Steps): boolean | Undecided {
  if (one.length !== other.length) return false;
  for (const [index, item] of one.entries()) {
    const equal = isEqual(item, other[index], steps);
    if (equal !== true) return equal;
  }
  return true;
}

function areEqualMaps(one: Value, other: Value, steps: Steps): boolean | Undecided {
  const names = keysOf(one);
  if (!steps.take(names.length)) return OUT_OF_STEPS;
  if (names.length !== keysOf(other).length) return false;
  for (const name of names) {
    const theirs = ownField(other, name);
    // Go takes `Role` for `role`.
    if (theirs === undefined) return hasKey(other, name, steps);
    const equal = isEqual(ownField(one, name)!, theirs, steps);
    if (equal !== true) return equal;
  }
  return true;
}

export const keysOf = (map: Value): Value[] =>
  map instanceof Map ? [...(map as Map<Value, Value>).keys()] : Object.keys(map as object);

/** Undefined: the map has no such key. Keys are texts, numbers and truth values. */
export function ownField(map: Value, key: Value): Value | undefined {
  if (map instanceof Map) {
    const exact: Value = typeof key === 'number' && Number.isInteger(key) ? BigInt(key) : key;
    return (map as Map<Value, Value>).get(exact);
  }
  const object = map as Record<string, Value>;
  return typeof key === 'string' && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Whether a map has a key. Undecided if it has one that some servers take for it. */
export function hasKey(map: Value, key: Value, steps: Steps): boolean | Undecided {
  if (ownField(map, key) !== undefined) return true;
  const names = keysOf(map);
  if (!steps.take(5 * names.length)) return OUT_OF_STEPS;
  const other = names.find((name) => typeof name === 'string' && typeof key === 'string' && mayBeField(name, key));
  return other === undefined ? false : new Undecided(`some servers take ${JSON.stringify(other)} for this field`);
}

export const MAY_BE_LIST = new Undecided('some servers take a map with numbers as keys for a list');

/** PHP, Rails and others read `{"0": "a"}` as a list. @param map of the request, not of the condition */
export function mayBeList(map: Value, steps: Steps): boolean | Undecided {
  if (map instanceof Map) return false;
  const names = keysOf(map) as string[];
  return steps.take(names.length) ? names.some((name) => /^\d+$/.test(name)) : OUT_OF_STEPS;
}

export function isIn(value: Value, container: Value, steps: Steps): boolean | Undecided {
  if (isMap(container)) {
    const found = hasKey(container, value, steps);
    return found === false && mayBeList(container, steps) !== false ? MAY_BE_LIST : found;
  }
  if (!Array.isArray(container)) return new Undecided('a value of this type has no members');
  let undecided: Undecided | null = null;
  for (const item of container as readonly Value[]) {
    const equal = isEqual(value, item, steps);
    if (equal === true || equal === OUT_OF_STEPS) return equal;
    if (equal !== false) undecided ??= equal;
  }
  return undecided ?? false;
}

import { mayBeField } from '../request-reading/folded-name.js';
import { Duration, isMap, isNumber, OUT_OF_STEPS, textSteps, Undecided, type Steps, type Value } from './values.js';

/** Values of different types are different. Numbers are compared by value. */
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
  return one === other;
}

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
    if (theirs === undefined) return false;
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

export function isIn(value: Value, container: Value, steps: Steps): boolean | Undecided {
  if (isMap(container)) return hasKey(container, value, steps);
  if (!Array.isArray(container)) return new Undecided('a value of this type has no members');
  for (const item of container as readonly Value[]) {
    const equal = isEqual(value, item, steps);
    if (equal !== false) return equal;
  }
  return false;
}

import { JSON_MAX_DEPTH } from '#contracts/limits';
import type { ShortSteps } from '../platform/short-steps.js';
import { foldedName } from './folded-name.js';

/** They take about 0.2 ms. */
const VALUES_PER_STEP = 1000;
const NO_FIELDS: Readonly<Record<string, never>> = Object.freeze(Object.create(null) as Record<string, never>);

type Fields<Value> = Readonly<Record<string, Value>>;

/**
 * The objects of a body: the body itself, or the items of its lists. Each has only those of its fields that have one of
 * the names, and has them under this name: some readers, such as Go's, take `Query` for `query`. A body can have tens of
 * thousands of other fields.
 */
export function* objectsIn<Value>(body: Value, names: ReadonlySet<string>): ShortSteps<Fields<Value>[]> {
  const objects: Fields<Value>[] = [];
  // Some servers take batches in batches.
  const open: Iterator<Value>[] = [[body].values()];
  for (let count = 1; open.length > 0; count++) {
    if (count % VALUES_PER_STEP === 0) yield;
    const next = open.at(-1)!.next();
    if (next.done) {
      open.pop();
      continue;
    }
    const { value } = next;
    if (Array.isArray(value)) {
      if (open.length <= JSON_MAX_DEPTH) open.push((value as Value[]).values());
    } else if (typeof value === 'object' && value !== null) {
      let fields: Record<string, Value> | null = null;
      for (const name in value) {
        if (++count % VALUES_PER_STEP === 0) yield;
        const folded = foldedName(name);
        if (names.has(folded)) (fields ??= Object.create(null) as Record<string, Value>)[folded] = value[name] as Value;
      }
      objects.push(fields ?? NO_FIELDS);
    }
  }
  return objects;
}

/** The fields of one object. Undefined: it is none. */
export function* fieldsOf<Value>(value: Value, names: ReadonlySet<string>): ShortSteps<Fields<Value> | undefined> {
  return Array.isArray(value) ? undefined : (yield* objectsIn(value, names))[0];
}

import { ApiError } from '../platform/errors.js';

export interface Named {
  name: string;
}

/**
 * Finds things by name.
 * @throws ApiError 409 if two have one name: then a file can't say which one it means
 */
export function byName<T extends Named>(things: readonly T[], what: string): Map<string, T> {
  const found = new Map<string, T>();
  for (const thing of things) {
    if (found.has(thing.name)) throw new ApiError(409, `Two ${what} are called "${thing.name}": rename one of them`);
    found.set(thing.name, thing);
  }
  return found;
}

/** The places of names that occur a second time. */
export function repeated(things: readonly Named[], path: string): string[] {
  const seen = new Set<string>();
  return things.flatMap(({ name }, index) =>
    seen.size < seen.add(name).size ? [] : [`${path}.${index}.name: "${name}" is used twice`],
  );
}

/** Sorts in the same order on every machine. */
export const sortedByName = <T extends Named>(things: readonly T[]): T[] =>
  [...things].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

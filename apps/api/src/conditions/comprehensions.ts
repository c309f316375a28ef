import { Undecided, type Value } from './values.js';

type Result = Value | Undecided;

/** The result of a condition or of a part of it that must be true or false. */
export const NO_BOOL = new Undecided('a part of the condition is neither true nor false');

/** A function of lists and maps that looks at each item. */
export interface Comprehension {
  /** How the result of one item changes that of all. Undefined: the next item. */
  step: (result: Result, item: Value, found: State) => Result | undefined;
  end: (found: State) => Result;
}

export interface State {
  /** The first one. */
  undecided: Undecided | null;
  count: number;
  items: Value[];
}

export const bool = (result: Result): boolean | Undecided =>
  typeof result === 'boolean' || result instanceof Undecided ? result : NO_BOOL;

const quantifier = (decisive: boolean): Comprehension => ({
  step(result, _item, found) {
    const value = bool(result);
    if (value === decisive) return decisive;
    if (value instanceof Undecided) found.undecided ??= value;
    return undefined;
  },
  end: ({ undecided }) => undecided ?? !decisive,
});

const collector = (keep: (result: Value, item: Value) => Value | Undecided | undefined): Comprehension => ({
  step(result, item, { items }) {
    const kept = result instanceof Undecided ? result : keep(result, item);
    if (kept instanceof Undecided) return kept;
    if (kept !== undefined) items.push(kept);
    return undefined;
  },
  end: ({ items }) => items,
});

export const COMPREHENSIONS: Partial<Record<string, Comprehension>> = {
  all: quantifier(false),
  exists: quantifier(true),
  exists_one: {
    step(result, _item, found) {
      const value = bool(result);
      if (value instanceof Undecided) return value;
      if (value) found.count++;
      return undefined;
    },
    end: ({ count }) => count === 1,
  },
  map: collector((result) => result),
  filter: collector((result, item) => (typeof result === 'boolean' ? (result ? item : undefined) : NO_BOOL)),
};

export const isComprehension = (name: string): boolean => Object.hasOwn(COMPREHENSIONS, name);

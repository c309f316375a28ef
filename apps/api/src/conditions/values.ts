import type { JsonObject } from '../request-reading/request-content.js';

/**
 * Why a part of a condition has no value: an error of CEL. It is a value and not an exception, because `exists` may meet
 * thousands of them.
 */
export class Undecided {
  constructor(readonly why: string) {}
}

/** The value of `type(x)`. */
export class TypeName {
  private constructor(readonly name: string) {}
  static readonly all = new Map(
    ['null_type', 'bool', 'int', 'double', 'string', 'list', 'map'].map((name) => [name, new TypeName(name)]),
  );
}

export class Duration {
  constructor(readonly ms: number) {}
}

/** Named fields that are read when a condition asks for them. */
export class Fields {
  private readonly known = new Map<string, Value | Undecided>();

  constructor(private readonly readers: Record<string, () => Value | Undecided>) {}

  get(name: string): Value | Undecided {
    let value = this.known.get(name);
    if (value === undefined) this.known.set(name, (value = this.read(name)));
    return value;
  }

  private read(name: string): Value | Undecided {
    return Object.hasOwn(this.readers, name) ? this.readers[name]() : new Undecided(`there is no field ${name}`);
  }
}

export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | Duration
  | TypeName
  | Fields
  | readonly Value[]
  | JsonObject
  | ValueMap;

/** A map that a condition makes. */
export type ValueMap = ReadonlyMap<Value, Value>;

export const isMap = (value: unknown): value is JsonObject | ValueMap =>
  typeof value === 'object' && value !== null && (value instanceof Map || Object.getPrototypeOf(value) === null);

export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

/**
 * The work that the conditions of one request may take together. One step takes about 60 ns at most (`benchmarks/conditions.mjs`).
 */
export const STEPS_MAX = 300_000;

export class Steps {
  constructor(private left = STEPS_MAX) {}

  /** @returns false if they are used up, now or before */
  take(steps: number): boolean {
    if (this.left >= 0) this.left -= Math.ceil(steps);
    return this.left >= 0;
  }

  get areUsedUp(): boolean {
    return this.left < 0;
  }
}

export const OUT_OF_STEPS = new Undecided('it takes too many steps');

/** The steps for a look at each character of a text. */
export const textSteps = (length: number): number => 1 + length / 64;
/** The steps for a new text or list of this length. */
export const copySteps = (length: number): number => 1 + length / 8;

import type { Action } from '#contracts';
import { bodyField } from '../../lib/condition.js';

/** A field that a body can have. `kind` null: only the API's description names it. */
export interface KnownField {
  name: string;
  kind: 'number' | 'text' | 'truth' | null;
  /** A form has it, whose values are texts. */
  isForm: boolean;
}

const DEPTH_MAX = 3;
const FIELDS_MAX = 50;

/** The fields of the bodies, for the suggestions of the rule editor. Bodies that can't be read have none. */
export function knownFields(actions: readonly Pick<Action, 'body' | 'bodyEncoding'>[]): KnownField[] {
  const found = new Map<string, KnownField>();
  for (const { body, bodyEncoding } of actions) {
    if (body === null || bodyEncoding !== undefined) continue;
    for (const field of fieldsOf(body)) {
      const first = found.get(field.name) ?? field;
      found.set(field.name, { ...first, isForm: first.isForm || field.isForm });
    }
  }
  return [...found.values()].slice(0, FIELDS_MAX);
}

/** Names of numbers that people limit come first. */
const AMOUNT = /amount|total|price|cost|value|sum|quantity/i;

/** The numbers of the bodies in CEL, for the suggestions of what a limit sums. */
export function knownSums(actions: readonly Pick<Action, 'body' | 'bodyEncoding'>[]): string[] {
  const numbers = knownFields(actions).filter(({ kind }) => kind === 'number');
  const [amounts, others] = [true, false].map((isAmount) =>
    numbers.filter(({ name }) => AMOUNT.test(name) === isAmount),
  );
  return [...amounts!, ...others!].map(({ name, isForm }) => (isForm ? `double(${bodyField(name)})` : bodyField(name)));
}

function fieldsOf(body: string): KnownField[] {
  if (/^\s*\{/.test(body)) {
    try {
      return fieldsIn(JSON.parse(body) as object, '', 1);
    } catch {
      return [];
    }
  }
  return /^[\w.%+-]+=/.test(body)
    ? [...new URLSearchParams(body)].flatMap(([name, value]) =>
        named(name, { kind: isNumber(value) ? 'number' : 'text', isForm: true }),
      )
    : [];
}

function fieldsIn(value: object, prefix: string, depth: number): KnownField[] {
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
    if (key === '' || key.includes('.')) return [];
    const name = prefix + key;
    if (typeof each === 'number') return named(name, { kind: 'number', isForm: false });
    if (typeof each === 'string') return named(name, { kind: 'text', isForm: false });
    if (typeof each === 'boolean') return named(name, { kind: 'truth', isForm: false });
    const isObject = typeof each === 'object' && each !== null && !Array.isArray(each);
    return isObject && depth < DEPTH_MAX ? fieldsIn(each, `${name}.`, depth + 1) : [];
  });
}

const isNumber = (value: string): boolean => /^-?\d+(\.\d+)?$/.test(value);
const named = (name: string, kind: Omit<KnownField, 'name'>): KnownField[] =>
  name.length <= 100 ? [{ name, ...kind }] : [];

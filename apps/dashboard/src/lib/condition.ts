import type { Effect } from '#contracts/effects';

/**
 * The simple conditions of rules: parts of which all must hold. The rule editor shows them as fields, and everything
 * else as CEL. What `readCondition` reads has the same meaning after `toCel`.
 */
export interface ConditionPart {
  on: ConditionSubject;
  /** The name of a query parameter, or the names on the way to a field of the body, separated by dots. */
  field: string;
  is: ConditionTest;
  value: string;
  /** The field is a text that has a number, as in forms. */
  isForm: boolean;
  effects: readonly Effect[];
}

export type ConditionSubject = 'body' | 'query' | 'effects' | 'firstTime' | 'mutation';
export const NUMBER_TESTS = ['==', '!=', '>', '>=', '<', '<='] as const;
export const TEXT_TESTS = ['is', 'isNot', 'oneOf', 'contains', 'begins'] as const;
export const OTHER_TESTS = ['true', 'false', 'present', 'absent'] as const;
export const QUERY_TESTS = ['is', 'present', 'absent'] as const;
export const EFFECT_TESTS = ['any', 'only'] as const;
type NumberTest = (typeof NUMBER_TESTS)[number];
export type ConditionTest =
  NumberTest | (typeof TEXT_TESTS)[number] | (typeof OTHER_TESTS)[number] | (typeof EFFECT_TESTS)[number];

export const EMPTY_PART: ConditionPart = { on: 'body', field: '', is: '>', value: '', isForm: false, effects: [] };

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const IDENTIFIER = /^[A-Za-z_]\w*$/;
/** Words that CEL does not allow as names. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

export const isNumberTest = (test: ConditionTest): test is NumberTest => NUMBER_TESTS.includes(test as NumberTest);
export const hasValue = ({ on, is }: ConditionPart): boolean =>
  (on === 'body' || on === 'query') && (OTHER_TESTS as readonly string[]).includes(is) === false;

/** The texts of `oneOf`. */
export const listed = (value: string): string[] =>
  value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

/** Whether a part says enough to become CEL. */
export function isComplete(part: ConditionPart): boolean {
  if (part.on === 'effects') return part.effects.length > 0;
  if (part.on !== 'body' && part.on !== 'query') return true;
  if (part.field.split('.').some((name) => name === '')) return false;
  if (!hasValue(part)) return true;
  if (isNumberTest(part.is)) return NUMBER.test(part.value.trim());
  return part.is === 'oneOf' ? listed(part.value).length > 0 : part.value !== '';
}

const text = (value: string): string => JSON.stringify(value);
const isName = (name: string): boolean => IDENTIFIER.test(name) && !RESERVED.has(name);
const path = (base: string, names: readonly string[]): string =>
  base + names.map((name) => (isName(name) ? `.${name}` : `[${text(name)}]`)).join('');

/** A field of the body in CEL. @param names those on the way to it, separated by dots */
export const bodyField = (names: string): string => path('request.body', names.split('.'));

/** CEL does not compare the result of `double()` with a whole number. */
const decimal = (number: string): string => (number.includes('.') ? number : `${number}.0`);

/** `has()` takes names that CEL can write after a dot, `in` takes every name. */
function presence(base: string, names: readonly string[], isThere: boolean): string {
  if (names.every(isName)) return `${isThere ? '' : '!'}has(${path(base, names)})`;
  const found = `${text(names.at(-1)!)} in ${path(base, names.slice(0, -1))}`;
  return isThere ? found : `!(${found})`;
}

/** Complete parts as a condition in CEL. */
export const toCel = (parts: readonly ConditionPart[]): string => parts.map(partToCel).join(' && ');

function partToCel({ on, field, is, value, isForm, effects }: ConditionPart): string {
  if (on === 'firstTime') return 'firstTime';
  if (on === 'mutation') return 'graphql != null && graphql.type == "mutation"';
  if (on === 'effects') {
    if (is !== 'only' && effects.length === 1) return `${text(effects[0]!)} in effects`;
    return `effects.${is === 'only' ? 'all' : 'exists'}(e, e in [${effects.map(text).join(', ')}])`;
  }
  const names = on === 'query' ? [field] : field.split('.');
  const base = `request.${on}`;
  const at = path(base, names);
  if (is === 'present' || is === 'absent') return presence(base, names, is === 'present');
  if (on === 'query') return `${presence(base, names, true)} && ${text(value)} in ${at}`;
  if (isNumberTest(is)) return isForm ? `double(${at}) ${is} ${decimal(value.trim())}` : `${at} ${is} ${value.trim()}`;
  if (is === 'oneOf') return `${at} in [${listed(value).map(text).join(', ')}]`;
  if (is === 'contains') return `${at}.contains(${text(value)})`;
  if (is === 'begins') return `${at}.startsWith(${text(value)})`;
  if (is === 'true' || is === 'false') return `${at} == ${is}`;
  return `${at} ${is === 'is' ? '==' : '!='} ${text(value)}`;
}

import { number } from '../../lib/format.js';
import { readValueLimits, type Literal, type ValueLimit } from '../../lib/value-limits.js';
import { valueMessages } from './value-messages.js';

/**
 * A condition that limits a rule to the values of one request, in words, one for each limit: "amount is above 0 and up to 50".
 * Fields that may have any value are named too. Null: it is no such condition.
 */
export function valueWords(condition: string): string[] | null {
  const limits = readValueLimits(condition);
  if (limits === null) return null;
  const fixed = limits.filter(({ is }) => is === 'equals');
  // What is equal to one identifier has the form of one.
  const told = limits.filter(({ is, ...at }) => is !== 'identifier' || !fixed.some((other) => isAt(other, at)));
  const values = told.filter(({ on, is }) => isContent(on) && is !== 'only' && is !== 'none' && is !== 'empty');
  return [...values.map(words), ...anyValues(limits), ...told.filter((limit) => !values.includes(limit)).map(words)];
}

const isContent = (on: ValueLimit['on']): boolean => on === 'body' || on === 'query';
const isAt = (one: ValueLimit, other: Pick<ValueLimit, 'on' | 'field'>): boolean =>
  one.on === other.on && one.field === other.field;

/** Fields that may be there, and of which nothing else is said. */
function anyValues(limits: readonly ValueLimit[]): string[] {
  const said = (limit: ValueLimit, field: string): boolean =>
    limits.some((other) => other.on === limit.on && (other.field === field || other.field.startsWith(`${field}.`)));
  return limits
    .filter(({ on, is }) => isContent(on) && is === 'only')
    .flatMap((limit) => limit.values.map((name) => [limit, below(limit.field, String(name))] as const))
    .filter(([limit, field]) => !said(limit, field))
    .map(([{ on }, field]) => valueMessages.any(named({ on, field })));
}

const below = (field: string, name: string): string => (field === '' ? name : `${field}.${name}`);
const named = ({ on, field }: Pick<ValueLimit, 'on' | 'field'>): string => {
  if (on === 'contentType') return valueMessages.contentType;
  if (on === 'header') return valueMessages.header(field);
  return on === 'query' && field !== '' ? valueMessages.parameter(field) : field;
};

/** A browser's request has twenty headers. */
const NAMED_HEADERS = 3;
function headerWords(names: readonly string[]): string {
  if (names.length === 0) return valueMessages.noHeaders;
  const named = names.length === NAMED_HEADERS + 1 ? names : names.slice(0, NAMED_HEADERS);
  return valueMessages.headers(named, names.length - named.length);
}

function words(limit: ValueLimit): string {
  const { on, field, is, values } = limit;
  if (on === 'header' && is === 'only') return headerWords(values.map(literal));
  const place = on === 'query' ? 'query' : 'body';
  if (is === 'none') return valueMessages.none[place];
  if (is === 'empty') return valueMessages.empty(field === '' ? valueMessages.whole[place] : named(limit));
  if (is === 'only') return field === '' ? valueMessages.only[place] : valueMessages.onlyIn(named(limit));
  if (is === 'identifier') return valueMessages.identifier(named(limit));
  if (is === 'upTo' || is === 'positiveUpTo') return valueMessages[is](named(limit), literal(values[0]!));
  if (is === 'count') return valueMessages.count(named(limit), Number(values[0]));
  const said = values.map(literal).join(', ');
  return is === 'among' ? valueMessages.among(named(limit), said) : valueMessages.equals(named(limit), said);
}

/** A text that could be read as something else stands between quotes. */
function literal(value: Literal): string {
  if (typeof value === 'number') return number(value);
  return typeof value === 'string' && !/^[\w.@+-]*[a-z][\w.@+-]*$/i.test(value) ? `“${value}”` : String(value);
}

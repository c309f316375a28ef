import { ONE_IDENTIFIER } from '#contracts/limits';
import { Tokens } from './condition-tokens.js';

/**
 * Conditions that limit a rule to the values of one request, as the gateway writes them for "allow similar"
 * (docs/reference/rules.md#exceptions). Every other condition is left to other readers.
 */
export interface ValueLimit {
  on: 'body' | 'query' | 'header' | 'contentType';
  /** The names on the way to a field, separated by dots. Empty: the whole body or query, or all headers. */
  field: string;
  /**
   * `none`: there is no body or query. `empty`: it has no field. `among` and `count` are about the items of a list.
   * `identifier`: it has the form of one identifier. `upTo` begins with 0, `positiveUpTo` above it.
   */
  is: 'none' | 'empty' | 'only' | 'upTo' | 'positiveUpTo' | 'equals' | 'among' | 'count' | 'identifier';
  /** Names for `only`, else literals. */
  values: readonly Literal[];
}

export type Literal = string | number | boolean | null;

/** Null: it is not such a condition. */
export function readValueLimits(condition: string): ValueLimit[] | null {
  const tokens = Tokens.of(condition);
  if (tokens === null || tokens.isAtEnd) return null;
  const limits: ValueLimit[] = [];
  do {
    const limit = tokens.attempt(() => readSize(tokens)) ?? tokens.attempt(() => readHead(tokens)) ?? readTyped(tokens);
    if (limit === null) return null;
    limits.push(limit);
  } while (tokens.take('&&'));
  return tokens.isAtEnd ? limits : null;
}

/** `request.contentType == "text/csv"`, `request.headers.all(k, k in ["accept"])`, `request.headers.prefer == "wait"` */
function readHead(tokens: Tokens): ValueLimit | null {
  if (!tokens.take('request', '.')) return null;
  if (tokens.take('contentType', '==')) return equals({ on: 'contentType', field: '' }, tokens.text());
  if (!tokens.take('headers')) return null;
  const names = tokens.names();
  if (names.at(-1) === 'all' && tokens.take('(')) return readAll(tokens, { on: 'header', names: names.slice(0, -1) });
  return tokens.take('==') ? equals({ on: 'header', field: names.join('.') }, tokens.text()) : null;
}

const equals = (place: Place, text: string | null): ValueLimit | null =>
  text === null ? null : { ...place, is: 'equals', values: [text] };

/** A limit behind the type that it needs: `type(request.body.tags) == list && size(request.body.tags) <= 2` */
function readTyped(tokens: Tokens): ValueLimit | null {
  const of = tokens.attempt(() => readType(tokens));
  if (of?.type !== 'int') return tokens.attempt(() => readSize(tokens)) ?? readLimit(tokens);
  const isPositive = isAt(readPlace(tokens)?.place, of.place) && tokens.take('>') && tokens.number() === '0';
  return isPositive ? { ...of.place, is: 'identifier', values: [] } : null;
}

function readType(tokens: Tokens): { type: string; place: Place } | null {
  const place = tokens.take('type', '(') ? readPlace(tokens)?.place : undefined;
  if (place === undefined || !tokens.take(')', '==')) return null;
  const type = ['map', 'list', 'int'].find((each) => tokens.take(each));
  return type !== undefined && tokens.take('&&') ? { type, place } : null;
}

const isAt = (one: Place | undefined, other: Place): boolean => one?.on === other.on && one.field === other.field;

type Place = Pick<ValueLimit, 'on' | 'field'>;

function readPlace(tokens: Tokens): { place: Place; names: string[] } | null {
  if (!tokens.take('request', '.')) return null;
  const on = tokens.take('body') ? 'body' : tokens.take('query') ? 'query' : null;
  if (on === null) return null;
  const names = tokens.names();
  return { place: { on, field: names.join('.') }, names };
}

/** `size(request.query) == 0`, `size(request.body.tags) <= 2` */
function readSize(tokens: Tokens): ValueLimit | null {
  if (!tokens.take('size', '(')) return null;
  const place = readPlace(tokens)?.place;
  if (place === undefined || !tokens.take(')')) return null;
  const is = tokens.take('==') ? 'empty' : tokens.take('<=') ? 'count' : null;
  const count = is === null ? null : tokens.number();
  if (is === null || count === null || (is === 'empty' && count !== '0')) return null;
  if (is === 'count') return { ...place, is, values: [Number(count)] };
  return { ...place, is: place.on === 'query' ? 'none' : 'empty', values: [] };
}

function readLimit(tokens: Tokens): ValueLimit | null {
  const found = readPlace(tokens);
  if (found === null) return null;
  const { place, names } = found;
  if (names.at(-1) === 'all' && tokens.take('(')) return readAll(tokens, { ...place, names: names.slice(0, -1) });
  if (names.at(-1) === 'matches' && tokens.take('(')) {
    const isWhole = tokens.text() === ONE_IDENTIFIER && tokens.take(')');
    return isWhole ? { ...place, field: names.slice(0, -1).join('.'), is: 'identifier', values: [] } : null;
  }
  const is = tokens.take('>=') ? 'upTo' : tokens.take('>') ? 'positiveUpTo' : null;
  if (is !== null) return tokens.number() === '0' ? readUpTo(tokens, place, is) : null;
  if (!tokens.take('==')) return null;
  const list = tokens.attempt(() => readList(tokens));
  if (list !== null) return { ...place, is: 'equals', values: list };
  const value = readLiteral(tokens);
  if (value === undefined) return null;
  return place.field === '' ? { ...place, is: 'none', values: [] } : { ...place, is: 'equals', values: [value] };
}

/** `.all(k, k in ["a"])` is about the names of fields, `.all(x, x in [1])` about the items of a list. */
function readAll(tokens: Tokens, { on, names }: { on: Place['on']; names: readonly string[] }): ValueLimit | null {
  const is = tokens.take('k', ',', 'k', 'in') ? 'only' : tokens.take('x', ',', 'x', 'in') ? 'among' : null;
  const values = is === null ? null : readList(tokens);
  return is !== null && values !== null && tokens.take(')') ? { on, field: names.join('.'), is, values } : null;
}

/** The rest of `request.body.amount > 0 && request.body.amount <= 50`. */
function readUpTo(tokens: Tokens, place: Place, is: 'upTo' | 'positiveUpTo'): ValueLimit | null {
  if (!tokens.take('&&')) return null;
  const other = readPlace(tokens)?.place;
  const most = isAt(other, place) && tokens.take('<=') ? tokens.number() : null;
  return most === null ? null : { ...place, is, values: [Number(most)] };
}

function readList(tokens: Tokens): Literal[] | null {
  const values: Literal[] = [];
  if (!tokens.take('[')) return null;
  if (tokens.take(']')) return values;
  do {
    const value = readLiteral(tokens);
    if (value === undefined) return null;
    values.push(value);
  } while (tokens.take(','));
  return tokens.take(']') ? values : null;
}

function readLiteral(tokens: Tokens): Literal | undefined {
  const text = tokens.text();
  if (text !== null) return text;
  const number = tokens.number();
  if (number !== null) return Number(number);
  if (tokens.take('null')) return null;
  return tokens.take('true') ? true : tokens.take('false') ? false : undefined;
}

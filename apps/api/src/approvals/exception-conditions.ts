import type { ExceptionCondition, UnlimitedValues } from '#contracts';
import { CONDITION_MAX, ONE_IDENTIFIER } from '#contracts/limits';
import { tableOf, wordsOf } from '../effects/names.js';
import { OWNERS } from './similar-paths.js';

/**
 * What limits an exception to the values of the request that it is made from, in CEL. Amounts and quantities may be
 * smaller, all else is as it was, and there is nothing else. Whoever makes the exception may leave out conditions about
 * identifiers. Each value keeps its type: `all` also reads the keys of a map, which some servers take for a list.
 */

/** Deeper bodies, and more fields, make conditions that nobody reads. */
const DEPTH_MAX = 3;
const FIELDS_MAX = 30;
/** The values of a longer body do not fit into a condition. Escapes and blanks make a body longer than its values. */
const BODY_MAX_CHARS = 10 * CONDITION_MAX;

interface Given {
  targetUrl: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

/** The conditions so far, and why there can be none. */
class Found {
  readonly conditions: ExceptionCondition[] = [];
  fault: UnlimitedValues | null = null;

  /** @returns false if there are too many */
  add(text: string, mayVary = false): boolean {
    this.conditions.push({ text, mayVary });
    return this.conditions.length <= FIELDS_MAX || this.fail('too_much');
  }

  /** The first reason is kept, because nothing is read after it. */
  fail(fault: UnlimitedValues): false {
    this.fault ??= fault;
    return false;
  }
}

/** @returns why there are none, if the request has values that these conditions can't limit */
export function exceptionConditions({ targetUrl, headers, body }: Given): ExceptionCondition[] | UnlimitedValues {
  const found = new Found();
  const isLimited =
    ofQuery(new URL(targetUrl).searchParams, found) && ofBody(headers, body, found) && ofHeaders(headers, found);
  return isLimited ? found.conditions : (found.fault ?? 'value');
}

function ofQuery(query: URLSearchParams, found: Found): boolean {
  const names = [...new Set(query.keys())];
  if (names.length === 0) return found.add('size(request.query) == 0');
  if (!found.add(onlyKeys('request.query', names))) return false;
  return names.every((name) => {
    const values = query.getAll(name);
    if (!values.every(isPlain)) return found.fail('value');
    return found.add(`${member('request.query', name)} == ${literal(values)}`);
  });
}

function ofBody(headers: Given['headers'], body: string | null, found: Found): boolean {
  if (body === null || body === '') return found.add('request.body == null');
  if (body.length > BODY_MAX_CHARS) return found.fail('too_much');
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const [media] = type.toLowerCase().split(';');
  const essence = media.trim();
  if (!found.add(`request.contentType == ${literal(essence)}`)) return false;
  if (essence === 'application/x-www-form-urlencoded') return ofForm(new URLSearchParams(body), found);
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(essence)) return found.fail('content_type');
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? ofObject('request.body', '', value, 1, found) : found.fail('no_object');
  } catch {
    return found.fail('unreadable');
  }
}

/** Headers that clients add, and that change nothing of what a request does. */
const USUAL_HEADERS = [
  ...['accept', 'accept-encoding', 'accept-language', 'content-type', 'idempotency-key', 'traceparent', 'tracestate'],
  ...['user-agent', 'x-request-id'],
];
/** A rule shows its condition to everyone, so no secret may stand in it. */
const SECRET_HEADER = /auth|cookie|credential|key|password|secret|session|signature|token/;

/** Others may name another account or do more: `Stripe-Account`, `Prefer`. */
function ofHeaders(headers: Given['headers'], found: Found): boolean {
  const others = Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => !USUAL_HEADERS.includes(name));
  const names = others.map(([name]) => name);
  if (new Set(names).size < names.length || names.some((name) => SECRET_HEADER.test(name))) {
    return found.fail('header');
  }
  if (!found.add(onlyKeys('request.headers', [...USUAL_HEADERS, ...names]))) return false;
  return others.every(([name, value]) => found.add(`${member('request.headers', name)} == ${literal(value)}`));
}

/** The fields of a form are texts. A repeated one can't be read. */
function ofForm(form: URLSearchParams, found: Found): boolean {
  const fields = [...form];
  const isOnce = new Set(form.keys()).size === fields.length;
  return isOnce ? ofObject('request.body', '', Object.fromEntries(fields), 1, found) : found.fail('unreadable');
}

/** @param name of the object; empty: it is the body */
function ofObject(at: string, name: string, object: object, depth: number, found: Found): boolean {
  if (depth > DEPTH_MAX) return found.fail('nested');
  const fields = Object.entries(object);
  if (!found.add(`type(${at}) == map && ${onlyKeys(at, Object.keys(object))}`)) return false;
  return fields.every(([own, value]) => {
    // `{"amount": {"value": 50, "currency": "EUR"}}`
    const named = own === 'value' ? name : own;
    return ofValue(member(at, own), named, value, depth, found);
  });
}

function ofValue(at: string, name: string, value: unknown, depth: number, found: Found): boolean {
  if (isObject(value)) return ofObject(at, name, value, depth + 1, found);
  if (Array.isArray(value)) {
    if (!value.every(isPlain)) return found.fail(value.some(isContainer) ? 'nested' : 'value');
    const size = `type(${at}) == list && size(${at}) <= ${value.length}`;
    return found.add(size) && found.add(`${at}.all(x, x in ${literal(value)})`);
  }
  if (!isPlain(value)) return found.fail('value');
  if (typeof value === 'number' && value > 0 && isQuantity(name)) {
    // 0 often means: no limit.
    return found.add(`${at} > 0 && ${at} <= ${value}`);
  }
  const form = isIdentifier(name) ? formOfIdentifier(at, value) : null;
  if (form !== null && !found.add(form)) return false;
  return found.add(`${at} == ${literal(value)}`, form !== null);
}

const QUANTITIES = tableOf('amount sum quantity qty cents pence pennies');
/** Of these, a smaller number does not mean less: a code, a bound, a size to reach, what others pay. */
const NO_QUANTITIES = tableOf(
  'id ids code codes number no num nr index version account key type kind min minimum max maximum limit threshold target ' +
    'desired reserve reserved remaining left balance price prices discount off rate tax fee fees credit ttl timeout',
);

/** Whether a field has an amount or a quantity. A smaller number of anything else may be another thing. */
function isQuantity(name: string): boolean {
  const words = wordsOf(name);
  return words.some((word) => QUANTITIES.has(word)) && !words.some((word) => NO_QUANTITIES.has(word));
}

/** `id`, `charge_id`, `chargeId` */
const IDENTIFIER = /^(?:id|(.+)_id|(.*[a-z0-9])(?:Id|ID))$/;

/** Whether a field names a thing that may be another one. The owner of things may not. */
function isIdentifier(name: string): boolean {
  const found = IDENTIFIER.exec(name);
  const words = (found?.[1] ?? found?.[2] ?? '').split(/_|(?=[A-Z])/);
  return found !== null && !OWNERS.test(words[words.length - 1]);
}

/** What another identifier must be like. Null: there is no form that stands for one thing only. */
function formOfIdentifier(at: string, value: unknown): string | null {
  if (typeof value === 'string') {
    return new RegExp(ONE_IDENTIFIER).test(value) ? `${at}.matches(${literal(ONE_IDENTIFIER)})` : null;
  }
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? `type(${at}) == int && ${at} > 0` : null;
}

const onlyKeys = (at: string, names: readonly string[]): string =>
  names.length === 0 ? `size(${at}) == 0` : `${at}.all(k, k in ${literal(names)})`;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** A value that CEL has a literal for. Numbers that are not exact here are left out. */
const isPlain = (value: unknown): boolean =>
  value === null ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && value.isWellFormed()) ||
  (typeof value === 'number' && Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)));

const literal = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(literal).join(', ')}]` : JSON.stringify(value);

/** Words of CEL that can't stand behind a dot. */
const RESERVED =
  /^(?:true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$/;

const member = (at: string, name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) && !RESERVED.test(name) ? `${at}.${name}` : `${at}[${literal(name)}]`;

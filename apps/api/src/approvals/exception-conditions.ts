import type { ExceptionCondition } from '#contracts';
import { OWNERS } from './similar-paths.js';

/**
 * What limits an exception to the values of the request that it is made from, in CEL. Numbers may be smaller, all else is
 * as it was, and there is nothing else. Whoever makes the exception may leave out conditions about identifiers.
 */

/** Deeper bodies, and more fields, make conditions that nobody reads. */
const DEPTH_MAX = 3;
const FIELDS_MAX = 30;

interface Given {
  targetUrl: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

type Found = ExceptionCondition[];

/** @returns null if the request has values that these conditions can't limit */
export function exceptionConditions({ targetUrl, headers, body }: Given): ExceptionCondition[] | null {
  const found: Found = [];
  const isLimited = ofQuery(new URL(targetUrl).searchParams, found) && ofBody(headers, body, found);
  return isLimited && found.length <= FIELDS_MAX ? found : null;
}

function ofQuery(query: URLSearchParams, found: Found): boolean {
  const names = [...new Set(query.keys())];
  if (names.length === 0) return add(found, 'size(request.query) == 0');
  if (!add(found, onlyKeys('request.query', names))) return false;
  return names.every((name) => {
    const values = query.getAll(name);
    return values.every(isPlain) && add(found, `${member('request.query', name)} == ${literal(values)}`);
  });
}

function ofBody(headers: Given['headers'], body: string | null, found: Found): boolean {
  if (body === null || body === '') return add(found, 'request.body == null');
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const [media] = type.toLowerCase().split(';');
  if (media.trim() === 'application/x-www-form-urlencoded') return ofForm(new URLSearchParams(body), found);
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(media.trim())) return false;
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) && ofObject('request.body', value, 1, found);
  } catch {
    return false;
  }
}

/** The fields of a form are texts. A repeated one can't be read. */
function ofForm(form: URLSearchParams, found: Found): boolean {
  const fields = [...form];
  const isOnce = new Set(form.keys()).size === fields.length;
  return isOnce && ofObject('request.body', Object.fromEntries(fields), 1, found);
}

function ofObject(at: string, object: object, depth: number, found: Found): boolean {
  if (depth > DEPTH_MAX) return false;
  const fields = Object.entries(object);
  if (!add(found, onlyKeys(at, Object.keys(object)))) return false;
  return fields.every(([name, value]) => ofValue(member(at, name), name, value, depth, found));
}

function ofValue(at: string, name: string, value: unknown, depth: number, found: Found): boolean {
  if (isObject(value)) return ofObject(at, value, depth + 1, found);
  if (Array.isArray(value)) {
    if (!value.every(isPlain)) return false;
    return add(found, `size(${at}) <= ${value.length}`) && add(found, `${at}.all(x, x in ${literal(value)})`);
  }
  if (!isPlain(value)) return false;
  const { isId, isOwner } = identifier(name);
  // A smaller number of a thing is another thing.
  if (typeof value === 'number' && value > 0 && !isId) return add(found, `${at} >= 0 && ${at} <= ${value}`);
  return add(found, `${at} == ${literal(value)}`, isId && !isOwner);
}

/** `id`, `charge_id`, `chargeId` */
const IDENTIFIER = /^(?:id|(.+)_id|(.*[a-z0-9])(?:Id|ID))$/;

function identifier(name: string): { isId: boolean; isOwner: boolean } {
  const found = IDENTIFIER.exec(name);
  const thing = found?.[1] ?? found?.[2] ?? '';
  const words = thing.split(/_|(?=[A-Z])/);
  return { isId: found !== null, isOwner: OWNERS.test(words[words.length - 1]) };
}

function add(found: Found, text: string, mayVary = false): boolean {
  found.push({ text, mayVary });
  return found.length <= FIELDS_MAX;
}

const onlyKeys = (at: string, names: readonly string[]): string =>
  names.length === 0 ? `size(${at}) == 0` : `${at}.all(k, k in ${literal(names)})`;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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

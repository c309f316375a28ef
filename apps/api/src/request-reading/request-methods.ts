import { HTTP_METHODS, METHOD_RISK, type HttpMethod } from '#contracts/states';
import { hasOtherLetters, isReadOtherwise } from '../egress/charsets.js';
import { latin1Decoded } from '../platform/percent-decoding.mjs';
import { parseBounded } from '../platform/http/bounded-json.js';
import { METHOD_NAMES, methodsInParts } from './methods-in-parts.js';

/** The parts of a request that can state a method. */
export interface MethodStatement {
  method: HttpMethod;
  targetUrl: string;
  headers: Record<string, string>;
  body: string | null;
  /** The body with its content coding. */
  rawBody?: string | null;
  /** The size of a binary body, of which `body` has each byte as one character. Left out or null: it is text. */
  binaryBytes?: number | null;
}

/** Several parts of the gateway ask about one request. Reading 10 MB for each would take long. */
const known = new WeakMap<MethodStatement, readonly HttpMethod[]>();

/**
 * The method of a request, and those that `_method` in its query or body asks the upstream to use instead, the most
 * dangerous first. Rails, Laravel, Symfony, Express and others obey this field.
 * See docs/reference/risk.md#rule-methods.
 * @param request must not change afterwards, because it is read once
 */
export function requestMethods(request: MethodStatement): readonly HttpMethod[] {
  const methods = known.get(request) ?? readMethods(request);
  known.set(request, methods);
  return methods;
}

function readMethods({ method, targetUrl, headers, body, rawBody }: MethodStatement): HttpMethod[] {
  const methods = new Set([method]);
  const add = (text: string): void => {
    const named = text.trim().toUpperCase();
    // An unknown method (PURGE, UNLINK) may destroy anything.
    if (named !== '') methods.add(HTTP_METHODS.find((each) => each === named) ?? 'DELETE');
  };
  const query = targetUrl.indexOf('?');
  if (query !== -1) takeFirst(methodsInForm(targetUrl.slice(query + 1).split('#', 1)[0])).forEach(add);
  for (const text of [body, rawBody]) {
    if (text) statedInBody(text, contentType(headers)).forEach(add);
  }
  return methods.size === 1 ? [method] : [...methods].sort((one, other) => METHOD_RISK[other] - METHOD_RISK[one]);
}

/** The method that the risk assessment uses. */
export const judgedMethod = (request: MethodStatement): HttpMethod => requestMethods(request)[0];

/** Joins all headers of this name: upstreams differ in which one they read. In lower case. */
export const contentType = (headers: Readonly<Record<string, string>>): string => statedType(headers).toLowerCase();

/** Like `contentType`, as it was written: a boundary has letters of both cases. */
export function statedType(headers: Readonly<Record<string, string>>): string {
  const values: string[] = [];
  for (const name in headers) {
    if (name.length === 'content-type'.length && name.toLowerCase() === 'content-type') values.push(headers[name]);
  }
  return values.join(', ');
}

/** Whether a reader may take a body of this type for that kind. Text without a slash is no type. */
export const mayBe = (type: string, kind: string): boolean => !type.includes('/') || type.includes(kind);

/** Parse Server reads JSON of every type. Blanks, a byte order mark or the bytes of UTF-16 may precede it. */
const BEGINS_LIKE_JSON = /^[\s\0\xfe\xff]*\{/;

function statedInBody(body: string, type: string): string[] {
  const [isMultipart, isJson] = [mayBe(type, 'multipart'), mayBe(type, 'json')];
  // Rack reads a multipart like this if it finds no boundary. Of `multipart/form-data`, every reader finds it.
  const isForm = mayBe(type, 'urlencoded') || (isMultipart && !type.includes('multipart/form-data'));
  return [
    ...(isReadOtherwise(type) || (hasOtherLetters(type) && (isForm || isMultipart || isJson)) ? ['unknown'] : []),
    ...(isForm ? takeFirst(methodsInForm(body)) : []),
    ...(isMultipart ? takeFirst(methodsInParts(body)) : []),
    ...(isJson || BEGINS_LIKE_JSON.test(body) ? inJson(body) : []),
  ];
}

/** A genuine request does not name a method this often. */
const NAMED_MAX = 20;

function takeFirst(named: Iterable<string>): string[] {
  const values: string[] = [];
  for (const value of named) {
    if (values.length === NAMED_MAX) return [...values, 'unknown'];
    values.push(value);
  }
  return values;
}

/** A character as it is, or percent-encoded in either letter case. */
const encoded = (character: string): string => {
  const codes = new Set([character.toLowerCase(), character.toUpperCase()]);
  return `(?:${[character.replace(/\W/, '\\$&'), ...Array.from(codes, (each) => `%${each.charCodeAt(0).toString(16)}`)].join('|')})`;
};
/** A pattern, in which each letter and sign of `text` may be encoded. */
const spelled = (text: string): string => text.replace(/[^()?:|]/g, encoded);

/** PHP ends a name at NUL, PHP and Rack at a bracket. */
const NAME = new RegExp(`${spelled(METHOD_NAMES)}(?=[=[\\]\\0]|%(?:5b|5d|00))`, 'gi');
const VALUE = /[^&;=]*=([^&;]*)/y;

/** A form may have millions of fields, so no other field is read. */
function* methodsInForm(text: string): Iterable<string> {
  for (const { 0: name, index } of text.matchAll(NAME)) {
    if (!beginsField(text, index)) continue;
    VALUE.lastIndex = index + name.length;
    const value = VALUE.exec(text)?.[1];
    if (value !== undefined) yield value.length <= VALUE_READ_MAX ? decode(value) : 'unknown';
  }
}

const ENCODED_FILLER = /^%(?:0[09a-d]|20|a0|5b|5d)$/i;

/** Some servers read `;` as `&`. PHP skips blanks before a name, and Rack brackets. */
function beginsField(text: string, start: number): boolean {
  let at = start;
  for (;;) {
    if (/[\s+\0[\]]/.test(text.charAt(at - 1))) at -= 1;
    else if (ENCODED_FILLER.test(text.slice(Math.max(at - 3, 0), at))) at -= 3;
    else return at === 0 || text[at - 1] === '&' || text[at - 1] === ';';
  }
}

/** No method is longer, however it is encoded. Decoding a value of 10 MB would take seconds. */
const VALUE_READ_MAX = 300;

const decode = (text: string): string => latin1Decoded(text.replaceAll('+', ' '));

/** Any spelling of a key `_method` in JSON, and its value if that is text. */
const JSON_KEY =
  /"(?:_|\\u005f)(?:m|\\u006d)(?:e|\\u0065)(?:t|\\u0074)(?:h|\\u0068)(?:o|\\u006f)(?:d|\\u0064)"\s*:\s*"([^"]*)"/gi;

function inJson(body: string): string[] {
  const values = takeFirst(methodsInJson(body));
  if (values.length === 0) return values;
  const read = parseBounded(body);
  if (typeof read === 'string') return values;
  const isObject = typeof read.value === 'object' && read.value !== null;
  // A nested field has no special meaning.
  return isObject && Object.keys(read.value!).some((key) => key.toLowerCase() === '_method') ? values : [];
}

function* methodsInJson(body: string): Iterable<string> {
  // Nearly no body has it. A search for a rare character is much faster than one for a quotation mark.
  if (!['_m', '_M', '\\u', '\\U'].some((start) => body.includes(start))) return;
  for (const [, value] of body.matchAll(JSON_KEY)) yield value;
}

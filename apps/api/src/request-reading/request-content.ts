import { parseCodings } from '#egress';
import { formParts } from '../egress/form-parts.js';
import { formBoundary } from '../egress/form-type.js';
import { ApiError } from '../platform/errors.js';
import { parseBounded } from '../platform/http/bounded-json.js';
import { exactFields, exactForm, type FormFields } from './exact-form.js';
import { exactJsonSteps, type ExactJson, type JsonValue } from './exact-json.js';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import { isUtf8, mediaType, type MediaType } from './media-type.js';
import { statedType, type MethodStatement } from './request-methods.js';

export type { JsonObject, JsonValue } from './exact-json.js';

/** What a body says to every server that may get it. */
export type RequestContent =
  | { kind: 'none' }
  | { kind: 'json'; value: JsonValue }
  /** Each line is JSON. */
  | { kind: 'lines'; values: JsonValue[] }
  /** Also of a multipart form without files. */
  | { kind: 'form'; fields: FormFields }
  /** Of every other type: SQL, XML, an image. */
  | { kind: 'text'; text: string }
  /** It is there, but servers may differ in what they read. */
  | { kind: 'unreadable'; reason: string };

/** A longer body is not parsed. */
export const CONTENT_MAX_BYTES = 1024 * 1024;
/** In characters. A batch of this length takes about 10 ms to classify. */
const JUDGED_AT_ONCE_MAX = 4 * 1024;
const LINES_MAX = 10_000;
const LINES_TYPE = /^(?:application|text)\/(?:x-)?(?:ndjson|jsonl|json-?lines)$/;
const JSON_LIKE = /^[\s\0\ufeff]*[[{]/;

const known = new WeakMap<MethodStatement, RequestContent>();
const parsed = new WeakMap<MethodStatement, ExactJson>();

/**
 * Reads the body of a request. A rule must see what the upstream sees, so whatever two servers could read differently
 * is `unreadable` (docs/reference/conditions.md#unreadable).
 * @param request must not change afterwards, because it is read once
 */
export const requestContent = (request: MethodStatement): RequestContent => atOnce(contentSteps(request));

/** Whether judging the body takes so long that others would notice it. It is then done in short steps. */
export const isLong = ({ body }: Pick<MethodStatement, 'body'>): boolean => (body?.length ?? 0) > JUDGED_AT_ONCE_MAX;

/** What `requestContent` returns. */
export function* contentSteps(request: MethodStatement): ShortSteps<RequestContent> {
  let content = known.get(request);
  if (content === undefined) known.set(request, (content = yield* readContent(request)));
  return content;
}

/** The body as JSON, whatever its type is. */
export const bodyJson = (request: MethodStatement): ExactJson => atOnce(jsonSteps(request));

/** What `bodyJson` returns. */
export function* jsonSteps(request: MethodStatement): ShortSteps<ExactJson> {
  let json = parsed.get(request);
  if (json === undefined) {
    json = isLarge(request) ? { fault: 'it is too long' } : yield* exactJsonSteps(request.body ?? '');
    parsed.set(request, json);
  }
  return json;
}

/** The size of a body without its content codings, in bytes. */
export function bodyBytes({ body, binaryBytes }: MethodStatement): number {
  return binaryBytes ?? (body === null ? 0 : Buffer.byteLength(body));
}

/** Whether a body that is unreadable may have a key. One over 1 MB may have any: searching it would take too long. */
export const mayHaveKey = (request: MethodStatement, key: RegExp): boolean =>
  isLarge(request) || key.test(request.body ?? '');

const isLarge = (request: MethodStatement): boolean =>
  (request.body?.length ?? 0) > CONTENT_MAX_BYTES || bodyBytes(request) > CONTENT_MAX_BYTES;

const unreadable = (reason: string): RequestContent => ({ kind: 'unreadable', reason });

function* readContent(request: MethodStatement): ShortSteps<RequestContent> {
  const { body, headers, rawBody } = request;
  if (body === null || body === '') return { kind: 'none' };
  const given = statedType(headers);
  const type = given === '' ? typeOf(body) : mediaType(given);
  if (type === null) return unreadable('its content type is not a plain media type');
  const isCoded = (rawBody ?? null) !== null;
  if (!isCoded && hasCoding(headers)) return unreadable('its content coding was not undone');
  const format = formatOf(type.essence);
  if (format !== 'other') {
    if (!isUtf8(type)) return unreadable('its charset is not UTF-8');
    if ((request.binaryBytes ?? null) !== null && format !== 'multipart') return unreadable('it is not UTF-8 text');
    if (isLarge(request)) return unreadable('it has more than 1 MB');
  }
  // Servers that don't decode it take a form from the coded bytes, which can have other fields.
  if (isCoded && (format === 'form' || format === 'multipart')) return unreadable('a form has a content coding');
  if (format === 'json') return yield* readJson(request);
  if (format === 'lines') return yield* readLines(body);
  return READERS[format](request, body, type);
}

type Format = 'json' | 'lines' | 'form' | 'multipart' | 'other';

function formatOf(essence: string): Format {
  if (LINES_TYPE.test(essence)) return 'lines';
  if (essence.includes('json')) return 'json';
  if (essence.includes('urlencoded')) return 'form';
  return essence.includes('multipart') ? 'multipart' : 'other';
}

function* readJson(request: MethodStatement): ShortSteps<RequestContent> {
  const read = yield* jsonSteps(request);
  return 'fault' in read ? unreadable(read.fault) : { kind: 'json', value: read.value };
}

function* readLines(body: string): ShortSteps<RequestContent> {
  const lines = body.split(/\r?\n/, LINES_MAX + 2).filter((line) => line !== '');
  if (lines.length > LINES_MAX) return unreadable(`it has more than ${LINES_MAX} lines`);
  const values: JsonValue[] = [];
  for (const [index, line] of lines.entries()) {
    const read = yield* exactJsonSteps(line);
    if ('fault' in read) return unreadable(`line ${index + 1}: ${read.fault}`);
    values.push(read.value);
    yield;
  }
  return { kind: 'lines', values };
}

type Reader = (request: MethodStatement, body: string, type: MediaType) => RequestContent;

const READERS: Record<Exclude<Format, 'json' | 'lines'>, Reader> = {
  form(_request, body, { essence }) {
    if (essence !== 'application/x-www-form-urlencoded') return unreadable('its content type is unknown');
    // Servers that read JSON of any type would read it.
    if (JSON_LIKE.test(body)) return unreadable('it looks like JSON, and its content type is that of a form');
    const read = exactForm(body);
    return 'fault' in read ? unreadable(read.fault) : { kind: 'form', fields: read.fields };
  },
  multipart: readMultipart,
  other(request, body, type) {
    const isBinary = (request.binaryBytes ?? null) !== null;
    if (IS_TEXT.test(type.essence) && (isBinary || !isUtf8(type))) return unreadable('it is not UTF-8 text');
    if (JSON_LIKE.test(body) && (isLarge(request) || isJson(body))) {
      return unreadable('it is JSON, and its content type is not');
    }
    return { kind: 'text', text: body };
  },
};

const IS_TEXT = /^text\/|xml|graphql|sql|yaml|javascript|script/;

function readMultipart(request: MethodStatement, body: string): RequestContent {
  try {
    const boundary = formBoundary(statedType(request.headers));
    if (boundary === null) return unreadable('its parts are not those of a form');
    // The parts of a binary body were checked when it arrived (egress/payload.ts). One of them is a file.
    if ((request.binaryBytes ?? null) !== null) return { kind: 'text', text: body };
    const parts = formParts(Buffer.from(body), boundary);
    if (parts.some(({ text }) => text === undefined)) return { kind: 'text', text: body };
    const read = exactFields(parts.map(({ name, text }) => [name, text!]));
    return 'fault' in read ? unreadable(read.fault) : { kind: 'form', fields: read.fields };
  } catch (error) {
    if (error instanceof ApiError) return unreadable(error.message);
    throw error;
  }
}

/** The gateway gives every body a type before it sends it (proxy/to-proxy-call.ts). */
const typeOf = (body: string): MediaType => ({
  essence: JSON_LIKE.test(body) ? 'application/json' : 'text/plain',
  charset: null,
});

/** Some servers leave out a byte order mark, and the zeros of UTF-16. */
const isJson = (body: string): boolean => parseBounded(body.replace(/^\ufeff/, '').replaceAll('\0', '')) !== 'no JSON';

function hasCoding(headers: Record<string, string>): boolean {
  const values = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'content-encoding');
  return parseCodings(values.map(([, value]) => value).join(', ')).length > 0;
}

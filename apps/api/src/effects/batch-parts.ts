/** Finds the requests in the body or the query of another one. */
import { foldedName } from '../request-reading/folded-name.js';
import type { JsonObject, JsonValue } from '../request-reading/request-content.js';
import { contentType } from '../request-reading/request-methods.js';
import { methodsIn, overridesIn, type BatchPart } from './batch-part.js';
import { headersIn, httpParts } from './http-parts.js';
import { remembered } from './remembered.js';
import type { EffectSubject } from './subject.js';

export interface Batch {
  parts: BatchPart[];
  /** Whether the body has nothing else than these requests, apart from texts and numbers. */
  isWhole: boolean;
}

/** The requests in a request: objects with a method and a path in lists, and parts of `application/http`. */
export function batchIn(subject: EffectSubject): Batch {
  const { content } = subject;
  const found: Found = new Map();
  const values = content.kind === 'json' ? [content.value] : content.kind === 'lines' ? content.values : [];
  for (const value of values) collect(value, content.kind === 'lines', LEVELS_MAX, found);
  const isWhole = values.length > 0 && hasOnly(content.kind === 'lines' ? [values] : listsIn(values[0]), found);
  for (const text of textsIn(subject).filter(mayHoldPart).slice(0, TEXTS_MAX)) {
    const value = parsedJson(text);
    if (value !== undefined) collect(value, false, LEVELS_MAX, found);
  }
  const isMultipart = contentType(subject.headers).includes('multipart') || /^\s*--/.test(subject.body ?? '');
  const parts = [...found.values(), isMultipart ? httpParts(subject.body ?? '') : []].flat();
  return { parts, isWhole: isWhole && parts.length === found.size };
}

type Found = Map<JsonObject, BatchPart[]>;

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists and objects in each other. */
const LEVELS_MAX = 12;
/** Texts of JSON that are read. */
const TEXTS_MAX = 50;
/** Longer ones are not read. */
const TEXT_MAX = 1_000_000;
/** Below other names, an object with a method and a URL may be the setting of a webhook. */
const NAMES_BATCH = /batch|request|operation|call|query|queries/i;

/** @param isAsked whether it stands in a list, or below the name of a batch */
function collect(value: JsonValue, isAsked: boolean, levels: number, found: Found): void {
  if (levels === 0 || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, true, levels - 1, found);
    return;
  }
  const parts = isAsked ? toParts(value) : [];
  if (parts.length > 0) found.set(value, parts);
  for (const [name, inner] of Object.entries(value)) {
    // Batches in the body of a part are those of the part.
    if (parts.length > 0 && BODIES.has(plain(name))) continue;
    collect(inner, isAsked || NAMES_BATCH.test(name), levels - 1, found);
  }
}

/** The lists of a body that has only lists, texts and numbers. None: it has something else. */
function listsIn(value: JsonValue): JsonValue[][] {
  if (Array.isArray(value)) return [value];
  const inner = isObject(value) ? Object.values(value).filter((each) => typeof each === 'object' && each !== null) : [];
  const lists = inner.filter((each) => Array.isArray(each));
  return lists.length === inner.length ? lists : [];
}

const hasOnly = (lists: readonly JsonValue[][], found: Found): boolean => {
  const items = lists.flat();
  return items.length === found.size && items.every((item) => isObject(item) && found.has(item));
};

/** Texts that may be JSON with requests: fields of a form, parameters such as `batch`, and fields of JSON. */
function textsIn({ content, query, body }: EffectSubject): string[] {
  const asked = [...query.values()];
  switch (content.kind) {
    case 'form':
      return [asked, ...content.fields.values()].flat();
    case 'json':
      return [asked, Object.values(content.value ?? {}).filter((value) => typeof value === 'string')].flat();
    case 'text':
    case 'unreadable':
      return asked.concat(textsInUnread((body ?? '').slice(0, TEXT_MAX)));
    default:
      return asked;
  }
}

/** A form with files, or one that can not be read. */
function textsInUnread(text: string): string[] {
  if (/^\s*--/.test(text)) return text.split(/\r?\n\r?\n/).map((piece) => piece.split('\n--', 1)[0]);
  return /^\s*[[{]/.test(text) ? [text] : [...new URLSearchParams(text).values()];
}

const mayHoldPart = (text: string): boolean =>
  text.length <= TEXT_MAX && /^\s*[[{]/.test(text) && /method|verb|\\u/i.test(text);

/** The letters of a name: `relative_url` and `relativeUrl` are one name, and so are `_method` and `Method`. */
const plain = remembered((name) => foldedName(name.slice(0, NAME_MAX)).replace(/[^a-z]/g, ''));
const NAME_MAX = 40;
const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));
const METHODS = setOf('method httpmethod requestmethod verb httpverb');
const PATHS = setOf(
  'url path uri relativeurl relativepath relativeuri href endpoint resource requesturl requesturi requestpath pathname',
);
const BODIES = setOf('body data payload richinput content json requestbody');
const HEADERS = setOf('headers header httpheaders requestheaders');
/** More methods, paths or bodies of one part are not read. */
const VALUES_MAX = 4;

function toParts(item: JsonObject): BatchPart[] {
  // A list can have 100,000 objects, and most have no path.
  if (!Object.keys(item).some((name) => PATHS.has(plain(name)))) return [];
  const names = Object.keys(item).map((name) => [name, plain(name)]);
  const valuesOf = (wanted: ReadonlySet<string>): JsonValue[] => [
    ...new Set(names.flatMap(([name, letters]) => (wanted.has(letters) ? [item[name]] : []))),
  ];
  const [methods, paths, bodies] = [METHODS, PATHS, BODIES].map(valuesOf);
  const headers = headersOf(valuesOf(HEADERS));
  const named = methods.flatMap((method) => (typeof method === 'string' ? methodsIn(method) : []));
  const distinct = [...new Set([...named, ...overridesIn(headers)])];
  if (distinct.length === 0) return [];
  const isUnsure = distinct.length > 1 || methods.length > 1 || paths.length > 1 || bodies.length > 1;
  return paths
    .slice(0, VALUES_MAX)
    .filter((path) => typeof path === 'string' || typeof path === 'number' || typeof path === 'bigint')
    .flatMap((path) =>
      (bodies.length === 0 ? [null] : bodies.slice(0, VALUES_MAX)).map((body) => ({
        methods: distinct,
        path: String(path),
        headers: Object.fromEntries(headers),
        body,
        isUnsure,
      })),
    );
}

/** Headers as an object, as a list of names and values, and as lines. */
function headersOf(values: readonly JsonValue[]): [string, string][] {
  return values.flat().flatMap((value): [string, string][] => {
    if (typeof value === 'string') return headersIn(value);
    if (!isObject(value)) return [];
    const [name, text] = [value.name ?? value.key, value.value];
    if (typeof name === 'string' && typeof text === 'string') return [[name, text]];
    return Object.entries(value).flatMap(([each, given]) =>
      [given].flat().flatMap((item): [string, string][] => (typeof item === 'string' ? [[each, item]] : [])),
    );
  });
}

export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

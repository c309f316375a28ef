import type { HttpMethod } from '#contracts';
import type { RequestEffect } from '#contracts/risk';
import type { JsonObject, JsonValue, RequestContent } from '../request-reading/request-content.js';
import type { EffectSubject } from './subject.js';

/** One request in the body of another one. */
export interface BatchPart {
  method: string;
  /** With the query. */
  path: string;
  body: JsonValue;
  /** Whether servers may run another one: it has several methods, paths or bodies, each a part of its own here. */
  isUnsure: boolean;
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const METHOD = /^(?:get|post|put|patch|delete|head|options)$/i;
const METHODS = ['method', 'httpMethod'];
const PATHS = ['url', 'path', 'uri', 'relative_url', 'relativeUrl', 'href', 'endpoint', 'resource'];
const BODIES = ['body', 'data', 'payload', 'richInput', 'content', 'json'];

/** The requests in a batch: objects with a method and a path, in a list at the top or one level below. */
export function batchParts(content: RequestContent): BatchPart[] {
  const values = content.kind === 'json' ? [content.value] : content.kind === 'lines' ? content.values : [];
  const lists = values.flatMap((value) =>
    Array.isArray(value) ? [value] : isObject(value) ? Object.values(value).filter((each) => Array.isArray(each)) : [],
  );
  const texts =
    content.kind === 'form' ? [...content.fields.values()].flat().filter((text) => /^\s*\[\s*\{/.test(text)) : [];
  for (const text of texts) {
    const value = parsed(text);
    if (Array.isArray(value)) lists.push(value);
  }
  return lists.flat().flatMap((item) => (isObject(item) ? toParts(item) : []));
}

function toParts(item: JsonObject): BatchPart[] {
  const valuesOf = (names: readonly string[]): JsonValue[] =>
    names.map((name) => item[name]).filter((value) => value !== undefined);
  const [methods, paths, bodies] = [METHODS, PATHS, BODIES].map(valuesOf);
  const isUnsure = methods.length > 1 || paths.length > 1 || bodies.length > 1;
  return methods.flatMap((method) =>
    typeof method === 'string' && METHOD.test(method)
      ? paths
          .filter((path) => typeof path === 'string')
          .flatMap((path) =>
            (bodies.length === 0 ? [null] : bodies).map((body) => ({
              method: method.toUpperCase(),
              path,
              body: typeof body === 'string' ? (parsed(body) ?? body) : body,
              isUnsure,
            })),
          )
      : [],
  );
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** What the parts of a batch do together. */
export interface PartsEffects {
  /** Whether the body has nothing else than these requests, apart from texts and numbers. */
  isWhole: boolean;
  isRead: boolean;
  effects: RequestEffect[];
}

/** How many requests of a batch are read, and of a batch in a batch: each costs time. */
const PARTS_MAX = [200, 10];
const DELETES_MAX = 1;
const WRITES_MAX = 20;

/** @param depth of batches around this one @param classify null: too many batches in batches */
export function classifyParts(
  subject: EffectSubject,
  depth: number,
  classify: (part: EffectSubject) => RequestEffect[] | null,
): PartsEffects | null {
  const parts = batchParts(subject.content);
  if (parts.length === 0) return null;
  const max = PARTS_MAX[Math.min(depth, 1)];
  const found = parts.slice(0, max).map((part) => ({ part, effects: classify(toSubject(part, subject)) }));
  const count = (effect: string): number =>
    found.filter(({ effects }) => effects?.some((each) => each.effect === effect) ?? false).length;
  const effects = found.flatMap(({ part, effects: each }) =>
    (each ?? [{ effect: 'unclear', reason: 'batches in batches' } as const]).map(({ effect, reason }) => ({
      effect,
      reason: `in the batch, ${part.method} ${part.path.slice(0, 60)}: ${reason}`,
    })),
  );
  if (parts.length > max) effects.push({ effect: 'unclear', reason: `the batch has more than ${max} requests` });
  if (count('delete') > DELETES_MAX || count('write') > WRITES_MAX)
    effects.push({ effect: 'bulk', reason: `${parts.length} requests at once` });
  const isUnsure = parts.some((part) => part.isUnsure);
  if (isUnsure)
    effects.push({ effect: 'unclear', reason: 'a request in the batch has several methods, paths or bodies' });
  const isRead = !isUnsure && count('read') === parts.length;
  return {
    isWhole: isWhole(subject.content, parts.length),
    isRead,
    effects: effects.filter(({ effect }) => effect !== 'read' && effect !== 'write'),
  };
}

function isWhole(content: RequestContent, count: number): boolean {
  if (content.kind !== 'json') return content.kind === 'lines' && content.values.length === count;
  const values = Array.isArray(content.value) ? [content.value] : Object.values(content.value ?? {});
  const lists = values.filter((value) => typeof value === 'object' && value !== null);
  return lists.every((list) => Array.isArray(list)) && lists.flat().length === count;
}

function toSubject({ method, path, body }: BatchPart, parent: EffectSubject): EffectSubject {
  // What follows `#` is not sent.
  const [way, query = ''] = path.split('#', 1)[0].split('?', 2);
  return {
    methods: [method as HttpMethod],
    host: parent.host,
    paths: [way.replace(/^https?:\/\/[^/]+/i, '')],
    query: new URLSearchParams(query),
    headers: {},
    content:
      body === null
        ? { kind: 'none' }
        : typeof body === 'object'
          ? { kind: 'json', value: body }
          : { kind: 'text', text: String(body) },
    body: null,
    graphql: null,
    rpc: null,
    operation: null,
    tools: parent.tools,
  };
}

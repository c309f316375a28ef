import { hash } from 'node:crypto';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import { exactJson } from './exact-json.js';
import { foldedName } from './folded-name.js';
import { isGraphqlEndpoint, isGraphqlText } from './graphql-text.js';
import { contentSteps, mayHaveKey, type JsonObject, type JsonValue } from './request-content.js';
import { contentType, type MethodStatement } from './request-methods.js';

export interface GivenDocument {
  text: string;
  variables: GivenVariables[];
}

/** Values for the variables of a document. */
export interface GivenVariables {
  values: JsonObject;
  /** Whether they are a part of the JSON body, and no text. */
  isInBody: boolean;
}

export interface GraphqlDocuments {
  documents: GivenDocument[];
  /** Whether there may be other documents than these, or a server may run another one. */
  isUndecidable: boolean;
  /** Whether there may be other values of variables than these. */
  hasUnreadVariables: boolean;
  /** The operations that the request names. */
  operationNames: string[];
}

/** What one object, form or URL gives a GraphQL server. Each name can stand several times, in other letter case. */
interface Sent {
  query: unknown[];
  variables: unknown[];
  operationname: unknown[];
  extensions: unknown[];
  isInBody: boolean;
}

/** The key of a query, or a key with an escaped letter, which could be one. */
const QUERY_KEY = /"(?:query"\s*:|\w{0,4}\\u00[4-7])/i;
/** Where documents and variables stand in different places, each may get those of all places. Genuine ones get one. */
const VARIABLES_MAX = 10;
/** Servers refuse longer batches long before. */
const DOCUMENTS_MAX = 500;

const known = new WeakMap<MethodStatement, GraphqlDocuments | null>();

/**
 * All documents of a request, wherever a server may look for them. Null: it is no GraphQL.
 * @param request must not change afterwards, because it is read once
 */
export const graphqlDocuments = (request: MethodStatement): GraphqlDocuments | null => atOnce(documentSteps(request));

/** What `graphqlDocuments` returns. */
export function* documentSteps(request: MethodStatement): ShortSteps<GraphqlDocuments | null> {
  let documents = known.get(request);
  if (documents === undefined) known.set(request, (documents = yield* readDocuments(request)));
  return documents;
}

function* readDocuments(request: MethodStatement): ShortSteps<GraphqlDocuments | null> {
  const url = new URL(request.targetUrl);
  const isGraphql = isGraphqlEndpoint(url) || contentType(request.headers).includes('application/graphql');
  const inBody = yield* sentInBody(request, isGraphql);
  const inUrl = (url.search === '' ? null : yield* sentIn(url.searchParams, false)) ?? NOTHING;
  const sent = [...(inBody ?? []), inUrl];
  const queries = sent.flatMap(({ query }) => query);
  if (queries.flat().filter(isDocument).length > DOCUMENTS_MAX) return TOO_MANY;
  const toValues = readOnce();
  const found = sent.map((each) => documentsOf(each, each === inUrl ? sent : [each, inUrl], toValues));
  const read: GraphqlDocuments = {
    documents: found.flatMap(({ documents }) => documents),
    isUndecidable: true,
    hasUnreadVariables: found.some(({ hasUnreadVariables }) => hasUnreadVariables),
    operationNames: sent.flatMap((each) => each.operationname).filter((name) => typeof name === 'string'),
  };
  const count = read.documents.length;
  // Servers differ in which text of a list they take.
  const isUnsure = inBody === null || queries.some((query) => Array.isArray(query) && query.some(isDocument));
  if (isUnsure || sent.some(namesStored)) return read;
  if (!isGraphql && count === 0) return null;
  // A query that is stored at the server is named by its hash only.
  const isKnown = count > 0 && (!isGraphql || count === queries.length);
  return { ...read, isUndecidable: !isKnown };
}

const TOO_MANY: GraphqlDocuments = {
  documents: [],
  isUndecidable: true,
  hasUnreadVariables: true,
  operationNames: [],
};

/** Each document of a batch can get the variables of the URL: they are read once, and not for each. */
function readOnce(): (given: unknown) => JsonValue | undefined {
  const read = new Map<string, JsonValue | undefined>();
  return (given) => {
    if (typeof given !== 'string') return given as JsonValue;
    if (!read.has(given)) read.set(given, readJson(given));
    return read.get(given);
  };
}

const isDocument = (query: unknown): query is string => typeof query === 'string' && isGraphqlText(query);

/**
 * @param places where a server may look for the variables of its documents
 * @param toValues reads a text of JSON
 */
function documentsOf(
  { query }: Sent,
  places: readonly Sent[],
  toValues: (given: unknown) => JsonValue | undefined,
): Pick<GraphqlDocuments, 'documents' | 'hasUnreadVariables'> {
  const texts = query.flat().filter(isDocument);
  if (texts.length === 0) return { documents: [], hasUnreadVariables: false };
  const given = places.flatMap((place) =>
    place.variables.filter((each) => each !== null && each !== '').map((each) => ({ each, place })),
  );
  const variables = given.slice(0, VARIABLES_MAX).flatMap(({ each, place }) => {
    const values = toValues(each);
    // A text of JSON is no part of the body's own fields.
    return isObject(values) ? { values, isInBody: place.isInBody && typeof each !== 'string' } : [];
  });
  return { documents: texts.map((text) => ({ text, variables })), hasUnreadVariables: variables.length < given.length };
}

/** Whether it names a document that the server knows by its hash, and that may be another one than the request has. */
const namesStored = ({ query, extensions }: Sent): boolean =>
  extensions.some((each) => {
    const value = typeof each === 'string' ? readJson(each) : (each as JsonValue);
    const stored = isObject(value)
      ? Object.entries(value).filter(([name]) => foldedName(name) === 'persistedquery')
      : [];
    const [text] = query;
    const own = query.length === 1 && typeof text === 'string' ? hash('sha256', text, 'hex') : null;
    return stored.some(([, by]) => by !== null && !(own !== null && isObject(by) && by.sha256Hash === own));
  });

/** What the body names, which may be of any type. Null: it may have a query that can't be read. */
function* sentInBody(request: MethodStatement, isGraphql: boolean): ShortSteps<Sent[] | null> {
  const content = yield* contentSteps(request);
  switch (content.kind) {
    case 'none':
      return [];
    case 'json':
      return yield* sentInJson([content.value].flat(), isGraphql, true);
    case 'lines':
      return yield* sentInJson(content.values.flat(), isGraphql, true);
    case 'form': {
      const fields = Array.from(content.fields, ([name, values]) =>
        values.map((value) => [name, value] as const),
      ).flat();
      // With files, servers take the queries from this field of a form.
      const operations = fields.filter(([name]) => foldedName(name) === 'operations').map(([, text]) => readJson(text));
      const own = (yield* sentIn(fields, false)) ?? [];
      const sent = yield* sentInJson(operations.map((value) => value ?? null).flat(), isGraphql, false);
      return [own, sent].flat();
    }
    case 'text':
      return isGraphql ? [{ ...NOTHING, query: [content.text] }] : [];
    case 'unreadable':
      return isGraphql || mayHaveKey(request, QUERY_KEY) ? null : [];
  }
}

/** @param isGraphql an object without a query counts too: it may name one that the server knows */
function* sentInJson(items: readonly JsonValue[], isGraphql: boolean, isInBody: boolean): ShortSteps<Sent[]> {
  const found: Sent[] = [];
  for (const [index, item] of items.entries()) {
    if (index % FIELDS_PER_STEP === 0) yield;
    const sent = isObject(item) ? yield* sentIn(fieldsOf(item), isInBody) : null;
    if (sent !== null && (!isGraphql || sent.query.length > 0)) found.push(sent);
    else if (isGraphql) found.push({ ...(sent ?? NOTHING), query: [undefined] });
  }
  return found;
}

/** They take about 0.2 ms. */
const FIELDS_PER_STEP = 1000;

function* fieldsOf(object: JsonObject): Iterable<readonly [string, JsonValue]> {
  for (const name in object) yield [name, object[name]];
}

const NOTHING: Sent = { query: [], variables: [], operationname: [], extensions: [], isInBody: false };

/** Null: it has none of the names. */
function* sentIn(fields: Iterable<readonly [string, unknown]>, isInBody: boolean): ShortSteps<Sent | null> {
  let sent: Sent | null = null;
  let count = 0;
  for (const [written, value] of fields) {
    if (++count % FIELDS_PER_STEP === 0) yield;
    const name = foldedName(written);
    if (name !== 'query' && name !== 'variables' && name !== 'operationname' && name !== 'extensions') continue;
    sent ??= { query: [], variables: [], operationname: [], extensions: [], isInBody };
    sent[name].push(value);
  }
  return sent;
}

const readJson = (text: string): JsonValue | undefined => {
  const read = exactJson(text);
  return 'fault' in read ? undefined : read.value;
};

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

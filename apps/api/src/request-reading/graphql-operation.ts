import { BATCH_MAX, graphqlOperations, listFields, readDocument, TYPES } from './graphql-documents.js';
import type { GraphqlOperations, GraphqlType } from './graphql-documents.js';
import { enumerated } from './enumerated.js';
import { isGraphqlEndpoint, isGraphqlText } from './graphql-text.js';
import { exactJson } from './exact-json.js';
import { foldedName } from './folded-name.js';
import { mayHaveKey, requestContent, type JsonValue } from './request-content.js';
import { contentType, type MethodStatement } from './request-methods.js';

const NAME_MAX = 40;
export const UNREADABLE = 'unreadable operation';

export interface GraphqlRequest {
  /** Null: readers may take different texts for it. */
  document: string | null;
  operationName: string | null;
}

interface Operation {
  type: GraphqlType;
  name: string | null;
  /** The fields at the top level, with fragments resolved and without aliases. Thousands of operations can share one. */
  fields: () => string[];
}

/**
 * The effects of GraphQL requests in words: `mutation deleteRepository (CleanUp)`, mutations first. The fields come
 * before the name, because the agent made up the name. Null if nothing can be read.
 */
export function graphqlWords(requests: readonly GraphqlRequest[], max: number): string | null {
  if (requests.length === 0) return null;
  const length = requests.reduce((sum, { document }) => sum + (document?.length ?? 0), 0);
  const operations = requests.length > 1 && length > BATCH_MAX ? [null] : requests.map(parseOperations);
  if (operations.includes(null)) return UNREADABLE;
  const sorted = operations.flatMap((each) => each ?? []);
  sorted.sort((one, other) => TYPES.indexOf(one.type) - TYPES.indexOf(other.type));
  return enumerated(sorted, max, ({ type, name, fields }) => {
    const named = name === null ? '' : ` (${name.slice(0, NAME_MAX)})`;
    return `${type} ${enumerated(fields(), max - 20, String)}${named}`;
  });
}

/**
 * The operation that `operationName` selects, otherwise all operations of the document, because servers differ. Null if
 * it can't be parsed.
 */
function parseOperations({ document, operationName }: GraphqlRequest): Operation[] | null {
  const read = document === null ? null : readDocument(document);
  if (read === null) return null;
  const { operations, fragments } = read;
  const selected = operations.filter(({ name }) => operationName !== null && name?.value === operationName);
  return (selected.length === 1 ? selected : operations).map(({ operation, name, selectionSet }) => ({
    type: operation,
    name: name?.value ?? null,
    fields: () => listFields(selectionSet.selections, fragments),
  }));
}

/** The key of a query, or a key with an escaped letter, which could be one. */
const QUERY_KEY = /"(?:query"\s*:|\w{0,4}\\u00[4-7])/i;

export type GraphqlFacts = GraphqlOperations;

/**
 * What a GraphQL request does: all operations of all its documents, in the URL and in the body, also in a batch. Null: it
 * is no GraphQL. `undecidable`: it is, and it can't be read. See docs/reference/conditions.md#graphql.
 * @param request must not change afterwards, because it is read once
 */
export function graphqlFacts(request: MethodStatement): GraphqlFacts | 'undecidable' | null {
  let facts = known.get(request);
  if (facts === undefined) known.set(request, (facts = readFacts(request)));
  return facts;
}

const known = new WeakMap<MethodStatement, GraphqlFacts | 'undecidable' | null>();

function readFacts(request: MethodStatement): GraphqlFacts | 'undecidable' | null {
  const read = graphqlDocuments(request);
  if (read === null) return null;
  return (read.isUndecidable ? null : graphqlOperations(read.documents)) ?? 'undecidable';
}

export interface GraphqlDocuments {
  documents: string[];
  /** Whether there may be other documents than these, or a server may run another one. */
  isUndecidable: boolean;
}

/** All documents of a request, wherever a server may look for them. Null: it is no GraphQL. */
export function graphqlDocuments(request: MethodStatement): GraphqlDocuments | null {
  const url = new URL(request.targetUrl);
  const isGraphql = isGraphqlEndpoint(url) || contentType(request.headers).includes('application/graphql');
  const inBody = queriesInBody(request, isGraphql);
  const given = [...(inBody ?? []), ...namedQuery(Array.from(url.searchParams))];
  const isDocument = (query: unknown): query is string => typeof query === 'string' && isGraphqlText(query);
  const documents = given.flat().filter(isDocument);
  // Servers differ in which text of a list they take.
  const isUnsure = inBody === null || given.some((query) => Array.isArray(query) && query.some(isDocument));
  if (isUnsure) return { documents, isUndecidable: true };
  if (!isGraphql && documents.length === 0) return null;
  // A query that is stored at the server is named by its hash only.
  const isKnown = documents.length > 0 && (!isGraphql || documents.length === given.length);
  return { documents, isUndecidable: !isKnown };
}

/** What the body names as queries, which may be of any type. Null: it may have a query that can't be read. */
function queriesInBody(request: MethodStatement, isGraphql: boolean): unknown[] | null {
  const content = requestContent(request);
  switch (content.kind) {
    case 'none':
      return [];
    case 'json':
      return queriesIn(content.value, isGraphql);
    case 'lines':
      return content.values.flatMap((value) => queriesIn(value, isGraphql));
    case 'form': {
      const fields = Array.from(content.fields, ([name, values]) =>
        values.map((value) => [name, value] as const),
      ).flat();
      // With files, servers take the queries from this field of a form.
      const operations = fields.filter(([name]) => foldedName(name) === 'operations').map(([, text]) => readJson(text));
      return [...namedQuery(fields), ...operations.flatMap((value) => queriesIn(value ?? null, isGraphql))];
    }
    case 'text':
      return isGraphql ? [content.text] : [];
    case 'unreadable':
      return isGraphql || mayHaveKey(request, QUERY_KEY) ? null : [];
  }
}

const readJson = (text: string): JsonValue | undefined => {
  const read = exactJson(text);
  return 'fault' in read ? undefined : read.value;
};

/** @param isGraphql an object without a query counts too: it may name one that the server knows */
function queriesIn(value: JsonValue, isGraphql: boolean): unknown[] {
  return [value].flat().flatMap((item) => {
    const fields = typeof item === 'object' && item !== null && !Array.isArray(item) ? Object.entries(item) : [];
    const found = namedQuery(fields);
    return found.length === 0 && isGraphql ? [undefined] : found;
  });
}

const namedQuery = (fields: readonly (readonly [string, unknown])[]): unknown[] =>
  fields.filter(([name]) => foldedName(name) === 'query').map(([, query]) => query);

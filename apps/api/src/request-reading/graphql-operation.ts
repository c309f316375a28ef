import { BATCH_MAX, graphqlOperations, listFields, readDocument, TYPES } from './graphql-documents.js';
import type { GraphqlOperations, GraphqlType } from './graphql-documents.js';
import { enumerated } from './enumerated.js';
import { graphqlDocuments } from './graphql-sent.js';
import type { MethodStatement } from './request-methods.js';

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
  return (read.isUndecidable ? null : graphqlOperations(read.documents.map(({ text }) => text))) ?? 'undecidable';
}

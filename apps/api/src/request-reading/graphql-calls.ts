import type { FieldNode, SelectionSetNode, ValueNode } from 'graphql/language/ast.js';
import { Kind } from 'graphql/language/kinds.js';
import { BATCH_MAX, readDocument, type GraphqlDocument, type GraphqlType } from './graphql-documents.js';
import { graphqlDocuments, graphqlFacts } from './graphql-operation.js';
import type { JsonObject, JsonValue } from './request-content.js';
import type { MethodStatement } from './request-methods.js';

/** The most fields of all operations together: thousands of operations can share a fragment. */
const FIELDS_MAX = 1000;

export interface GraphqlField {
  name: string;
  /** Literals only. Those of variables are in the variables of the request. */
  arguments: JsonObject;
}

/** The operations of all documents, with the literal arguments of their fields. */
export interface GraphqlCalls {
  /** Whether there may be more than could be read. */
  isUndecidable: boolean;
  operations: { type: GraphqlType; fields: GraphqlField[] }[];
}

/** What the GraphQL documents of a request do, as `graphqlFacts`, with arguments. Null: it is no GraphQL. */
export function graphqlCalls(request: MethodStatement): GraphqlCalls | null {
  const read = graphqlDocuments(request);
  if (read === null) return null;
  const isLong = graphqlFacts(request) === 'undecidable';
  const length = read.documents.reduce((sum, text) => sum + text.length, 0);
  const operations: GraphqlCalls['operations'] = [];
  let left = length > BATCH_MAX ? 0 : FIELDS_MAX;
  for (const text of left === 0 ? [] : read.documents) {
    for (const operation of operationsIn(text, left)) {
      left -= operation.fields.length;
      operations.push(operation);
    }
  }
  return { isUndecidable: read.isUndecidable || isLong || left <= 0, operations };
}

/** None: it can't be parsed. @param max the most fields of all operations together */
function* operationsIn(text: string, max: number): Generator<GraphqlCalls['operations'][number]> {
  const document = readDocument(text);
  let left = max;
  for (const { operation, selectionSet } of document?.operations ?? []) {
    if (left <= 0) return;
    const fields = fieldsOf(selectionSet, document!, left);
    left -= fields.length;
    yield { type: operation, fields };
  }
}

function fieldsOf({ selections }: SelectionSetNode, { fragments }: GraphqlDocument, max: number): GraphqlField[] {
  const [fields, seen, left] = [[] as GraphqlField[], new Set<string>(), selections.toReversed()];
  for (let next = left.pop(); next !== undefined && fields.length < max; next = left.pop()) {
    if (next.kind === Kind.FIELD) fields.push({ name: next.name.value, arguments: argumentsOf(next) });
    else if (next.kind === Kind.INLINE_FRAGMENT) left.push(...next.selectionSet.selections.toReversed());
    else if (!seen.has(next.name.value)) {
      seen.add(next.name.value);
      left.push(...(fragments.get(next.name.value)?.selectionSet.selections.toReversed() ?? []));
    }
  }
  return fields;
}

const argumentsOf = (field: FieldNode): JsonObject =>
  Object.fromEntries((field.arguments ?? []).map(({ name, value }) => [name.value, toJson(value)]));

function toJson(node: ValueNode): JsonValue {
  switch (node.kind) {
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, toJson(value)]));
    case Kind.LIST:
      return node.values.map(toJson);
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.STRING:
    case Kind.ENUM:
    case Kind.BOOLEAN:
      return node.value;
    default:
      return null;
  }
}

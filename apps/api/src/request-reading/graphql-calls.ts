import type { FieldNode, FragmentDefinitionNode, OperationDefinitionNode, ValueNode } from 'graphql/language/ast.js';
import { Kind } from 'graphql/language/kinds.js';
import { parse } from 'graphql/language/parser.js';
import { graphqlFacts } from './graphql-operation.js';
import { isGraphqlText } from './graphql-text.js';
import { requestContent, type JsonObject, type JsonValue } from './request-content.js';
import type { MethodStatement } from './request-methods.js';

const TOKENS_MAX = 20_000;
const FIELDS_MAX = 1000;
type OperationType = 'mutation' | 'subscription' | 'query';

export interface GraphqlField {
  name: string;
  /** Literals only. Those of variables are in the variables of the request. */
  arguments: JsonObject;
}

/** The operations of all documents, with the literal arguments of their fields. */
export interface GraphqlCalls {
  /** Whether there may be more than could be read. */
  isUndecidable: boolean;
  operations: { type: OperationType; fields: GraphqlField[] }[];
}

/** What the GraphQL documents of a request do, as `graphqlFacts`, with arguments. Null: it is no GraphQL. */
export function graphqlCalls(request: MethodStatement): GraphqlCalls | null {
  const facts = graphqlFacts(request);
  if (facts === null) return null;
  const read = documentsIn(request).map(operationsIn);
  const operations = read.flatMap((found) => found ?? []);
  const isUndecidable = facts === 'undecidable' || read.includes(null);
  if (isUndecidable || operations.length > 0) return { isUndecidable, operations };
  // They stand in another place, such as a form: the strongest type counts for all.
  const fields = facts.fields.map((name) => ({ name, arguments: {} }));
  return { isUndecidable, operations: [{ type: facts.type, fields }] };
}

function documentsIn(request: MethodStatement): string[] {
  const content = requestContent(request);
  const documents = new URL(request.targetUrl).searchParams.getAll('query').filter(isGraphqlText);
  if (content.kind === 'json') {
    for (const item of [content.value].flat()) {
      const query = typeof item === 'object' && item !== null && !Array.isArray(item) ? item.query : undefined;
      if (typeof query === 'string' && isGraphqlText(query)) documents.push(query);
    }
  }
  if (content.kind === 'text' && isGraphqlText(content.text)) documents.push(content.text);
  return documents;
}

function operationsIn(document: string): GraphqlCalls['operations'] | null {
  try {
    return readOperations(document);
  } catch {
    return null;
  }
}

function readOperations(document: string): GraphqlCalls['operations'] {
  const { definitions } = parse(document, { noLocation: true, maxTokens: TOKENS_MAX });
  const operations = definitions.filter(
    (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
  );
  const fragments = new Map(
    definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  return operations.map(({ operation, selectionSet }) => {
    const [fields, seen, left] = [[] as GraphqlField[], new Set<string>(), selectionSet.selections.toReversed()];
    for (let next = left.pop(); next !== undefined && fields.length < FIELDS_MAX; next = left.pop()) {
      if (next.kind === Kind.FIELD) fields.push({ name: next.name.value, arguments: argumentsOf(next) });
      else if (next.kind === Kind.INLINE_FRAGMENT) left.push(...next.selectionSet.selections.toReversed());
      else if (!seen.has(next.name.value)) {
        seen.add(next.name.value);
        left.push(...(fragments.get(next.name.value)?.selectionSet.selections.toReversed() ?? []));
      }
    }
    return { type: operation, fields };
  });
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

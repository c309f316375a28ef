// The package's main file would also load its schemas and its execution.
import type {
  FieldNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionSetNode,
  ValueNode,
} from 'graphql/language/ast.js';
import { Kind } from 'graphql/language/kinds.js';
import { parse } from 'graphql/language/parser.js';
import type { JsonObject, JsonValue } from './exact-json.js';

/** Longer documents are not read. A person could not read them either. */
const TOKENS_MAX = 20_000;
/** The same limit for a batch, in characters. */
export const BATCH_MAX = 200_000;
/** The strongest first. */
export const TYPES = ['mutation', 'subscription', 'query'] as const;
export type GraphqlType = (typeof TYPES)[number];
/** The most fields of all operations together whose arguments are read. Thousands of operations can share a fragment. */
const CALLED_MAX = 5000;
/** Longer integers are read as other numbers. */
const INTEGER_DIGITS_MAX = 18;

/** A field at the top level of an operation. */
export interface GraphqlCall {
  name: string;
  /** As the document states them. What stands in variables is null. */
  arguments: JsonObject;
}

export interface GraphqlOperation {
  type: GraphqlType;
  fields: GraphqlCall[];
}

export interface GraphqlOperations {
  /** The strongest of all. */
  type: GraphqlType;
  /** Those that have a name. */
  names: string[];
  /** The fields at the top level, with fragments resolved and without aliases. */
  fields: string[];
  /** Each operation with its fields and their arguments. Null: there are too many fields. */
  operations: GraphqlOperation[] | null;
}

/** All operations of these documents, whatever `operationName` says. Null: one of them can't be read. */
export function graphqlOperations(documents: readonly string[]): GraphqlOperations | null {
  if (documents.reduce((sum, { length }) => sum + length, 0) > BATCH_MAX) return null;
  const fields = new Set<string>();
  const names = new Set<string>();
  const operations: GraphqlOperation[] = [];
  let called = 0;
  let strongest = TYPES.length - 1;
  for (const document of documents) {
    const read = readDocument(document);
    if (read === null) return null;
    for (const { operation, name } of read.operations) {
      strongest = Math.min(strongest, TYPES.indexOf(operation));
      if (name !== undefined) names.add(name.value);
    }
    for (const { operation: type, selectionSet } of read.operations) {
      const calls = callsIn(selectionSet.selections, read.fragments, CALLED_MAX - called);
      called += calls.length;
      operations.push({ type, fields: calls });
    }
    // Together, because thousands of operations can share a fragment.
    const selections = read.operations.flatMap(({ selectionSet }) => selectionSet.selections);
    for (const field of listFields(selections, read.fragments)) fields.add(field);
  }
  const isWhole = called < CALLED_MAX;
  return {
    type: TYPES[strongest],
    names: [...names],
    fields: [...fields],
    operations: isWhole ? operations : null,
  };
}

export interface GraphqlDocument {
  operations: OperationDefinitionNode[];
  fragments: Map<string, FragmentDefinitionNode>;
}

/** Null: it can't be parsed, or has no operation. */
export function readDocument(text: string): GraphqlDocument | null {
  try {
    const { definitions } = parse(text, { noLocation: true, maxTokens: TOKENS_MAX });
    const operations = definitions.filter(
      (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
    );
    const fragments = definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node] as const);
    return operations.length === 0 ? null : { operations, fragments: new Map(fragments) };
  } catch {
    return null;
  }
}

/** The names of the fields. */
export const listFields = (
  selections: SelectionSetNode['selections'],
  fragments: Map<string, FragmentDefinitionNode>,
): string[] => [...new Set(Array.from(fieldsIn(selections, fragments), ({ name }) => name.value))];

function callsIn(
  selections: SelectionSetNode['selections'],
  fragments: Map<string, FragmentDefinitionNode>,
  max: number,
): GraphqlCall[] {
  const calls: GraphqlCall[] = [];
  for (const field of fieldsIn(selections, fragments)) {
    if (calls.length >= max) break;
    calls.push({ name: field.name.value, arguments: argumentsOf(field) });
  }
  return calls;
}

/** Without recursion: fragments in fragments can be nested deeper than the parser's own recursion. */
function* fieldsIn(
  selections: SelectionSetNode['selections'],
  fragments: Map<string, FragmentDefinitionNode>,
): Generator<FieldNode> {
  const seen = new Set<string>();
  const left = selections.toReversed();
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.kind === Kind.FIELD) yield next;
    else if (next.kind === Kind.INLINE_FRAGMENT) left.push(...next.selectionSet.selections.toReversed());
    else if (!seen.has(next.name.value)) {
      seen.add(next.name.value);
      left.push(...(fragments.get(next.name.value)?.selectionSet.selections.toReversed() ?? []));
    }
  }
}

function argumentsOf(field: FieldNode): JsonObject {
  const given = Object.create(null) as JsonObject;
  for (const { name, value } of field.arguments ?? []) given[name.value] = toJson(value);
  return given;
}

function toJson(node: ValueNode): JsonValue {
  switch (node.kind) {
    case Kind.OBJECT: {
      const object = Object.create(null) as JsonObject;
      for (const { name, value } of node.fields) object[name.value] = toJson(value);
      return object;
    }
    case Kind.LIST:
      return node.values.map(toJson);
    case Kind.INT:
      return node.value.length > INTEGER_DIGITS_MAX ? Number(node.value) : BigInt(node.value);
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

import type { ArgumentNode, DirectiveNode, ObjectFieldNode, SelectionNode, ValueNode } from 'graphql/language/ast.js';
import { Kind } from 'graphql/language/kinds.js';
import { BATCH_MAX, readDocument, type GraphqlDocument, type GraphqlType } from './graphql-documents.js';
import { graphqlFacts } from './graphql-operation.js';
import { graphqlDocuments, type GivenDocument, type GivenVariables } from './graphql-sent.js';
import type { JsonObject, JsonValue } from './request-content.js';
import type { MethodStatement } from './request-methods.js';

/** The most fields of all operations together: thousands of operations can share a fragment. */
const FIELDS_MAX = 1000;
/** The most fields, fragments and directives that are looked at, for the same reason. */
const VISITS_MAX = 20_000;

export interface GraphqlField {
  name: string;
  /** The arguments, once for each set of variables that a server may take. Without those that the body names alike. */
  arguments: JsonObject[];
  /** Whether it stands below another field, and has arguments. */
  isNested: boolean;
}

/** The operations of all documents, with the arguments of their fields. */
export interface GraphqlCalls {
  /** Whether there may be more than could be read. */
  isUndecidable: boolean;
  operations: { type: GraphqlType; fields: GraphqlField[]; directives: JsonObject[] }[];
  /** The operations that the request names, if it may run others than it has. */
  operationNames: readonly string[];
}

/** What the GraphQL documents of a request do, as `graphqlFacts`, with arguments. Null: it is no GraphQL. */
export function graphqlCalls(request: MethodStatement): GraphqlCalls | null {
  const read = graphqlDocuments(request);
  if (read === null) return null;
  const isLong = graphqlFacts(request) === 'undecidable';
  const length = read.documents.reduce((sum, { text }) => sum + text.length, 0);
  const operations: GraphqlCalls['operations'] = [];
  const left = { fields: length > BATCH_MAX ? 0 : FIELDS_MAX, visits: VISITS_MAX };
  for (const given of left.fields === 0 ? [] : read.documents) operations.push(...operationsIn(given, left));
  const isUndecidable = read.isUndecidable || read.hasUnreadVariables || isLong || left.fields <= 0 || left.visits <= 0;
  return { isUndecidable, operations, operationNames: isUndecidable ? read.operationNames.slice(0, FIELDS_MAX) : [] };
}

/** How much more may be read. */
interface Left {
  fields: number;
  visits: number;
}

/** None: it can't be parsed. */
function* operationsIn({ text, variables }: GivenDocument, left: Left): Generator<GraphqlCalls['operations'][number]> {
  const document = readDocument(text);
  for (const { operation, selectionSet, directives = [], variableDefinitions = [] } of document?.operations ?? []) {
    if (left.fields <= 0 || left.visits <= 0) return;
    const defaults = new Map(
      variableDefinitions.map(({ variable, defaultValue }) => [variable.name.value, defaultValue ?? NULL]),
    );
    const scopes = (variables.length === 0 ? [NONE] : variables).map((given) => ({ ...given, defaults }));
    const declared = [...directives, ...variableDefinitions.flatMap((each) => each.directives ?? [])];
    const { fields, found } = fieldsOf(selectionSet.selections, document!, scopes, left);
    yield { type: operation, fields, directives: [...declared, ...found].flatMap((each) => argumentsOf(each, scopes)) };
  }
}

const NONE: GivenVariables = { values: {}, isInBody: false };
const NULL: ValueNode = { kind: Kind.NULL };

/** The values of the variables in an operation. */
interface Scope extends GivenVariables {
  defaults: ReadonlyMap<string, ValueNode>;
}

/** The fields at the top, those below that have arguments, and all directives. Without recursion. */
function fieldsOf(
  selections: readonly SelectionNode[],
  { fragments }: GraphqlDocument,
  scopes: readonly Scope[],
  left: Left,
): { fields: GraphqlField[]; found: DirectiveNode[] } {
  const [fields, found, seen] = [[] as GraphqlField[], [] as DirectiveNode[], new Set<string>()];
  const open = (nodes: readonly SelectionNode[], isNested: boolean) =>
    nodes.toReversed().map((node) => ({ node, isNested }));
  const waiting = open(selections, false);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (left.fields <= 0 || left.visits-- <= 0) break;
    const { node, isNested } = next;
    found.push(...(node.directives ?? []));
    if (node.kind === Kind.FIELD) {
      if (!isNested || (node.arguments ?? []).length > 0) {
        left.fields -= 1;
        fields.push({ name: node.name.value, arguments: argumentsOf(node, scopes), isNested });
      }
      waiting.push(...open(node.selectionSet?.selections ?? [], true));
    } else if (node.kind === Kind.INLINE_FRAGMENT) waiting.push(...open(node.selectionSet.selections, isNested));
    else {
      const name = node.name.value;
      if (seen.has(`${isNested} ${name}`)) continue;
      seen.add(`${isNested} ${name}`);
      const fragment = fragments.get(name);
      found.push(...(fragment?.directives ?? []));
      waiting.push(...open(fragment?.selectionSet.selections ?? [], isNested));
    }
  }
  return { fields, found };
}

type Arguments = Pick<DirectiveNode, 'arguments'>;

const argumentsOf = ({ arguments: given = [] }: Arguments, scopes: readonly Scope[]): JsonObject[] =>
  given.length === 0 ? [] : scopes.map((scope) => toObject(given, scope));

/** What the body has under the same name is one of its own fields already. */
function toObject(fields: readonly (ArgumentNode | ObjectFieldNode)[], scope: Scope): JsonObject {
  const isOwn = (name: string, value: ValueNode): boolean =>
    scope.isInBody && value.kind === Kind.VARIABLE && value.name.value === name && Object.hasOwn(scope.values, name);
  return Object.fromEntries(
    fields
      .filter(({ name, value }) => !isOwn(name.value, value))
      .map(({ name, value }) => [name.value, toJson(value, scope)]),
  );
}

function toJson(node: ValueNode, scope: Scope): JsonValue {
  switch (node.kind) {
    case Kind.OBJECT:
      return toObject(node.fields, scope);
    case Kind.LIST:
      return node.values.map((each) => toJson(each, scope));
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.STRING:
    case Kind.ENUM:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.VARIABLE: {
      const name = node.name.value;
      return Object.hasOwn(scope.values, name)
        ? scope.values[name]
        : toJson(scope.defaults.get(name) ?? NULL, NO_SCOPE);
    }
    default:
      return null;
  }
}

/** A default has no variables. */
const NO_SCOPE: Scope = { ...NONE, defaults: new Map() };

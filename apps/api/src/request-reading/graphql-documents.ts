// The package's main file would also load its schemas and its execution.
import type { FragmentDefinitionNode, OperationDefinitionNode, SelectionSetNode } from 'graphql/language/ast.js';
import { Kind } from 'graphql/language/kinds.js';
import { parse } from 'graphql/language/parser.js';

/** Longer documents are not read. A person could not read them either. */
const TOKENS_MAX = 20_000;
/** The same limit for a batch, in characters. */
export const BATCH_MAX = 200_000;
/** The strongest first. */
export const TYPES = ['mutation', 'subscription', 'query'] as const;
export type GraphqlType = (typeof TYPES)[number];

export interface GraphqlOperations {
  /** The strongest of all. */
  type: GraphqlType;
  /** Those that have a name. */
  names: string[];
  /** The fields at the top level, with fragments resolved and without aliases. */
  fields: string[];
}

/** All operations of these documents, whatever `operationName` says. Null: one of them can't be read. */
export function graphqlOperations(documents: readonly string[]): GraphqlOperations | null {
  if (documents.reduce((sum, { length }) => sum + length, 0) > BATCH_MAX) return null;
  const fields = new Set<string>();
  const names = new Set<string>();
  let strongest = TYPES.length - 1;
  for (const document of documents) {
    const read = readDocument(document);
    if (read === null) return null;
    for (const { operation, name } of read.operations) {
      strongest = Math.min(strongest, TYPES.indexOf(operation));
      if (name !== undefined) names.add(name.value);
    }
    // Together, because thousands of operations can share a fragment.
    const selections = read.operations.flatMap(({ selectionSet }) => selectionSet.selections);
    for (const field of listFields(selections, read.fragments)) fields.add(field);
  }
  return { type: TYPES[strongest], names: [...names], fields: [...fields] };
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

/** Without recursion: fragments in fragments can be nested deeper than the parser's own recursion. */
export function listFields(
  selections: SelectionSetNode['selections'],
  fragments: Map<string, FragmentDefinitionNode>,
): string[] {
  const [fields, seen] = [new Set<string>(), new Set<string>()];
  const left = selections.toReversed();
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.kind === Kind.FIELD) fields.add(next.name.value);
    else if (next.kind === Kind.INLINE_FRAGMENT) left.push(...next.selectionSet.selections.toReversed());
    else if (!seen.has(next.name.value)) {
      seen.add(next.name.value);
      left.push(...(fragments.get(next.name.value)?.selectionSet.selections.toReversed() ?? []));
    }
  }
  return [...fields];
}

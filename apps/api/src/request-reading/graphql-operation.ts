// The package's main file would also load its schemas and its execution.
import type { FragmentDefinitionNode, OperationDefinitionNode, SelectionSetNode } from 'graphql/language/ast.js';
import { Kind } from 'graphql/language/kinds.js';
import { parse } from 'graphql/language/parser.js';
import { enumerated } from './enumerated.js';

/** Longer documents are not read. A person could not read them either. */
const TOKENS_MAX = 20_000;
/** The same limit for a batch, in characters. */
const BATCH_MAX = 200_000;
const NAME_MAX = 40;
export const UNREADABLE = 'unreadable operation';
/** The strongest first. */
const TYPES = ['mutation', 'subscription', 'query'] as const;

export interface GraphqlRequest {
  /** Null: readers may take different texts for it. */
  document: string | null;
  operationName: string | null;
}

interface Operation {
  type: (typeof TYPES)[number];
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
  if (document === null) return null;
  try {
    const { definitions } = parse(document, { noLocation: true, maxTokens: TOKENS_MAX });
    const operations = definitions.filter(
      (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
    );
    const fragments = new Map(
      definitions
        .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
        .map((node) => [node.name.value, node]),
    );
    const selected = operations.filter(({ name }) => operationName !== null && name?.value === operationName);
    const chosen = selected.length === 1 ? selected : operations;
    if (chosen.length === 0) return null;
    return chosen.map(({ operation, name, selectionSet }) => ({
      type: operation,
      name: name?.value ?? null,
      fields: () => listFields(selectionSet, fragments),
    }));
  } catch {
    return null;
  }
}

/** Without recursion: fragments in fragments can be nested deeper than the parser's own recursion. */
function listFields(selectionSet: SelectionSetNode, fragments: Map<string, FragmentDefinitionNode>): string[] {
  const [fields, seen] = [new Set<string>(), new Set<string>()];
  const left = selectionSet.selections.toReversed();
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

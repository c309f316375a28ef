import type { DocumentedOperation } from '#contracts';
import type { KnownField } from './known-fields.js';
import { sharePaths } from './path-patterns.js';
import type { RuleDraft } from './rule-draft.js';

/** Names that the API's description has, for the suggestions of the rule editor. */
export interface DescribedNames {
  fields: string[];
  queryParameters: string[];
  tags: string[];
  /** The names of operations. */
  operations: string[];
  /** The names of tools, whose arguments are no fields of the body. */
  tools: string[];
}

const NAMES_MAX = 200;

/**
 * The names of the operations that a rule may be about, those of most operations first. If it is about none of them, the
 * paths of the description may begin differently: then the names of all operations.
 */
export function describedNames(
  operations: readonly DocumentedOperation[],
  { methods, pathPattern }: Pick<RuleDraft, 'methods' | 'pathPattern'>,
): DescribedNames {
  const isTool = ({ path }: DocumentedOperation) => path === '';
  const endpoints = operations.filter((each) => !isTool(each));
  const pattern = pathPattern.trim();
  const meant = endpoints.filter(
    ({ method, path }) =>
      (methods.length === 0 || methods.some((each) => each === method)) && sharePaths(pattern, toPattern(path)),
  );
  const chosen = meant.length > 0 ? meant : endpoints;
  return {
    fields: byCount(chosen.flatMap(({ fields = [] }) => fields)),
    queryParameters: byCount(chosen.flatMap(({ queryParameters = [] }) => queryParameters)),
    tags: byCount(chosen.flatMap(({ tags = [] }) => tags)),
    operations: byCount(chosen.flatMap(({ operationId }) => operationId ?? [])),
    tools: byCount(operations.filter(isTool).flatMap(({ operationId }) => operationId ?? [])),
  };
}

/** The fields of recent bodies, whose kinds are known, and then those that only the description has. */
export function withDescribed(seen: readonly KnownField[], described: readonly string[]): KnownField[] {
  const names = new Set(seen.map(({ name }) => name));
  return [
    ...seen,
    ...described.filter((name) => !names.has(name)).map((name) => ({ name, kind: null, isForm: false })),
  ];
}

/** A parameter may stand for anything. */
const toPattern = (path: string): string => path.replaceAll(/\{[^}]*\}/g, '*');

function byCount(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name]) => name)
    .slice(0, NAMES_MAX);
}

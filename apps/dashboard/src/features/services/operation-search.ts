import type { DocumentedOperation } from '#contracts';
import { HTTP_METHODS, type HttpMethod } from '#contracts/states';

/** Finds documented operations by their words. Pure functions. */

export const searchWords = (search: string): string[] => search.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether an operation has all words, in its method, path, name or summary. */
export function hasWords(
  { method, path, operationId, summary }: DocumentedOperation,
  words: readonly string[],
): boolean {
  const searched = `${method} ${path} ${operationId ?? ''} ${summary ?? ''}`.toLowerCase();
  return words.every((word) => searched.includes(word));
}

/** What an operation does: its summary with a capital letter, or its name. Null: its document says neither. */
export const operationWords = ({ summary, operationId }: Pick<DocumentedOperation, 'summary' | 'operationId'>) =>
  // A word such as iPhone keeps its letters.
  summary?.replace(/^\p{Ll}[\p{Ll}'’-]*(?![\p{L}\p{N}_])/u, (word) => word.charAt(0).toUpperCase() + word.slice(1)) ||
  operationId ||
  null;

/** An operation that a method and a path pattern of a rule can state. */
export interface RuleOperation extends DocumentedOperation {
  method: HttpMethod;
  pathPattern: string;
}

export const ruleOperations = (operations: readonly DocumentedOperation[]): RuleOperation[] =>
  operations.filter(
    (each): each is RuleOperation =>
      typeof each.pathPattern === 'string' && HTTP_METHODS.some((it) => it === each.method),
  );

/** The operations that have all words of a search, at most `max`: those first whose summary begins with them. */
export function findOperations<Found extends DocumentedOperation>(
  operations: readonly Found[],
  search: string,
  max: number,
): Found[] {
  const words = searchWords(search);
  const beginning = words.join(' ');
  const found = operations.filter((each) => hasWords(each, words));
  const rank = ({ summary }: DocumentedOperation): number => {
    const text = summary?.toLowerCase() ?? '';
    return text.startsWith(beginning) ? 0 : words.every((word) => text.includes(word)) ? 1 : 2;
  };
  return [0, 1, 2].flatMap((wanted) => found.filter((each) => rank(each) === wanted)).slice(0, max);
}

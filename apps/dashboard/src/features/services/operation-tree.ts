import type { DocumentedOperation } from '#contracts';
import { HTTP_METHODS } from '#contracts/states';
import { hasWords, searchWords } from './operation-search.js';

/** A line of the tree: the first segment of a path with its number of operations, or one operation or tool. */
export type TreeRow =
  { path: string; count: number; operation: null } | { path: string; count: 1; operation: DocumentedOperation };

/** Empty for tools, which have no path. */
const firstSegment = (path: string): string => (path === '' ? '' : `/${path.split('/')[1] ?? ''}`);
const methodOrder = (method: string): number => {
  const at = HTTP_METHODS.indexOf(method as (typeof HTTP_METHODS)[number]);
  return at === -1 ? HTTP_METHODS.length : at;
};

/** The operations that contain all search words, sorted by path and method, grouped by first segment. */
export function operationTree(operations: readonly DocumentedOperation[], search: string): TreeRow[] {
  const words = searchWords(search);
  const found = operations
    .filter((operation) => hasWords(operation, words))
    .sort(
      (a, b) =>
        firstSegment(a.path).localeCompare(firstSegment(b.path)) ||
        a.path.localeCompare(b.path) ||
        methodOrder(a.method) - methodOrder(b.method) ||
        (a.operationId ?? '').localeCompare(b.operationId ?? ''),
    );
  const rows: TreeRow[] = [];
  let branch: TreeRow | undefined;
  for (const operation of found) {
    const segment = firstSegment(operation.path);
    if (branch?.path !== segment) {
      branch = { path: segment, count: 0, operation: null };
      rows.push(branch);
    }
    (branch as { count: number }).count += 1;
    const name = operation.path === '' ? (operation.operationId ?? '') : operation.path;
    rows.push({ path: name, count: 1, operation });
  }
  return rows;
}

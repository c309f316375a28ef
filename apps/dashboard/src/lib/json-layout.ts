import type { JsonNode } from './json-tree.js';

/** How much of JSON is shown without a press: so many items of each list, keys of each object, and levels. */
export interface JsonLayout {
  items: number;
  keys: number;
  depth: number;
}

/** A phone renders this many rows at once. */
const ROWS_MAX = 200;

/** Lists are cut first, because their items are mostly alike, and keys last. */
const LAYOUTS: readonly JsonLayout[] = [
  { items: 100, keys: 200, depth: Infinity },
  { items: 20, keys: 200, depth: Infinity },
  { items: 5, keys: 200, depth: Infinity },
  { items: 1, keys: 200, depth: Infinity },
  { items: 1, keys: 50, depth: Infinity },
  { items: 1, keys: 20, depth: 4 },
  { items: 1, keys: 10, depth: 3 },
  { items: 1, keys: 5, depth: 3 },
];

export const WHOLE: JsonLayout = { items: 500, keys: 500, depth: Infinity };

/** The first layout with few enough rows: all of a small body, and the beginning of a large one. The last one always has. */
export const layoutOf = (root: JsonNode): JsonLayout =>
  LAYOUTS.find((layout) => rowsLeft(root, layout, 0, ROWS_MAX) >= 0) ?? LAYOUTS.at(-1)!;

/** Stops as soon as there are too many. */
function rowsLeft(node: JsonNode, layout: JsonLayout, depth: number, left: number): number {
  left -= 1;
  if (depth >= layout.depth) return left;
  for (const member of membersOf(node).slice(0, limitOf(node, layout))) {
    if (left < 0) return left;
    left = rowsLeft(member, layout, depth + 1, left);
  }
  return left;
}

/** The values in an object or a list. */
export function membersOf(node: JsonNode): readonly JsonNode[] {
  if (node.kind === 'object') return node.entries.map(({ value }) => value);
  return node.kind === 'array' ? node.items : [];
}

export const limitOf = ({ kind }: JsonNode, { items, keys }: JsonLayout): number => (kind === 'array' ? items : keys);

/** Whether the items from `from` on have the same keys, at every depth, as one of the items before. */
export function isAlike(items: readonly JsonNode[], from: number): boolean {
  const known = new Set(items.slice(0, from).map(form));
  return items.slice(from).every((item) => known.has(form(item)));
}

function form(node: JsonNode): string {
  if (node.kind === 'object') {
    const members = node.entries.map(({ key, value }) => `${JSON.stringify(key)}:${form(value)}`);
    return `{${members.sort().join()}}`;
  }
  return node.kind === 'array' ? `[${[...new Set(node.items.map(form))].sort().join()}]` : node.kind;
}

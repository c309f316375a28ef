import type { JsonNode } from '../../../lib/json-tree.js';

/** A field of a JSON body that differs. Values are JSON, with the digits that were sent. null: the field is missing. */
export interface ChangedField {
  /** Such as `items[0].price`. Empty for the whole body. */
  path: string;
  before: string | null;
  after: string | null;
}

/** The fields that differ. Neither tree may have an object with a repeated key. */
export function changedFields(before: JsonNode, after: JsonNode, path = ''): ChangedField[] {
  if (before.kind === 'object' && after.kind === 'object') {
    const [old, now] = [byKey(before), byKey(after)];
    return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) =>
      compared(old.get(key), now.get(key), `${path}${asMember(key, path)}`),
    );
  }
  if (before.kind === 'array' && after.kind === 'array') return changedItems(before.items, after.items, path);
  return same(before, after) ? [] : [{ path, before: formatJson(before), after: formatJson(after) }];
}

function compared(before: JsonNode | undefined, after: JsonNode | undefined, path: string): ChangedField[] {
  if (before && after) return changedFields(before, after, path);
  return [{ path, before: before ? formatJson(before) : null, after: after ? formatJson(after) : null }];
}

/** Items that are equal at the start and at the end are not changes, so one inserted item counts as one change. */
function changedItems(before: readonly JsonNode[], after: readonly JsonNode[], path: string): ChangedField[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && same(before[start]!, after[start]!)) start++;
  let end = 0;
  while (end < shorter - start && same(before[before.length - 1 - end]!, after[after.length - 1 - end]!)) end++;
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return Array.from({ length: Math.max(old.length, now.length) }, (_, index) =>
    compared(old[index], now[index], `${path}[${start + index}]`),
  ).flat();
}

type JsonObject = Extract<JsonNode, { kind: 'object' }>;

const byKey = ({ entries }: JsonObject): Map<string, JsonNode> =>
  new Map(entries.map(({ key, value }) => [key, value]));

const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** One step of a path: `.key` (`key` at its start), or `["odd key"]`. */
export const asMember = (key: string, path: string): string =>
  PLAIN_KEY.test(key) ? `${path === '' ? '' : '.'}${key}` : `[${JSON.stringify(key)}]`;

/** Compares values. The order of keys does not matter. */
function same(a: JsonNode, b: JsonNode): boolean {
  if (a.kind === 'object' && b.kind === 'object') {
    const others = byKey(b);
    return (
      a.entries.length === b.entries.length &&
      a.entries.every(({ key, value }) => others.has(key) && same(value, others.get(key)!))
    );
  }
  if (a.kind === 'array' && b.kind === 'array')
    return a.items.length === b.items.length && a.items.every((item, index) => same(item, b.items[index]!));
  return a.kind === b.kind && formatJson(a) === formatJson(b);
}

function formatJson(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return `{${node.entries.map(({ key, value }) => `${JSON.stringify(key)}: ${formatJson(value)}`).join(', ')}}`;
    case 'array':
      return `[${node.items.map(formatJson).join(', ')}]`;
    case 'string':
      return JSON.stringify(node.value);
    default:
      return node.value;
  }
}

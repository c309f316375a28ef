import { below } from '../../../lib/json-pointer.js';
import { hasRepeatedKeys, readJson, type JsonNode } from '../../../lib/json-tree.js';
import { asMember } from '../difference/changed-fields.js';

/** A value of a JSON body that is not an object or array. */
export interface JsonField {
  /** Such as `items[0].price`. */
  path: string;
  /** Its place in the request, as a JSON pointer. */
  pointer: string;
  kind: 'string' | 'number' | 'literal';
  /** A string without its quotes; else the JSON. */
  value: string;
  /** Its place in the text: from, to. */
  span: [number, number];
}

/** A longer list is harder to read than the text. */
const FIELDS_MAX = 40;

/**
 * The values of a JSON text as fields. null: it is edited as text, because it is not JSON, repeats keys, or has no or
 * too many values.
 */
export function toJsonFields(text: string): JsonField[] | null {
  const json = readJson(text);
  if (json === null || hasRepeatedKeys(json)) return null;
  const fields = [...leaves(json, '', '/body')];
  return fields.length === 0 || fields.length > FIELDS_MAX ? null : fields;
}

/** The text with another value in this place. Everything else stays as it is written. @param written valid in this text */
export const withValue = (text: string, { span: [from, to] }: Pick<JsonField, 'span'>, written: string): string =>
  text.slice(0, from) + written + text.slice(to);

function* leaves(node: JsonNode, path: string, pointer: string): Generator<JsonField> {
  if (node.kind === 'object')
    for (const { key, value } of node.entries) yield* leaves(value, path + asMember(key, path), below(pointer, key));
  else if (node.kind === 'array')
    for (const [at, item] of node.items.entries()) yield* leaves(item, `${path}[${at}]`, below(pointer, at));
  else yield { path, pointer, kind: node.kind, value: node.value, span: node.span };
}

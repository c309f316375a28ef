import type { JsonValue, RequestContent } from '../request-reading/request-content.js';

/** A value of a request, in the JSON that was sent. */
export type FieldValue = null | boolean | string | number | bigint;

/** All places of a request with the same names. `/body/items/0/price` and `/body/items/1/price` are one field. */
export interface RequestField {
  /** The first place, as a JSON pointer into `{query, body}`. */
  pointer: string;
  /** The key of the field that contains it. Null: none does. */
  parent: string | null;
  /** The values, with the place of each. Objects and lists have none. */
  values: { pointer: string; value: FieldValue }[];
  /** If it is a list: the most items that one has. */
  items: number | null;
}

/** The fields of a request by key: a pointer with `*` in place of the positions in lists. */
export type RequestFields = ReadonlyMap<string, RequestField>;

/** A request with more values is not compared. */
const VALUES_MAX = 5000;

/**
 * The fields of the query and the body. Null: there are too many, or the body can't be read, so nobody can say what a
 * field is.
 */
export function requestFields(targetUrl: string, content: RequestContent): RequestFields | null {
  if (content.kind === 'unreadable' || content.kind === 'text' || content.kind === 'lines') return null;
  const reader = new FieldReader();
  const query = listed(new URL(targetUrl).searchParams);
  if (query.size > 0) reader.add('/query', '/query', null, Object.fromEntries(query));
  if (content.kind === 'json') reader.add('/body', '/body', null, content.value);
  if (content.kind === 'form') reader.add('/body', '/body', null, Object.fromEntries(listed(content.fields)));
  return reader.left < 0 ? null : reader.fields;
}

/** The fields of a form. A name that stands once has one value and no list. */
function listed(pairs: Iterable<readonly [string, string | readonly string[]]>): Map<string, JsonValue> {
  const all = new Map<string, string[]>();
  for (const [name, value] of pairs) all.set(name, [...(all.get(name) ?? []), ...[value].flat()]);
  return new Map(Array.from(all, ([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

class FieldReader {
  readonly fields = new Map<string, RequestField>();
  left = VALUES_MAX;

  add(key: string, pointer: string, parent: string | null, value: JsonValue): void {
    this.left -= 1;
    if (this.left < 0) return;
    let field = this.fields.get(key);
    if (field === undefined) this.fields.set(key, (field = { pointer, parent, values: [], items: null }));
    if (Array.isArray(value)) {
      field.items = Math.max(field.items ?? 0, value.length);
      for (const [index, item] of value.entries()) this.add(`${key}/*`, `${pointer}/${index}`, key, item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        const step = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        this.add(key + step, pointer + step, key, member);
      }
    } else {
      field.values.push({ pointer, value });
    }
  }
}

import type { JsonObject, JsonValue } from '../request-reading/request-content.js';
import { isSecretField } from '../request-reading/secret-names.js';

export type Scalar = null | boolean | string | number | bigint;

/** Several values under one name. Of objects, what names each. */
export interface ValueList {
  /** What stands for none. */
  empty: '[]' | '{}';
  count: number;
  items: readonly Scalar[];
  /** Whether the items are all that the list has. */
  isAll: boolean;
}

/** A value of a request: in its query, or at any depth of its body. */
export interface NamedValue {
  /** The names that lead to it. */
  path: readonly string[];
  value: Scalar | ValueList;
  isSecret: boolean;
}

export interface NamedValues {
  list: readonly NamedValue[];
  /** What is said of a body in place of its values. */
  note: string | null;
  /** Whether there are more. */
  isCut: boolean;
}

/** A headline has room for some of them, and a record has rarely more. */
const VALUES_MAX = 100;
const ITEMS_MAX = 20;
const NAME_READ_MAX = 100;
/** Names that many APIs put around the fields. */
const WRAPPERS = new Set(
  'data attributes input fields properties params arguments variables spec resource payload'.split(' '),
);
/** What names an object, the most telling first. */
const NAMING = 'id _id key name email title path url uri sku slug number'.split(' ');
/** Fields whose text says what the others of the object are: `{name: "API_KEY", value: "…"}`, `{kind: "Secret", data: …}`. */
const LABELS = new Set('name key path type kind field label attribute property variable'.split(' '));
/** They are no secret, whatever stands beside them. */
const HARMLESS = new Set([
  ...LABELS,
  ...'apiversion id description scopes scope role roles environment environments user username email expires expires_at ttl op'.split(
    ' ',
  ),
]);
const COUNT = /tokens$/i;

/** Collects the values of a request in their order, as far as a headline may need them. */
export class ValueCollector implements NamedValues {
  readonly list: NamedValue[] = [];
  note: string | null = null;
  isCut = false;

  /** @param wrapper names that say only what the body is about, as `ticket` does below `/tickets` */
  addBody(body: JsonValue, mayBeSecret: boolean, wrapper: ReadonlySet<string> = NO_NAMES): void {
    const inner = isObject(body) ? onlyField(body) : null;
    if (inner !== null && wrapper.has(inner.name) && isFilledObject(inner.value)) {
      this.add(inner.value, [], mayBeSecret || isSecretField(inner.name));
    } else if (!isObject(body) || hasField(body)) this.add(body, [], mayBeSecret);
  }

  /** A field of a query or a form. `false` in it is what it is in JSON. */
  addField(path: readonly string[], given: readonly string[], isSecret: boolean): void {
    const values = given.map((text) => (text === 'true' || text === 'false' ? text === 'true' : text));
    const short = path.map((name) => name.slice(0, NAME_READ_MAX));
    if (this.isFull) this.isCut = true;
    else this.push(short, values.length === 1 ? values[0] : listOf(values), isSecret);
  }

  /** Says of a body that has no values what it is. */
  addUnread(note: string | null): void {
    this.note = note;
    this.isCut = true;
  }

  get isFull(): boolean {
    return this.list.length >= VALUES_MAX;
  }

  private add(value: JsonValue, path: readonly string[], mayBeSecret: boolean): void {
    if (this.isFull) this.isCut = true;
    else if (Array.isArray(value)) this.addList(value, path, mayBeSecret);
    else if (isObject(value)) this.addObject(value, path, mayBeSecret);
    else this.push(path, value, isSecretBelow(path, mayBeSecret));
  }

  private addObject(object: JsonObject, path: readonly string[], mayBeSecret: boolean): void {
    if (!hasField(object)) {
      this.push(path, { empty: '{}', count: 0, items: [], isAll: true }, false);
      return;
    }
    const areSecret = mayBeSecret || saysSecret(object);
    for (const name in object) {
      if (this.isFull) {
        this.isCut = true;
        return;
      }
      const isWrapper = WRAPPERS.has(name) && isFilledObject(object[name]);
      const inner = isWrapper ? path : [...path, name.slice(0, NAME_READ_MAX)];
      this.add(object[name], inner, areSecret);
    }
  }

  private addList(list: readonly JsonValue[], path: readonly string[], mayBeSecret: boolean): void {
    if (list.length === 1) this.add(list[0], path, mayBeSecret);
    else if (list.every((item) => typeof item !== 'object' || item === null)) {
      this.push(path, listOf(list), isSecretBelow(path, mayBeSecret));
    } else {
      const named = mayBeSecret ? [] : list.slice(0, ITEMS_MAX).map(nameOf);
      const items = named.filter((name) => name !== null);
      this.push(path, { empty: '[]', count: list.length, items, isAll: false }, false);
    }
  }

  private push(path: readonly string[], value: NamedValue['value'], isSecret: boolean): void {
    const name = path.at(-1) ?? '';
    this.list.push({ path, value, isSecret: (isSecret || path.some(isSecretField)) && !isHarmless(name, value) });
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();

const isSecretBelow = (path: readonly string[], mayBeSecret: boolean): boolean =>
  mayBeSecret && !HARMLESS.has((path.at(-1) ?? '').toLowerCase());

const listOf = (list: readonly Scalar[]): ValueList => ({
  empty: '[]',
  count: list.length,
  items: list.slice(0, ITEMS_MAX),
  isAll: list.length <= ITEMS_MAX,
});

/** That a protection is on or off is what a person must know. `max_tokens` is a number. */
const isHarmless = (name: string, value: NamedValue['value']): boolean =>
  value === null || typeof value === 'boolean' || (typeof value !== 'string' && COUNT.test(name));

/** Whether a field says that another one of the object is secret. */
function saysSecret(object: JsonObject): boolean {
  for (const name in object) {
    const text = object[name];
    if (typeof text === 'string' && LABELS.has(name.toLowerCase()) && isSecretField(text.slice(0, NAME_READ_MAX))) {
      return true;
    }
  }
  return false;
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** To list all names of a long body would take time. */
function hasField(object: JsonObject): boolean {
  for (const _name in object) return true;
  return false;
}

const isFilledObject = (value: JsonValue): boolean => isObject(value) && hasField(value);

/** Null: it has none, or others. */
function onlyField(object: JsonObject): { name: string; value: JsonValue } | null {
  let only: { name: string; value: JsonValue } | null = null;
  for (const name in object) {
    if (only !== null) return null;
    only = { name, value: object[name] };
  }
  return only;
}

/** What names an item of a list. Null: nothing does. */
function nameOf(item: JsonValue): string | null {
  if (!isObject(item)) return Array.isArray(item) ? null : String(item);
  const [method, url] = [item.method, item.url ?? item.relative_url ?? item.path];
  if (typeof method === 'string' && typeof url === 'string') return `${method} ${url}`;
  for (const name of NAMING) {
    const value = item[name];
    if ((typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'bigint') {
      return String(value);
    }
  }
  // `{"delete": {"_id": "7"}}` in a bulk request.
  const only = onlyField(item);
  const inner = only && isObject(only.value) && onlyField(only.value) === null ? nameOf(only.value) : null;
  return inner === null ? null : `${only!.name} ${inner}`;
}

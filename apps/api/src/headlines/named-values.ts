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
const NAMING = 'id _id key name email receiver recipient destination to iban title path url uri sku slug number'.split(
  ' ',
);
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
    const names = isObject(body) ? Object.keys(body) : [];
    const inner = isObject(body) && names.length === 1 ? body[names[0]] : null;
    if (isFilledObject(inner) && wrapper.has(names[0])) {
      this.add(inner, [], mayBeSecret || isSecretField(names[0]));
    } else if (isObject(body)) this.addFields(body, names, [], mayBeSecret);
    else this.add(body, [], mayBeSecret);
  }

  /** `{}` is not the same as no body. */
  addEmptyObject(): void {
    this.push([], EMPTY_OBJECT, false);
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
    const names = Object.keys(object);
    if (names.length === 0) this.push(path, EMPTY_OBJECT, false);
    else this.addFields(object, names, path, mayBeSecret);
  }

  private addFields(object: JsonObject, names: readonly string[], path: readonly string[], mayBeSecret: boolean): void {
    const areSecret = mayBeSecret || saysSecret(object);
    for (const name of names) {
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

export const EMPTY_OBJECT: ValueList = { empty: '{}', count: 0, items: [], isAll: true };
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

/** As `name`, `Name` and `NAME`. */
const WRITTEN_LABELS = [...LABELS].flatMap((name) => [
  name,
  name.charAt(0).toUpperCase() + name.slice(1),
  name.toUpperCase(),
]);

/** Whether a field says that another one of the object is secret. */
const saysSecret = (object: JsonObject): boolean =>
  WRITTEN_LABELS.some((name) => {
    const text = object[name];
    return typeof text === 'string' && isSecretField(text.slice(0, NAME_READ_MAX));
  });

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isFilledObject(value: JsonValue): value is JsonObject {
  if (!isObject(value)) return false;
  for (const _name in value) return true;
  return false;
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
  const [name, ...others] = Object.keys(item);
  const inner = name === undefined || others.length > 0 ? null : item[name];
  const named = isFilledObject(inner) && Object.keys(inner).length > 1 ? nameOf(inner) : null;
  return named === null ? null : `${name} ${named}`;
}

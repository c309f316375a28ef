import { percentDecoded } from '../platform/percent-decoding.mjs';
import { outerName, readName } from './folded-name.js';

/** Each field with all its values, in the order of the form. */
export type FormFields = ReadonlyMap<string, readonly string[]>;
export type ExactForm = { fields: FormFields } | { fault: string };

const FIELDS_MAX = 1000;
/** Some readers take `;` for `&`. Control characters end a name, or are left out. */

const READ_DIFFERENTLY = /[;\x00-\x1f\x7f\ufeff]/;
const UTF8 = /^utf-?8$/i;

/**
 * Reads a form (`application/x-www-form-urlencoded`) or a query, or says why readers may differ in what they take from
 * it. A name that is repeated has all its values.
 */
export function exactForm(text: string): ExactForm {
  if (!text.isWellFormed()) return { fault: 'it has half of a character' };
  const found = READ_DIFFERENTLY.exec(text);
  if (found !== null) return { fault: `it has ${JSON.stringify(found[0])} that is not encoded` };
  if (text.startsWith('?')) return { fault: 'it begins with a question mark' };
  const pairs = text.split('&', FIELDS_MAX + 2).filter((pair) => pair !== '');
  if (pairs.length > FIELDS_MAX) return { fault: `it has more than ${FIELDS_MAX} fields` };
  const given: [string, string][] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals));
    const value = decoded(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === null || value === null) return { fault: 'it has a percent sign that encodes no UTF-8' };
    given.push([name, value]);
  }
  return exactFields(given);
}

/** The same for the fields of a multipart form. */
export function exactFields(given: readonly (readonly [string, string])[]): ExactForm {
  const fields = new Map<string, string[]>();
  for (const [name, value] of given) {
    if (name.includes('\0') || value.includes('\0')) return { fault: 'it has a NUL character' };
    // Some readers decode before they split, or write the field into the prototype of their objects.
    if (/[=&;]/.test(name) || outerName(name) === '__proto__')
      return { fault: `it has the name ${JSON.stringify(shortened(name))}` };
    if (readName(name) === '_charset_' && !UTF8.test(value)) return { fault: '_charset_ is not UTF-8' };
    const values = fields.get(name);
    if (values) values.push(value);
    else fields.set(name, [value]);
  }
  const alike = namesAlike([...fields.keys()]);
  return alike === null ? { fields } : { fault: `some servers take ${alike} for one field` };
}

/** Null: a percent sign that encodes nothing, or bytes that are not UTF-8. */
const decoded = (text: string): string | null => percentDecoded(text.replaceAll('+', ' '));

/** Two names that some reader takes for one. */
function namesAlike(names: readonly string[]): string | null {
  const known = new Map<string, string>();
  for (const name of names) {
    const other = known.get(readName(name));
    if (other !== undefined) return quoted(other, name);
    known.set(readName(name), name);
  }
  for (const name of names) {
    const outer = outerName(name);
    const other = outer === readName(name) ? undefined : known.get(outer);
    if (other !== undefined) return quoted(other, name);
  }
  return null;
}

const quoted = (...names: string[]): string => names.map((name) => JSON.stringify(shortened(name))).join(' and ');

const shortened = (name: string): string => name.slice(0, 40);

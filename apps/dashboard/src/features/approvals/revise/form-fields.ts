import { below } from '../../../lib/json-pointer.js';

/** A field of a form body (`application/x-www-form-urlencoded`). */
export interface FormField {
  /** The name, and its place among fields with this name if there are several. */
  path: string;
  /** The place of the fields with this name in the request, as a JSON pointer. */
  pointer: string;
  kind: 'string';
  value: string;
  /** The place of the value in the text: from, to. */
  span: [number, number];
}

/** A longer list is harder to read than the text. */
const FIELDS_MAX = 40;

/**
 * The fields of a form body. null: it is edited as text, because it has none or too many, one without a `=`, or one whose
 * encoding a server could read in another way.
 */
export function toFormFields(text: string): FormField[] | null {
  const pairs = text.split('&');
  if (text === '' || pairs.length > FIELDS_MAX) return null;
  const fields: FormField[] = [];
  let from = 0;
  for (const pair of pairs) {
    const [name, value] = [decoded(before(pair)), decoded(after(pair))];
    if (!pair.includes('=') || name === null || value === null) return null;
    const span: FormField['span'] = [from + before(pair).length + 1, from + pair.length];
    fields.push({ path: name, pointer: below('/body', name), kind: 'string', value, span });
    from += pair.length + 1;
  }
  return fields.map((field, at) => ({ ...field, path: placed(fields, at) }));
}

const before = (pair: string): string => pair.slice(0, Math.max(0, pair.indexOf('=')));
const after = (pair: string): string => pair.slice(pair.indexOf('=') + 1);

/** null: it is not how a browser encodes a form. */
function decoded(text: string): string | null {
  if (/[;\s]/.test(text)) return null;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

function placed(fields: readonly FormField[], at: number): string {
  const { path } = fields[at]!;
  const same = (field: FormField): boolean => field.path === path;
  if (fields.filter(same).length === 1) return path;
  return `${path} (${fields.slice(0, at + 1).filter(same).length})`;
}

/** A value as it is written in a form body. A text field has LF where the value had CRLF. */
export function toFormText(value: string, { value: earlier }: FormField): string {
  const lines = earlier.includes('\r\n') ? value.replaceAll('\n', '\r\n') : value;
  return new URLSearchParams({ v: lines }).toString().slice('v='.length);
}

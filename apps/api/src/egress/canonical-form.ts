/** The fields in which SDKs of AWS send a token that is new for each attempt. */
export const TOKENS: ReadonlySet<string> = new Set([
  'ClientToken',
  'clientToken',
  'ClientRequestToken',
  'clientRequestToken',
]);

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => UUID.test(text);

/** Spells the bytes of a text in one way: percent-encoded, apart from letters, digits and `-._~`. */
export const oneSpelling = (text: string): string =>
  /^[\w.~-]*$/.test(text)
    ? text
    : decoded(text).replace(/[^\w.~-]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Each character of the result is one byte. */
const decoded = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));

/**
 * A form or a query in one spelling. The order of fields with different names does not count, that of fields with one
 * name does. A field without a value has an empty one.
 */
export function canonicalForm(text: string): string {
  const fields = text.split('&').map((field) => {
    const [name, ...value] = field.replaceAll('+', '%20').split('=');
    return [oneSpelling(name), oneSpelling(value.join('='))] as const;
  });
  const isAws = ['Action', 'Version'].every((wanted) => fields.some(([name]) => name === wanted));
  return fields
    .filter(([name, value]) => (name !== '' || value !== '') && !(isAws && TOKENS.has(name) && isUuid(value)))
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

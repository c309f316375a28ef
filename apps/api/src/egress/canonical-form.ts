/** The fields in which SDKs of AWS send a token that is new for each attempt. */
const AWS_TOKEN_FIELDS: ReadonlySet<string> = new Set([
  'ClientToken',
  'clientToken',
  'ClientRequestToken',
  'clientRequestToken',
]);

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
export const isAwsToken = (name: string, value: string): boolean => AWS_TOKEN_FIELDS.has(name) && UUID.test(value);

const [SPACE, PERCENT, PLUS, HEX] = [32, 37, 43, Buffer.from('0123456789abcdef')];
/** Which bytes stay as they are. */
const UNRESERVED = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[\w.~-]/.test(String.fromCharCode(byte))));
const DIGITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? 16 : digit;
});

/** Spells the bytes of a field in one way: percent-encoded, apart from letters, digits and `-._~`. A plus is a blank. */
function oneSpelling(text: string): string {
  if (/^[\w.~-]*$/.test(text)) return text;
  const bytes = Buffer.from(text);
  const spelled = Buffer.allocUnsafe(3 * bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at];
    if (byte === PERCENT && DIGITS[bytes[at + 1]] < 16 && DIGITS[bytes[at + 2]] < 16) {
      byte = DIGITS[bytes[at + 1]] * 16 + DIGITS[bytes[at + 2]];
      at += 2;
    } else if (byte === PLUS) byte = SPACE;
    if (UNRESERVED[byte]) spelled[length++] = byte;
    else {
      spelled[length++] = PERCENT;
      spelled[length++] = HEX[byte >> 4];
      spelled[length++] = HEX[byte & 15];
    }
  }
  return spelled.toString('latin1', 0, length);
}

/**
 * A form or a query in one spelling. The order of fields with different names does not matter. The order of fields with
 * the same name does. A field without a value has an empty one.
 * @param isAws whether tokens of AWS don't count
 */
export function canonicalForm(text: string, isAws: boolean): string {
  const fields = text.split('&').map((field) => {
    const equals = field.indexOf('=');
    const nameEnd = equals === -1 ? field.length : equals;
    return [oneSpelling(field.slice(0, nameEnd)), oneSpelling(field.slice(nameEnd + 1))] as const;
  });
  return fields
    .filter(([name, value]) => (name !== '' || value !== '') && !(isAws && isAwsToken(name, value)))
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

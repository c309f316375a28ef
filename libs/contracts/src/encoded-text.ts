/** Texts that stand in base64 in a value of a request. This file imports nothing. */

/** Base64 of at most 64 kB. A multiple of four. */
const ENCODED_MAX = 87_380;
/** With the line breaks that some programs put after each 76 characters. */
const READ_MAX = 90_000;
const DATA_URL = /^data:[\w.+/;=-]{0,100};base64,/;
const ALPHABETS = /^(?:[A-Za-z0-9+/]+|[\w-]+)={0,2}$/;
/** Ordinary words have fewer characters. Padding makes them base64. */
const [MIN, PADDED_MIN] = [12, 8];
const CONTROL = /[^\P{Cc}\t\n\r]/u;

export interface DecodedText {
  text: string;
  /** Whether the text is all that the value says, and not only its first 64 kB. */
  isWhole: boolean;
}

/**
 * The text of a value that is base64 or base64url, of UTF-8 without control characters. Reads at most the first 64 kB.
 * null: it is something else, or too short to be sure.
 */
export function decodedText(value: string): DecodedText | null {
  const start = value.startsWith('data:') ? (DATA_URL.exec(value)?.[0].length ?? 0) : 0;
  const read = value.slice(start, start + READ_MAX).replace(/\r?\n/g, '');
  const isWhole = start + READ_MAX >= value.length && read.length <= ENCODED_MAX;
  const encoded = isWhole ? read : read.slice(0, ENCODED_MAX);
  if (!isBase64(encoded, isWhole)) return null;
  const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isWhole });
    return CONTROL.test(text) ? null : { text, isWhole };
  } catch {
    return null;
  }
}

function isBase64(encoded: string, isWhole: boolean): boolean {
  if (encoded.length < (encoded.endsWith('=') ? PADDED_MIN : MIN) || !ALPHABETS.test(encoded)) return false;
  // Identifiers and digests often have letters of one case only.
  if (!/[a-z]/.test(encoded) || !/[A-Z]/.test(encoded)) return false;
  const digits = encoded.replace(/=+$/, '').length % 4;
  if (digits === 0) return !encoded.endsWith('=');
  return (
    isWhole && digits !== 1 && (!encoded.endsWith('=') || encoded.length % 4 === 0) && isCanonical(encoded, digits)
  );
}

/** Two texts never stand for the same bytes: the bits that no byte has are 0. */
const isCanonical = (encoded: string, digits: number): boolean =>
  (digits === 2 ? /[AQgw](?:==)?$/ : /[AEIMQUYcgkosw048]=?$/).test(encoded);

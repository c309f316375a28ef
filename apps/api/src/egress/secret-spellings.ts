/**
 * The spellings in which a secret may come back. All texts are bytes read as Latin-1, like the answers that are
 * searched.
 */

/** Below this length, the middle of a base64 group may match by chance. */
const MIN_EMBEDDED_LENGTH = 8;
/** The shortest lines in which base64 is usually written (PEM). */
const LINE_LENGTH = 64;
/** The halves of a shorter text occur in too many innocent texts. */
const MIN_HALVED_LENGTH = 12;
/** A run of letters and digits of this length occurs in few texts. Most spellings of a secret contain it unchanged. */
const SIGN_LENGTH = 8;
/** Few bytes of prose and of JSON are one of these. */
const RARE_IN_TEXTS = /[A-Z0-9]/;
const MIN_SHORTENED_LENGTH = 12;

/** The texts to search for, to find one secret. */
interface Spellings {
  /** Whole spellings, for a text whose percent-encoding and JSON escapes are decoded. */
  whole: string[];
  /** Short parts of the encoded spellings. An answer without any of them contains no spelling. */
  signs: string[];
}

/** Plain, form-encoded, hexadecimal and base64: of the secret alone, inside a longer text, and as JSON. */
export function toSpellings(secret: string): Spellings {
  const texts = byteTexts(secret);
  const json = [...texts.flatMap((text) => jsonSpellings(text)), ...asciiJsonSpellings(secret)];
  const hex = texts.flatMap(hexSpellings);
  const base64 = [...texts, ...json].flatMap((text) => base64Spellings(Buffer.from(text, 'latin1')));
  const padded = base64.map((text) => text.padEnd(Math.ceil(text.length / 4) * 4, '='));
  return {
    whole: [...texts, ...texts.map((text) => text.replaceAll(' ', '+')), ...hex, ...base64, ...padded],
    signs: withoutLonger([
      ...plainSigns(secret, [...texts, ...json]),
      ...hex,
      ...base64.flatMap(halves).flatMap(signsOfPart).map(fromRareByte),
    ]),
  };
}

/** A sign that contains another one is not needed. */
function withoutLonger(signs: string[]): string[] {
  const all = [...new Set(signs)];
  return all.filter((sign) => !all.some((other) => other !== sign && sign.includes(other)));
}

/**
 * Part of a sign is a sign too. A search stops at each byte that equals the first byte of the sign, so a sign of base64
 * loses what is before its first rare byte. Signs that could then occur in innocent texts, or that can be words, stay
 * whole: a text that has a sign is searched completely, which takes thirty times as long.
 */
function fromRareByte(sign: string): string {
  const start = sign.search(RARE_IN_TEXTS);
  return sign.length - start >= MIN_SHORTENED_LENGTH ? sign.slice(Math.max(0, start)) : sign;
}

/** All spellings share a long run, unless they encode every character. */
function plainSigns(secret: string, texts: string[]): string[] {
  const run = longestRun(secret);
  if (run.length >= SIGN_LENGTH) return [run, ...encodedWhole(run)];
  return [
    ...texts.flatMap((text) => [text, text.replaceAll(' ', '+'), ...urlSpellings(text)]),
    ...encodedWhole(secret),
  ];
}

function signsOfPart(part: string): string[] {
  const run = longestRun(part);
  return run.length >= SIGN_LENGTH ? [run] : [part, part.replaceAll('/', '\\/'), ...urlSpellings(part)];
}

const longestRun = (text: string): string =>
  (text.match(/[A-Za-z0-9]+/g) ?? []).reduce((longest, run) => (run.length > longest.length ? run : longest), '');

/** Each character percent-encoded or as a JSON escape, with hexadecimal digits of either case. */
function encodedWhole(text: string): string[] {
  const percent = byteTexts(text).map((bytes) => percentEncode(bytes, /[^]/g));
  const escapes = Array.from({ length: text.length }, (_, n) => unicodeEscape(text[n])).join('');
  return [...percent, escapes].flatMap((encoded) => [encoded.toLowerCase(), upperHex(encoded)]);
}

const upperHex = (text: string): string => text.toUpperCase().replaceAll('\\U', '\\u');

const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** As in a path or query, and as in a form, with hexadecimal digits of either case. */
function urlSpellings(text: string): string[] {
  const query = percentEncode(text, /[^\w.!~*'()-]/g);
  const form = percentEncode(text, /[^\w.* -]/g).replaceAll(' ', '+');
  return [query, form].flatMap((encoded) => [encoded, encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
}

const percentEncode = (text: string, reserved: RegExp): string =>
  text.replace(reserved, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** In UTF-8, and as a header carries it: one byte for each character up to U+00FF. */
function byteTexts(secret: string): string[] {
  const utf8 = Buffer.from(secret).toString('latin1');
  return /^[\0-\xff]*$/.test(secret) ? [utf8, secret] : [utf8];
}

function hexSpellings(text: string): string[] {
  const hex = Buffer.from(text, 'latin1').toString('hex');
  return [hex, hex.toUpperCase()];
}

/** As JSON escapes it. Some writers escape slashes too. */
function jsonSpellings(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [json, json.replaceAll('/', '\\/')];
}

/** The same with every non-ASCII character escaped. */
const asciiJsonSpellings = (secret: string): string[] =>
  jsonSpellings(secret).flatMap((json) =>
    [unicodeEscape, (unit: string) => upperHex(unicodeEscape(unit))].map((escape) =>
      json.replace(/[^\x20-\x7e]/g, escape),
    ),
  );

/** The base64 spellings, without padding. */
function base64Spellings(bytes: Buffer): string[] {
  const alone = [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
  return [...alone, ...embeddedBase64(bytes)];
}

/**
 * The secret inside base64 of a longer text. The secret can begin at three offsets in a group of three bytes. For each
 * offset, this returns the groups that contain only bytes of the secret.
 */
function embeddedBase64(bytes: Buffer): string[] {
  if (bytes.length < MIN_EMBEDDED_LENGTH) return [];
  return [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    const groups = shifted.length - (shifted.length % 3);
    const start = offset === 0 ? 0 : 4;
    return (['base64', 'base64url'] as const).map((alphabet) =>
      shifted.subarray(0, groups).toString(alphabet).slice(start),
    );
  });
}

/** A line breaks at most once within this number of characters, so one of the halves stays whole. */
function halves(text: string): string[] {
  if (text.length < MIN_HALVED_LENGTH) return [text];
  const first = text.slice(0, LINE_LENGTH);
  const middle = first.length >> 1;
  return [first.slice(0, middle), first.slice(middle)];
}

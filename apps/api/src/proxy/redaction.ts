import { isUtf8 } from 'node:buffer';
import type { Answer } from '../approvals/stored-response.js';

const REDACTED = '[REDACTED]';
/** Shorter values stand in too many innocent texts, and are no secrets by any standard. */
const MIN_SECRET_LENGTH = 4;
/** Below this, the middle of a base64 group says too little to be told from chance. */
const MIN_EMBEDDED_LENGTH = 8;
const TEXT_TYPE =
  /^\s*(text\/|multipart\/|application\/(x-www-form-urlencoded|[\w.+-]*(json|xml|javascript|yaml|graphql)))/i;

/** Takes injected secrets out of what an upstream echoes: raw, base64 and URL-encoded (contract 5). */
export class Redactor {
  private readonly forms: string[];
  private readonly needles: Buffer[];

  constructor(secrets: readonly string[]) {
    const forms = new Set(secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).flatMap(spellings));
    // Longest first: a form may contain another.
    this.forms = [...forms].sort((a, b) => b.length - a.length);
    this.needles = this.forms.map((form) => Buffer.from(form, 'latin1'));
  }

  redact(answer: Answer): Answer {
    const headers = answer.headers.map(([name, value]): [string, string] => [name, this.redactText(value)]);
    return { ...answer, headers, body: this.redactBody(answer) };
  }

  /** Binary bodies stay as they are, to the bit. */
  private redactBody({ headers, body }: Answer): Buffer {
    if (!this.needles.some((needle) => body.includes(needle))) return body;
    const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    if (!TEXT_TYPE.test(type) && !isUtf8(body)) return body;
    // Latin-1 maps each byte to one character, so that this works in every charset that contains ASCII.
    return Buffer.from(this.redactText(body.toString('latin1')), 'latin1');
  }

  private redactText(text: string): string {
    for (const form of this.forms) if (text.includes(form)) text = text.replaceAll(form, REDACTED);
    return text;
  }
}

/**
 * How a secret may come back, alone and one inside the other: JSON, then base64, then URL-encoded. All texts are bytes seen
 * as Latin-1, as are the bodies and headers in which they are looked for.
 */
function spellings(secret: string): string[] {
  const texts = new Set(byteTexts(secret).flatMap((text) => [text, ...jsonSpellings(text)]));
  for (const text of jsonSpellings(secret, /[^\x20-\x7e]/g)) texts.add(text);
  const encoded = [...texts].flatMap((text) => base64Spellings(Buffer.from(text, 'latin1')));
  return [...texts, ...encoded]
    .filter((text) => text.length >= MIN_SECRET_LENGTH)
    .flatMap((text) => [text, ...urlSpellings(text)]);
}

/** In UTF-8; and as a header carries it, which has one byte for each character up to U+00FF. */
function byteTexts(secret: string): string[] {
  const utf8 = Buffer.from(secret).toString('latin1');
  return /^[\0-\xff]*$/.test(secret) ? [utf8, secret] : [utf8];
}

/** As JSON escapes it; some writers escape slashes too, or all that is not ASCII. */
function jsonSpellings(text: string, escaped = /(?!)/g): string[] {
  const json = JSON.stringify(text)
    .slice(1, -1)
    .replace(escaped, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [json, json.replaceAll('/', '\\/')];
}

function base64Spellings(bytes: Buffer): string[] {
  const whole = [bytes.toString('base64'), bytes.toString('base64url')];
  return [...whole, ...whole.map((text) => text.replace(/=+$/, '')), ...embeddedBase64(bytes)];
}

/** In a path or query, and in a form, with either case of hexadecimal digits. */
function urlSpellings(text: string): string[] {
  const query = percentEncode(text, /[^\w.!~*'()-]/g);
  const form = percentEncode(text, /[^\w.* -]/g).replaceAll(' ', '+');
  return [query, form].flatMap((encoded) => [encoded, encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
}

const percentEncode = (text: string, reserved: RegExp): string =>
  text.replace(reserved, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** How the secret looks inside base64 of a longer text: at each of three offsets, the groups that hold nothing else. */
function embeddedBase64(bytes: Buffer): string[] {
  if (bytes.length < MIN_EMBEDDED_LENGTH) return [];
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const whole = padded.length - (padded.length % 3);
    const start = offset === 0 ? 0 : 4;
    return (['base64', 'base64url'] as const).map((encoding) =>
      padded.subarray(0, whole).toString(encoding).slice(start),
    );
  });
}

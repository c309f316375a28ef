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
    this.forms = [...forms].sort((a, b) => b.length - a.length).map((form) => Buffer.from(form).toString('latin1'));
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

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(secret);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    form,
    form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    ...[bytes.toString('base64'), bytes.toString('base64url')].flatMap((text) => [text, text.replace(/=+$/, '')]),
    ...embeddedBase64(bytes),
  ].filter((text) => text.length >= MIN_SECRET_LENGTH);
}

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

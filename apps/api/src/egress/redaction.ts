/**
 * Redacts secrets that an upstream echoes (docs/reference/egress.md#redaction). SECURITY.md lists the spellings that it
 * finds.
 */
import { isUtf8 } from 'node:buffer';
import type { Answer } from './answer.js';
import { readings, withoutLineBreaks, type Reading } from './readings.js';
import { spellingsOf } from './secret-spellings.js';

const REDACTED = Buffer.from('[REDACTED]');
/** Shorter values occur in too many innocent texts, and are too short for secrets. */
const MIN_SECRET_LENGTH = 4;
/** A body is searched block by block, so that its readings need little memory. */
const BLOCK_BYTES = 256 * 1024;
/**
 * The most bytes that one decoded byte can take: 18 if each byte of `\u0041` is percent-encoded, and sometimes a line
 * break.
 */
const LONGEST_UNIT = 20;
const TEXT_TYPE =
  /^\s*(text\/|multipart\/|application\/(x-www-form-urlencoded|[\w.+-]*(json|xml|javascript|yaml|graphql)))/i;

type Span = [start: number, end: number];

export class Redactor {
  private readonly spellings: Buffer[];
  /** A text without any of these contains no spelling. */
  private readonly signs: string[];
  private readonly overlap: number;

  constructor(secrets: readonly string[]) {
    const found = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).map(spellingsOf);
    this.spellings = distinct(found.flatMap(({ whole }) => whole)).map((text) => Buffer.from(text, 'latin1'));
    this.signs = distinct(found.flatMap(({ signs }) => signs));
    this.overlap = LONGEST_UNIT * Math.max(0, ...this.spellings.map(({ length }) => length));
  }

  redact(answer: Answer): Answer {
    return { ...answer, headers: this.redactHeaders(answer.headers), body: this.redactBody(answer) };
  }

  /** Most answers contain no secret, and one search over all values shows it. */
  private redactHeaders(headers: Answer['headers']): Answer['headers'] {
    const all = headers.map(([, value]) => value).join('\n');
    if (!this.hasSign(all)) return headers;
    return headers.map(([name, value]) => [name, this.redactBytes(Buffer.from(value, 'latin1')).toString('latin1')]);
  }

  /** Binary bodies stay the same, bit for bit. */
  private redactBody({ headers, body }: Answer): Buffer {
    const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    return TEXT_TYPE.test(type) || isUtf8(body) ? this.redactBytes(body) : body;
  }

  /** @returns the same bytes if they contain no secret */
  private redactBytes(bytes: Buffer): Buffer {
    const spans: Span[] = [];
    const step = Math.max(BLOCK_BYTES, 4 * this.overlap);
    for (let from = 0; from < bytes.length; from += step) {
      for (const [start, end] of this.find(bytes.subarray(from, from + step + this.overlap))) {
        spans.push([from + start, from + end]);
      }
    }
    return spans.length === 0 ? bytes : replaced(bytes, spans);
  }

  private find(block: Buffer): Span[] {
    const spans: Span[] = [];
    // Searching a short text takes a third of the time of searching its bytes.
    if (!this.hasSign(block.toString('latin1'))) return spans;
    for (const reading of readings(block)) {
      this.findIn(reading, spans);
      this.findIn(withoutLineBreaks(reading), spans);
    }
    return spans;
  }

  private hasSign(text: string): boolean {
    return this.signs.some((sign) => text.includes(sign));
  }

  private findIn({ bytes, starts, ends }: Reading, spans: Span[]): void {
    for (const spelling of this.spellings) {
      for (let at = bytes.indexOf(spelling); at !== -1; at = bytes.indexOf(spelling, at + spelling.length)) {
        const last = at + spelling.length - 1;
        spans.push([starts?.[at] ?? at, ends?.[last] ?? last + 1]);
      }
    }
  }
}

/** Overlapping spans become one. */
function replaced(bytes: Buffer, spans: Span[]): Buffer {
  spans.sort(([a], [b]) => a - b);
  const parts: Buffer[] = [];
  let kept = 0;
  for (const [start, end] of spans) {
    if (start >= kept) parts.push(bytes.subarray(kept, start), REDACTED);
    kept = Math.max(kept, end);
  }
  parts.push(bytes.subarray(kept));
  return Buffer.concat(parts);
}

const distinct = (texts: string[]): string[] => [...new Set(texts)];

/**
 * Takes secrets out of what an upstream echoes (docs/reference/egress.md#redaction). SECURITY.md says spelling by
 * spelling what is found.
 */
import { isUtf8 } from 'node:buffer';
import type { Answer } from './answer.js';
import { readings, withoutLineBreaks, type Reading } from './readings.js';
import { spellingsOf } from './secret-spellings.js';

const REDACTED = Buffer.from('[REDACTED]');
/** Shorter values stand in too many innocent texts, and are no secrets by any standard. */
const MIN_SECRET_LENGTH = 4;
/** A body is searched in blocks, so that its readings need little memory. */
const BLOCK_BYTES = 256 * 1024;
/** So many bytes stand for one at most: 18 where each of `\u0041` is percent-encoded, and a line break now and then. */
const LONGEST_UNIT = 20;
const TEXT_TYPE =
  /^\s*(text\/|multipart\/|application\/(x-www-form-urlencoded|[\w.+-]*(json|xml|javascript|yaml|graphql)))/i;

type Span = [start: number, end: number];

export class Redactor {
  private readonly spellings: Buffer[];
  /** Where none of these is, no spelling is. */
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

  /** Nearly always there is nothing, and one search over all values says so. */
  private redactHeaders(headers: Answer['headers']): Answer['headers'] {
    const all = headers.map(([, value]) => value).join('\n');
    if (!this.hasSign(all)) return headers;
    return headers.map(([name, value]) => [name, this.redactBytes(Buffer.from(value, 'latin1')).toString('latin1')]);
  }

  /** Binary bodies stay as they are, to the bit. */
  private redactBody({ headers, body }: Answer): Buffer {
    const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    return TEXT_TYPE.test(type) || isUtf8(body) ? this.redactBytes(body) : body;
  }

  /** @returns the very same bytes where no secret is in them */
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
    // A short text is searched in a third of the time that its bytes are.
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

/** Spans that overlap become one. */
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

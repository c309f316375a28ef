/**
 * Redacts secrets that an upstream echoes (docs/reference/egress.md#redaction). SECURITY.md lists the spellings that it
 * finds.
 */
import { isUtf8 } from 'node:buffer';
import { isEncoded, type Answer } from './answer.js';
import { inBlock, readings, withoutLineBreaks, type Reading } from './readings.js';
import type { ShortSteps } from '../platform/short-steps.js';
import { PartialMatch } from './partial-match.js';
import { REDACTED, Redaction, replaced, type Span } from './spans.js';
import { toSpellings } from './secret-spellings.js';

const [LF, CR] = [0x0a, 0x0d];
/** Shorter values occur in too many innocent texts, and are too short for secrets. */
const MIN_SECRET_LENGTH = 4;
/** A body is searched block by block, so that its readings need little memory. */
const BLOCK_BYTES = 32 * 1024;
/** So many bytes are searched for spellings in one step, and so many headers for signs. */
const SEARCHED_IN_A_STEP = 256 * 1024;
const HEADERS_IN_A_STEP = 32;
/**
 * The most bytes that one decoded byte can take: 18 if each byte of `\u0041` is percent-encoded, and sometimes a line
 * break.
 */
const LONGEST_UNIT = 20;
const TEXT_TYPE =
  /^\s*(text\/|multipart\/|application\/(x-www-form-urlencoded|[\w.+-]*(json|xml|javascript|yaml|graphql)))/i;

/** A letter or digit may end an escape, and so may these. Blanks may be part of a line break. */
const MAY_END_A_SECRET = /[\da-z"\\/%\s]/i;
/** The possible beginning of a percent-encoded character or JSON escape that continues in the next chunk. */
const OPEN_ESCAPE = /[%\\][%\\0-9a-z]{0,19}$/i;

/** Whether the answer says that it is text. */
const isTextType = (headers: Answer['headers']): boolean =>
  TEXT_TYPE.test(headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '');

/** Whether a body is searched as text: it says so, or its bytes have a coding that nobody could undo. */
export const isText = (headers: Answer['headers']): boolean => isTextType(headers) || isEncoded(headers);

/** The end of a text that may begin a secret. */
interface OpenEnd {
  start: number;
  /** It is long enough to reveal something. */
  isTelling: boolean;
}

export class Redactor {
  private readonly spellings: Buffer[];
  /** A text without any of these contains no spelling. */
  private readonly signs: string[];
  private readonly overlap: number;
  private partialMatches: PartialMatch[] | null = null;
  private harmlessEnds: boolean[] | null = null;

  constructor(secrets: readonly string[]) {
    const found = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).map(toSpellings);
    this.spellings = distinct(found.flatMap(({ whole }) => whole)).map((text) => Buffer.from(text, 'latin1'));
    this.signs = distinct(found.flatMap(({ signs }) => signs));
    this.overlap = LONGEST_UNIT * Math.max(0, ...this.spellings.map(({ length }) => length));
  }

  /** Redacts an answer in steps, because an upstream can make it slow (docs/adr/0070-turns.md). */
  *redact(answer: Answer): ShortSteps<Answer> {
    return { ...answer, headers: yield* this.redactHeaders(answer.headers), body: yield* this.redactBody(answer) };
  }

  /**
   * Redacts a text that arrives in parts.
   * @returns what may be passed, and the rest, which may begin a secret
   */
  *redactBeginning(text: Buffer): ShortSteps<[passed: Buffer, rest: Buffer]> {
    const spans = yield* this.find(text);
    const edge = (yield* this.openEnds(text)).reduce((first, { start }) => Math.min(first, start), text.length);
    // A whole secret is passed on at once, redacted.
    const end = spans.reduce((last, span) => (span[0] < edge ? Math.max(last, span[1]) : last), edge);
    const passed = spans.filter(([start]) => start < end);
    const whole = text.subarray(0, end);
    return [passed.length === 0 ? whole : replaced(whole, passed), text.subarray(end)];
  }

  /** Redacts the end of a body, where the text may stop in the middle of a secret. */
  *redactEnd(text: Buffer): ShortSteps<Buffer> {
    const spans = yield* this.find(text);
    const starts = (yield* this.openEnds(text)).flatMap(({ start, isTelling }) => (isTelling ? [start] : []));
    if (starts.length > 0) spans.push([Math.min(...starts), withoutFinalBreaks(text)]);
    return spans.length === 0 ? text : replaced(text, spans);
  }

  /**
   * Whether `redactEnd` certainly changes none of these texts. Cheap, and true for most events of JSON: they end with a
   * bracket, which is in no secret.
   * @param latin1 the texts, and perhaps what follows them
   * @param ends where each text ends
   */
  leavesAlone(texts: Buffer, latin1: string, ends: number[]): boolean {
    const harmless = (this.harmlessEnds ??= this.bytesAtHarmlessEnds());
    return (
      !this.hasSign(latin1) &&
      ends.every((end, n) => {
        const first = n === 0 ? 0 : ends[n - 1];
        let last = end - 1;
        while (last > first && isBreak(texts[last])) last -= 1;
        return harmless[texts[last]];
      })
    );
  }

  /** The bytes that no spelling contains, and that every reading leaves unchanged or out. */
  private bytesAtHarmlessEnds(): boolean[] {
    const hasBreaks = this.spellings.some((spelling) => spelling.includes(LF) || spelling.includes(CR));
    return Array.from(
      { length: 256 },
      (_, byte) =>
        !hasBreaks &&
        // `leavesAlone` asks about a line break only if the text consists of nothing else.
        (isBreak(byte) || !MAY_END_A_SECRET.test(String.fromCharCode(byte))) &&
        !this.spellings.some((spelling) => spelling.includes(byte)),
    );
  }

  private *openEnds(text: Buffer): ShortSteps<OpenEnd[]> {
    const from = Math.max(0, text.length - this.overlap);
    const tail = text.subarray(from);
    const ends = yield* this.openEndsIn(tail);
    const escape = OPEN_ESCAPE.exec(tail.toString('latin1', Math.max(0, tail.length - LONGEST_UNIT)));
    if (escape !== null) {
      const start = tail.length - escape[0].length;
      ends.push({ start, isTelling: false }, ...(yield* this.openEndsIn(tail.subarray(0, start))));
    }
    return ends.map(({ start, isTelling }) => ({ start: from + start, isTelling }));
  }

  private *openEndsIn(tail: Buffer): ShortSteps<OpenEnd[]> {
    this.partialMatches ??= this.spellings.map((spelling) => new PartialMatch(spelling));
    const ends: OpenEnd[] = [];
    for (const reading of readings(tail)) {
      if (reading === null) {
        yield;
        continue;
      }
      const joined = yield* withoutLineBreaks(reading);
      for (const read of joined === null ? [reading] : [reading, joined]) {
        // Most readings have no match, and there are many.
        let found: Span[] | null = null;
        for (const match of this.partialMatches) {
          const length = match.at(read.bytes);
          if (length === 0) continue;
          (found ??= []).push([read.bytes.length - length, read.bytes.length]);
          ends.push({ start: 0, isTelling: match.isTelling(length) });
        }
        if (found === null) continue;
        const first = ends.length - found.length;
        for (const [n, [start]] of (yield* inBlock(read, found)).entries()) ends[first + n].start = start;
      }
    }
    return ends;
  }

  /**
   * Most answers contain no secret, and one search over all names and values shows it. A header with a secret as its
   * name is dropped.
   */
  *redactHeaders(headers: Answer['headers']): ShortSteps<Answer['headers']> {
    if (!this.hasSign(headers.join('\n'))) return headers;
    const redacted: Answer['headers'] = [];
    for (const [n, header] of headers.entries()) {
      if (n % HEADERS_IN_A_STEP === 0) yield;
      if (!this.hasSign(header.join('\n'))) redacted.push(header);
      else {
        const [name, value] = [yield* this.redactLatin1(header[0]), yield* this.redactLatin1(header[1])];
        if (!name.includes(REDACTED)) redacted.push([name, value]);
      }
    }
    return redacted;
  }

  private *redactLatin1(text: string): ShortSteps<string> {
    return (yield* this.redactBytes(Buffer.from(text, 'latin1'))).toString('latin1');
  }

  /** Binary bodies stay the same, byte for byte. */
  private *redactBody({ headers, body }: Answer): ShortSteps<Buffer> {
    return isText(headers) || isUtf8(body) ? yield* this.redactBytes(body) : body;
  }

  /** @returns the same bytes if they contain no secret */
  private *redactBytes(bytes: Buffer): ShortSteps<Buffer> {
    const redaction = new Redaction(bytes);
    const step = Math.max(BLOCK_BYTES, 4 * this.overlap);
    for (let from = 0; from < bytes.length; from += step) {
      if (from > 0) yield;
      const spans = yield* this.find(bytes.subarray(from, from + step + this.overlap));
      redaction.add(spans, from, Math.min(bytes.length, from + step));
    }
    return redaction.whole();
  }

  private *find(block: Buffer): ShortSteps<Span[]> {
    const spans: Span[] = [];
    // Searching a short text takes a third of the time of searching its bytes.
    if (!this.hasSign(block.toString('latin1'))) return spans;
    for (const reading of readings(block)) {
      yield;
      if (reading === null) continue;
      yield* this.findIn(reading, spans);
      const joined = yield* withoutLineBreaks(reading);
      if (joined !== null) yield* this.findIn(joined, spans);
    }
    return spans;
  }

  private hasSign(text: string): boolean {
    return this.signs.some((sign) => text.includes(sign));
  }

  private *findIn(reading: Reading, spans: Span[]): ShortSteps<void> {
    const { bytes } = reading;
    const found: Span[] = [];
    let searched = 0;
    for (const spelling of this.spellings) {
      for (let at = bytes.indexOf(spelling); at !== -1; at = bytes.indexOf(spelling, at + spelling.length)) {
        found.push([at, at + spelling.length]);
      }
      searched += bytes.length;
      if (searched < SEARCHED_IN_A_STEP) continue;
      searched = 0;
      yield;
    }
    for (const span of yield* inBlock(reading, found)) spans.push(span);
  }
}

/** Where the line breaks at the end begin. */
function withoutFinalBreaks(text: Buffer): number {
  let end = text.length;
  while (end > 0 && isBreak(text[end - 1])) end -= 1;
  return end;
}

const isBreak = (byte: number): boolean => byte === LF || byte === CR;

const distinct = (texts: string[]): string[] => [...new Set(texts)];

/** The ways to read the bytes of an answer: as they are, and with percent-encoding and JSON escapes decoded. */
import type { ShortSteps } from '../platform/short-steps.js';
import type { Span } from './spans.js';

/** A text, and what it was decoded from. The block itself has no source. */
export interface Reading {
  bytes: Buffer;
  source?: { reading: Reading; decode: Decode };
}

/**
 * Decodes bytes into `out`, which has the same length.
 * @param onUnit is called after each unit of the bytes that was decoded at once, with how many bytes `out` has then, and
 * where the unit begins and ends
 * @returns the length of what was decoded
 */
type Decode = (bytes: Buffer, out: Buffer, onUnit?: OnUnit) => ShortSteps<number>;
type OnUnit = (length: number, start: number, end: number) => void;

/** Where a decoder is: in the bytes that it reads, and in those that it writes. */
interface Cursor {
  at: number;
  length: number;
}

/** Decodes what is at the cursor, and moves the cursor past it. @returns false: there is nothing to decode */
type Undo = (bytes: Buffer, cursor: Cursor, out: Buffer) => boolean;

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const [LF, CR, BLANK, TAB] = [0x0a, 0x0d, 0x20, 0x09];
/** The character after the backslash of a short escape, and its meaning. */
const SHORT = new Uint8Array(256);
for (const [n, letter] of Array.from('"\\/bfnrt').entries()) {
  SHORT[letter.charCodeAt(0)] = '"\\/\b\f\n\r\t'.charCodeAt(n);
}
/** So many bytes are decoded in one step. */
const STEP_BYTES = 16 * 1024;

/**
 * Every reading of a block, also with one coding inside the other. Most blocks hold nothing to decode, and have one
 * reading. Null: a step is over.
 */
export function* readings(block: Buffer): Generator<Reading | null, void, void> {
  const plain: Reading = { bytes: block };
  yield plain;
  yield* undone(plain, [PERCENT, undoPercent], [BACKSLASH, undoEscape]);
  yield* undone(plain, [BACKSLASH, undoEscape], [PERCENT, undoPercent]);
}

type Coding = [mark: number, undo: Undo];

function* undone(reading: Reading, [mark, undo]: Coding, ...inner: Coding[]): Generator<Reading | null, void, void> {
  if (!reading.bytes.includes(mark)) return;
  const steps = decoded(reading, withUndone(mark, undo));
  let step = steps.next();
  for (; !step.done; step = steps.next()) yield null;
  yield step.value;
  if (inner.length > 0) yield* undone(step.value, inner[0]);
}

/** Long base64 is broken into lines. Blanks after a line break are left out too. @returns null: it has no lines */
export function* withoutLineBreaks(reading: Reading): ShortSteps<Reading | null> {
  const { bytes } = reading;
  return bytes.includes(LF) || bytes.includes(CR) ? yield* decoded(reading, joinLines) : null;
}

function* decoded(reading: Reading, decode: Decode): ShortSteps<Reading> {
  const out = Buffer.allocUnsafe(reading.bytes.length);
  return { bytes: out.subarray(0, yield* decode(reading.bytes, out)), source: { reading, decode } };
}

/**
 * Converts the places of spans in a reading to their places in the block. For this it decodes again. Keeping the place
 * of each byte instead would take eight times the memory of the text, and in most texts nothing is found.
 */
export function* inBlock({ source }: Reading, spans: Span[]): ShortSteps<Span[]> {
  if (source === undefined || spans.length === 0) return spans;
  const wanted = Uint32Array.from(spans.flatMap(([start, end]) => [start, end - 1])).sort();
  const units = new Map<number, Span>();
  let next = 0;
  const { reading, decode } = source;
  yield* decode(reading.bytes, Buffer.allocUnsafe(reading.bytes.length), (decodedLength, start, end) => {
    while (next < wanted.length && wanted[next] < decodedLength) units.set(wanted[next++], [start, end]);
  });
  const placed = spans.map(([start, end]): Span => [units.get(start)![0], units.get(end - 1)![1]]);
  return yield* inBlock(reading, placed);
}

function* joinLines(bytes: Buffer, out: Buffer, onUnit?: OnUnit): ShortSteps<number> {
  let length = 0;
  let afterBreak = false;
  for (let at = 0; at < bytes.length; at++) {
    if (at % STEP_BYTES === STEP_BYTES - 1) yield;
    const byte = bytes[at];
    if (byte === LF || byte === CR) afterBreak = true;
    else if (byte !== BLANK && byte !== TAB) afterBreak = false;
    if (afterBreak) continue;
    out[length++] = byte;
    onUnit?.(length, at, at + 1);
  }
  return length;
}

/** @param mark the first byte of everything to decode */
const withUndone = (mark: number, undo: Undo): Decode =>
  function* (bytes, out, onUnit) {
    const cursor: Cursor = { at: 0, length: 0 };
    for (let stepEnd = STEP_BYTES; cursor.at < bytes.length;) {
      if (cursor.at >= stepEnd) {
        stepEnd = cursor.at + STEP_BYTES;
        yield;
      }
      const { at } = cursor;
      if (bytes[at] !== mark || !undo(bytes, cursor, out)) {
        out[cursor.length++] = bytes[at];
        cursor.at = at + 1;
      }
      onUnit?.(cursor.length, at, cursor.at);
    }
    return cursor.length;
  };

const undoPercent: Undo = (bytes, cursor, out) => {
  const byte = hex(bytes, cursor.at + 1, 2);
  if (byte === -1) return false;
  out[cursor.length++] = byte;
  cursor.at += 3;
  return true;
};

const undoEscape: Undo = (bytes, cursor, out) => {
  const { at } = cursor;
  if (bytes[at + 1] !== LETTER_U) {
    const character = at + 1 < bytes.length ? SHORT[bytes[at + 1]] : 0;
    if (character === 0) return false;
    out[cursor.length++] = character;
    cursor.at += 2;
    return true;
  }
  const unit = hex(bytes, at + 2, 4);
  if (unit === -1) return false;
  const low = bytes[at + 6] === BACKSLASH && bytes[at + 7] === LETTER_U ? hex(bytes, at + 8, 4) : -1;
  const pair = unit >> 10 === 0x36 && low >> 10 === 0x37;
  putUtf8(pair ? 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff) : unit, cursor, out);
  cursor.at += pair ? 12 : 6;
  return true;
};

function putUtf8(point: number, cursor: Cursor, out: Buffer): void {
  if (point < 0x80) out[cursor.length++] = point;
  else {
    if (point < 0x800) out[cursor.length++] = 0xc0 | (point >> 6);
    else {
      if (point < 0x10000) out[cursor.length++] = 0xe0 | (point >> 12);
      else {
        out[cursor.length++] = 0xf0 | (point >> 18);
        out[cursor.length++] = 0x80 | ((point >> 12) & 0x3f);
      }
      out[cursor.length++] = 0x80 | ((point >> 6) & 0x3f);
    }
    out[cursor.length++] = 0x80 | (point & 0x3f);
  }
}

/** @returns -1 if there are fewer digits */
function hex(bytes: Buffer, at: number, digits: number): number {
  let value = 0;
  for (let n = at; n < at + digits; n += 1) {
    const byte = bytes[n];
    const folded = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) value = value * 16 + byte - 0x30;
    else if (folded >= 0x61 && folded <= 0x66) value = value * 16 + folded - 0x57;
    else return -1;
  }
  return value;
}

/** The ways to read the bytes of an answer: as they are, and with percent-encoding and JSON escapes decoded. */

/**
 * A decoded text. `starts` and `ends` give the place of each byte in the block. Without them, the places are the same.
 */
export interface Reading {
  bytes: Buffer;
  starts?: Uint32Array;
  ends?: Uint32Array;
}

/** Decodes what is at a place. @returns how many bytes it took, or 0 if there is nothing to decode */
type Undo = (bytes: Buffer, at: number, put: (byte: number) => void) => number;

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** The character after the backslash of a short escape, and its meaning. */
const SHORT = new Map(Array.from('"\\/bfnrt', (letter, n) => [letter.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(n)]));

/**
 * Every reading of a block, also with one coding inside the other. Most blocks hold nothing to decode, and have one
 * reading.
 */
export function* readings(block: Buffer): Generator<Reading> {
  const plain: Reading = { bytes: block };
  yield plain;
  yield* undone(plain, [PERCENT, undoPercent], [BACKSLASH, undoEscape]);
  yield* undone(plain, [BACKSLASH, undoEscape], [PERCENT, undoPercent]);
}

type Coding = [mark: number, undo: Undo];

function* undone(reading: Reading, [mark, undo]: Coding, ...inner: Coding[]): Generator<Reading> {
  if (!reading.bytes.includes(mark)) return;
  const read = without(reading, mark, undo);
  yield read;
  if (inner.length > 0) yield* undone(read, inner[0]);
}

/** Long base64 is broken into lines. Blanks after a line break are left out too. */
export function withoutLineBreaks(reading: Reading): Reading {
  let afterBreak = false;
  return without(reading, -1, (bytes, at) => {
    const byte = bytes[at];
    if (byte === 0x0a || byte === 0x0d) afterBreak = true;
    else if (byte !== 0x20 && byte !== 0x09) afterBreak = false;
    return afterBreak ? 1 : 0;
  });
}

/** @param mark the first byte of everything to decode, or -1 for any byte */
function without({ bytes, starts, ends }: Reading, mark: number, undo: Undo): Reading {
  const read = { bytes: Buffer.allocUnsafe(bytes.length) } as Required<Reading>;
  read.starts = new Uint32Array(bytes.length);
  read.ends = new Uint32Array(bytes.length);
  let length = 0;
  const put = (byte: number): void => {
    read.bytes[length++] = byte;
  };
  for (let at = 0; at < bytes.length;) {
    const first = length;
    let width = mark === -1 || bytes[at] === mark ? undo(bytes, at, put) : 0;
    if (width === 0) {
      read.bytes[length++] = bytes[at];
      width = 1;
    }
    const start = starts === undefined ? at : starts[at];
    const end = ends === undefined ? at + width : ends[at + width - 1];
    for (let n = first; n < length; n += 1) {
      read.starts[n] = start;
      read.ends[n] = end;
    }
    at += width;
  }
  read.bytes = read.bytes.subarray(0, length);
  return read;
}

const undoPercent: Undo = (bytes, at, put) => {
  const byte = hex(bytes, at + 1, 2);
  if (byte === -1) return 0;
  put(byte);
  return 3;
};

const undoEscape: Undo = (bytes, at, put) => {
  if (bytes[at + 1] !== LETTER_U) {
    const character = SHORT.get(bytes[at + 1]);
    if (character === undefined) return 0;
    put(character);
    return 2;
  }
  const unit = hex(bytes, at + 2, 4);
  if (unit === -1) return 0;
  if (unit < 0x80) {
    put(unit);
    return 6;
  }
  const low = bytes[at + 6] === BACKSLASH && bytes[at + 7] === LETTER_U ? hex(bytes, at + 8, 4) : -1;
  const pair = unit >> 10 === 0x36 && low >> 10 === 0x37;
  putUtf8(pair ? 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff) : unit, put);
  return pair ? 12 : 6;
};

function putUtf8(point: number, put: (byte: number) => void): void {
  if (point < 0x800) put(0xc0 | (point >> 6));
  else {
    if (point < 0x10000) put(0xe0 | (point >> 12));
    else {
      put(0xf0 | (point >> 18));
      put(0x80 | ((point >> 12) & 0x3f));
    }
    put(0x80 | ((point >> 6) & 0x3f));
  }
  put(0x80 | (point & 0x3f));
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

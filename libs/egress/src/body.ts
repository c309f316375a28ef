import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { EgressFailure } from './failure.js';

const FIRST_CAPACITY = 64 * 1024;
/** Limits for the size of zlib's output chunks: large bodies get few chunks, small bodies get small ones. */
const PIECE_MIN = 16 * 1024;
const PIECE_MAX = 1024 * 1024;
/** Head and end of a gzip member. */
const GZIP_MIN = 18;
/** Deflate expands at most so much. Brotli has no such limit. */
const INFLATION_MAX = 1040;
/** More layers than any server uses. Each layer costs a pass over up to the maximum body size. */
const MAX_CODINGS = 3;

const EMPTY = Buffer.alloc(0);

/**
 * V8 frees young buffers when it collects the young heap. A large body makes few young objects besides its chunks, so
 * tens of megabytes of chunks would stay. Without this string, V8 also collects the whole heap every 30 MB of a binary
 * stream, and that takes half of its CPU. The search in a text makes such strings anyway.
 */
export const fillYoungHeap = (chunk: Buffer): void => void chunk.toString('latin1');

/**
 * Collects a body up to a limit. A single chunk is kept as it is. Several chunks are copied into one buffer, so that
 * many tiny chunks use no more memory than their bytes.
 */
export class BodyCollector {
  private buffer: Buffer = EMPTY;
  private length = 0;
  private expected = 0;

  constructor(private readonly maxBytes: number) {}

  /** From the second chunk on, the buffer has this size. So it does not grow, and leaves no smaller copies behind. */
  expect(size: number): void {
    this.expected = size;
  }

  /** False if the chunk would exceed the limit. */
  add(chunk: Buffer): boolean {
    const needed = this.length + chunk.length;
    if (needed > this.maxBytes) return false;
    if (this.length === 0) this.buffer = chunk;
    else {
      if (this.length === this.buffer.length || needed > this.buffer.length) this.grow(needed);
      chunk.copy(this.buffer, this.length);
      fillYoungHeap(chunk);
    }
    this.length = needed;
    return true;
  }

  get size(): number {
    return this.length;
  }

  take(): Buffer {
    return this.length === this.buffer.length ? this.buffer : this.buffer.subarray(0, this.length);
  }

  private grow(needed: number): void {
    const capacity = Math.max(
      needed,
      Math.min(this.maxBytes, this.expected || Math.max(FIRST_CAPACITY, this.buffer.length * 2)),
    );
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

type Decode = (input: Buffer, options: zlib.ZlibOptions & zlib.BrotliOptions) => Promise<Buffer>;

const gunzip = promisify(zlib.gunzip) as Decode;
const inflate = promisify(zlib.inflate) as Decode;
const inflateRaw = promisify(zlib.inflateRaw) as Decode;
const unbrotli = promisify(zlib.brotliDecompress) as Decode;

/**
 * By the standard, `deflate` is zlib's format, whose first byte has 8 in its low bits. But some servers send a raw
 * deflate stream.
 */
export const isZlib = (firstByte: number): boolean => (firstByte & 0x0f) === 8;

const DECODERS = new Map<string, Decode>(
  Object.entries<Decode>({
    gzip: gunzip,
    'x-gzip': gunzip,
    deflate: (input, options) => (isZlib(input[0]) ? inflate : inflateRaw)(input, options),
    br: unbrotli,
  }),
);

/** The codings in a `Content-Encoding`, in the order in which they were applied, without `identity`. */
export const parseCodings = (contentEncoding: string): string[] =>
  contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');

/** Whether all of them can be undone. */
export const areKnown = (codings: string[]): boolean =>
  codings.length <= MAX_CODINGS && codings.every((coding) => DECODERS.has(coding));

/** The most bytes that a body of this length can become, because each coding can expand what the next one has made. */
export const largestDecoded = (length: number, codings: string[]): number =>
  codings.includes('br') ? Infinity : length * INFLATION_MAX ** codings.length;

/**
 * Decodes the body. The limit applies to the decoded bytes of every layer, so that a decompression bomb can't expand.
 */
export async function decodeBody(body: Buffer, codings: string[], maxBytes: number): Promise<Buffer> {
  if (codings.length > MAX_CODINGS) throw new EgressFailure('no_answer', true, 'response has too many content codings');
  let decoded = body;
  for (const coding of codings.toReversed()) {
    const decode = DECODERS.get(coding);
    if (!decode) throw new EgressFailure('no_answer', true, 'response has an unknown content coding');
    if (decoded.length === 0) return decoded;
    try {
      const chunkSize = pieceFor(decoded, coding, maxBytes);
      decoded = await decode(decoded, { maxOutputLength: maxBytes, chunkSize });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes, error);
      throw new EgressFailure('no_answer', true, `response is not valid ${coding}`, error);
    }
  }
  return decoded;
}

/**
 * Chooses the size of zlib's output chunks. A gzip body ends with its decoded size: if that is right, zlib returns one
 * chunk, and nothing is copied. The size may be wrong, so the chunk is never larger than the body may become. The other
 * codings do not state their size.
 */
function pieceFor(coded: Buffer, coding: string, maxBytes: number): number {
  const isGzip = coding !== 'br' && coding !== 'deflate' && coded.length >= GZIP_MIN;
  const largest = Math.min(maxBytes, largestDecoded(coded.length, [coding]));
  if (isGzip) return Math.min(largest, Math.max(PIECE_MIN, coded.readUInt32LE(coded.length - 4))) + 1;
  return Math.min(PIECE_MAX, Math.max(PIECE_MIN, coded.length * 4));
}

export const tooLarge = (maxBytes: number, cause?: unknown): EgressFailure =>
  new EgressFailure('too_large', true, `response is larger than ${maxBytes} bytes`, cause);

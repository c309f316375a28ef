import { Duplex, pipeline, Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Dispatcher } from 'undici';
import { fillYoungHeap, isZlib } from './body.js';
import { EgressFailure } from './failure.js';
import type { Turn } from './pace.js';

/** When so much has arrived, nothing more is read until it is passed on. */
const BLOCK_BYTES = 32 * 1024;
/** How many chunks are read within a turn, and between turns. Each costs as much as a kilobyte. */
const BLOCK_CHUNKS = 64;
const CHUNKS_BETWEEN_TURNS = 16;
/** Larger chunks of a binary response are not joined: copies make V8 collect the whole heap three times as often. */
const JOINED_MAX_BYTES = 4 * 1024;

/**
 * The body of a response that is passed on as it arrives. Chunks that arrive before the sender's turn are joined,
 * because each piece has a cost in all later steps. While the reader is slow, nothing more is read from the network.
 */
export class ResponseStream extends Readable {
  /** Why the response broke off. The reader gets what arrived before that, and then an end. */
  failure: EgressFailure | null = null;
  private arrived: Buffer[] = [];
  private arrivedBytes = 0;
  private maxChunks = CHUNKS_BETWEEN_TURNS;
  private hasEnded = false;
  private isWanted = false;
  private isPlanned = false;
  private isBinary = false;

  constructor(
    private readonly controller: Dispatcher.DispatchController,
    private readonly turn: Turn,
  ) {
    super({ highWaterMark: BLOCK_BYTES });
    // It can be broken off before it has a reader, who then learns the error.
    this.on('error', () => {});
  }

  /** From now on, large chunks are not joined. The reader searches nothing in them. */
  setBinary(): void {
    this.isBinary = true;
  }

  /** Takes a chunk from the network. */
  feed(chunk: Buffer): void {
    this.arrived.push(chunk);
    this.arrivedBytes += chunk.length;
    if (this.isBinary) fillYoungHeap(chunk);
    if (this.isFull) this.controller.pause();
    this.plan();
  }

  /** The response is complete, or it broke off. */
  finish(failure: EgressFailure | null): void {
    if (this.destroyed) return;
    this.failure = failure;
    this.hasEnded = true;
    this.plan();
  }

  override _read(): void {
    this.isWanted = true;
    if (this.arrived.length > 0 || this.hasEnded || this.controller.paused) this.plan();
  }

  /** Also when the reader is gone: nobody needs the rest of the response. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.hasEnded) this.controller.abort(error ?? new EgressFailure('no_answer', true, 'nobody reads it'));
    done(error);
  }

  private get isFull(): boolean {
    return this.arrivedBytes >= BLOCK_BYTES || this.arrived.length >= this.maxChunks;
  }

  private plan(): void {
    if (this.isPlanned) return;
    this.isPlanned = true;
    this.turn(() => this.pass());
  }

  private pass(): void {
    this.isPlanned = false;
    if (this.destroyed) return;
    if (this.isWanted && this.controller.paused && !this.isFull) this.readOn();
    if (this.arrived.length === 0) return void (this.hasEnded && this.push(null));
    if (!this.isWanted) return;
    const { arrived } = this;
    this.arrived = [];
    this.arrivedBytes = 0;
    this.isWanted = false;
    for (const block of this.isBinary ? withSmallJoined(arrived) : [joined(arrived)]) this.push(block);
  }

  /** Reads at once what the network has, up to a block. */
  private readOn(): void {
    this.maxChunks = BLOCK_CHUNKS;
    this.controller.resume();
    this.maxChunks = CHUNKS_BETWEEN_TURNS;
  }
}

const joined = (chunks: Buffer[]): Buffer => (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));

function* withSmallJoined(chunks: Buffer[]): Generator<Buffer> {
  let small: Buffer[] = [];
  for (const chunk of chunks) {
    if (chunk.length <= JOINED_MAX_BYTES) {
      small.push(chunk);
      continue;
    }
    if (small.length > 0) yield joined(small);
    small = [];
    yield chunk;
  }
  if (small.length > 0) yield joined(small);
}

/** Small, because each decoded piece is handled at once, outside of the turns. A few bytes can decode to very many. */
const DECODED = { chunkSize: 8 * 1024 };
const STREAM_DECODERS = new Map<string, () => NodeJS.ReadWriteStream>([
  ['gzip', () => zlib.createGunzip(DECODED)],
  ['x-gzip', () => zlib.createGunzip(DECODED)],
  ['deflate', () => Duplex.from(inflated)],
  ['br', () => zlib.createBrotliDecompress(DECODED)],
]);

/** So much of a body shows whether it has the coding that it claims. */
const TRIED_BYTES = 512;
const TRIED_OUTPUT = 64 * 1024;

/** Decoders for a stream whose codings are known, in the order in which they are applied. */
export const streamDecoders = (codings: string[]): NodeJS.ReadWriteStream[] =>
  codings.toReversed().map((coding) => STREAM_DECODERS.get(coding)!());

/** The Huffman tables of brotli: 256 each for 256 literals, 704 lengths and 520 distances (RFC 7932, section 9.2). */
const BROTLI_TABLES_BYTES = 3 * 1024 * 1024;
/** Says that the window is the largest. */
const LARGEST_WINDOW = 0xff;

/** The most memory that decoders take, besides the pieces that they give. Those of zlib take only some kilobytes. */
export function decoderBytes(codings: string[], firstByte: number): number {
  let bytes = 0;
  for (const [n, coding] of codings.entries()) {
    if (coding !== 'br') continue;
    // The first byte of an inner coding is unknown until the outer one is undone, so its window counts as the largest.
    bytes += BROTLI_TABLES_BYTES + 2 ** windowBits(n === codings.length - 1 ? firstByte : LARGEST_WINDOW);
  }
  return bytes;
}

/** The size of the window of brotli (RFC 7932, section 9.1). One of 10 to 15 bits counts as one of 17. */
const windowBits = (firstByte: number): number => ((firstByte & 1) === 0 ? 16 : 17 + ((firstByte >> 1) & 7));

/** Decodes `deflate`, of which there are two formats. The first byte tells them apart. */
async function* inflated(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const all = async function* (): AsyncGenerator<Buffer> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  const inflate = isZlib(first.value[0]) ? zlib.createInflate(DECODED) : zlib.createInflateRaw(DECODED);
  // The callback does nothing, because the loop that reads the pipeline throws its error.
  yield* pipeline(Readable.from(all()), inflate, () => {}) as AsyncIterable<Buffer>;
}

/**
 * Whether the body begins like one of this coding. Brotli is not tried: it fills its whole window, up to 16 MB, before
 * it gives a byte, so a trial of 26 bytes could take 70 ms.
 * @param last the coding that was applied last
 */
export function beginsLike(last: string, begin: Buffer): boolean {
  if (last === 'br') return true;
  const tried = begin.subarray(0, TRIED_BYTES);
  const options = { maxOutputLength: TRIED_OUTPUT, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  try {
    if (last !== 'deflate') zlib.gunzipSync(tried, options);
    else if (isZlib(tried[0])) zlib.inflateSync(tried, options);
    else zlib.inflateRawSync(tried, options);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
  }
}

import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Dispatcher } from 'undici';
import { EgressFailure } from './failure.js';

/**
 * The body of a response that is passed on as it arrives. While its reader is slow, nothing more is read from the
 * network.
 */
export class ResponseStream extends Readable {
  constructor(private readonly controller: Dispatcher.DispatchController) {
    super();
  }

  /** Takes a chunk from the network. */
  feed(chunk: Buffer): void {
    if (!this.push(chunk)) this.controller.pause();
  }

  override _read(): void {
    if (this.controller.paused) this.controller.resume();
  }

  /** Also when the reader is gone: nobody needs the rest of the response. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.readableEnded) this.controller.abort(error ?? new EgressFailure('no_answer', true, 'nobody reads it'));
    done(error);
  }
}

const STREAM_DECODERS = new Map<string, () => NodeJS.ReadWriteStream>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
]);

/** Decoders for a stream, in the order in which they are applied. Null: one of the codings is unknown. */
export function streamDecoders(codings: string[]): NodeJS.ReadWriteStream[] | null {
  const decoders = codings.toReversed().map((coding) => STREAM_DECODERS.get(coding));
  return decoders.some((decoder) => decoder === undefined) ? null : decoders.map((create) => create!());
}

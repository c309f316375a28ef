import type { Request } from 'express';
import { errors } from '../errors.js';
import { BodyShare, type BodyBudget } from './body-budget.js';

/** The pieces that any body may have (docs/reference/http.md#pieces). */
const FREE_PIECES = 1000;
/** The mean size of more pieces. Lines of NDJSON, which clients send one by one, are longer. */
const PIECE_BYTES = 48;
const NOTHING = Buffer.alloc(0);

/** A limit for the text of an error, in MB. */
export const inMb = (bytes: number): number => Math.round((bytes / (1024 * 1024)) * 100) / 100;

/** Collects the bytes of a body in one buffer. */
class Gathered {
  size = 0;
  private bytes: Buffer<ArrayBuffer> = NOTHING;

  /** @param maxBytes the largest size of the complete body */
  constructor(private readonly maxBytes: number) {}

  /**
   * Copies the chunk. A list of chunks could use much more memory than their bytes: the sender can make each chunk one
   * byte long, and each chunk is an object that keeps the complete network read in memory.
   */
  add(chunk: Buffer<ArrayBuffer>): void {
    // Most bodies arrive whole, in one chunk.
    if (this.size === 0 && chunk.length === this.maxBytes) {
      this.bytes = chunk;
      this.size = chunk.length;
      return;
    }
    const size = this.size + chunk.length;
    if (size > this.bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(size, Math.min(2 * size, this.maxBytes)));
      this.bytes.copy(grown, 0, 0, this.size);
      this.bytes = grown;
    }
    chunk.copy(this.bytes, this.size);
    this.size = size;
  }

  whole(): Buffer<ArrayBuffer> {
    return this.size === this.bytes.length ? this.bytes : this.bytes.subarray(0, this.size);
  }

  drop(): void {
    this.bytes = NOTHING;
  }
}

/**
 * Reads the complete body, up to `maxBytes`.
 * @param namedBytes the limit that the error text names
 * @throws ApiError 400, 413, 429, 503
 */
export function readBytes(
  request: Request,
  maxBytes: number,
  namedBytes: number,
  budget: BodyBudget,
): Promise<Buffer<ArrayBuffer>> {
  const announced = Number(request.headers['content-length'] ?? maxBytes);
  if (announced > maxBytes) return Promise.reject(errors.bodyTooLarge(inMb(namedBytes)));
  const cutOff = () => errors.invalid('The request ended before its body was complete');
  // If the connection was closed during authentication, no further event would report it.
  if (request.destroyed) return Promise.reject(cutOff());
  return new Promise((resolve, reject) => {
    const body = new Gathered(announced);
    let share: BodyShare | undefined;
    let pieces = 0;
    const { pieceBytes = PIECE_BYTES } = budget;
    let failed = false;
    // The answer stops the reading (`leaveUnread`). Until then, what one network read brought still arrives.
    const fail = (error: Error): void => {
      failed = true;
      body.drop();
      reject(error);
    };
    const onData = (chunk: Buffer<ArrayBuffer>): void => {
      if (failed) return;
      const size = body.size + chunk.length;
      if (size > maxBytes) return fail(errors.bodyTooLarge(inMb(namedBytes)));
      if (++pieces > FREE_PIECES + size / pieceBytes) {
        return fail(errors.invalid('The request body came in too many small pieces'));
      }
      if (size > budget.freeBytes) {
        try {
          (share ??= new BodyShare(budget, request.res!)).resize(size);
        } catch (error) {
          return fail(error as Error);
        }
      }
      body.add(chunk);
    };
    request.on('data', onData);
    request.on('end', () => resolve(body.whole()));
    // The sender is gone. This is not an error of the gateway, so it must not be logged as a 500.
    request.on('error', () => reject(cutOff()));
    request.on('close', () => {
      if (!request.complete) reject(cutOff());
    });
  });
}

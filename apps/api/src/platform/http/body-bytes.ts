import type { Request } from 'express';
import { errors } from '../errors.js';
import { BodyShare, FREE_BYTES, type BodyBudget } from './body-budget.js';

/**
 * The whole body, of at most so many bytes.
 * @param limitMb as the error names the limit
 * @throws ApiError 400, 413, 429, 503
 */
export function readBytes(
  request: Request,
  maxBytes: number,
  limitMb: number,
  budget: BodyBudget,
): Promise<Buffer<ArrayBuffer>> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(errors.bodyTooLarge(limitMb));
  const cutOff = () => errors.invalid('The request ended before its body was complete');
  // While it was found out who asks: nothing would tell us again.
  if (request.destroyed) return Promise.reject(cutOff());
  return new Promise((resolve, reject) => {
    let chunks: Buffer<ArrayBuffer>[] = [];
    let size = 0;
    let share: BodyShare | undefined;
    const fail = (error: Error): void => {
      chunks = [];
      request.off('data', onData);
      request.pause();
      reject(error);
    };
    const onData = (chunk: Buffer<ArrayBuffer>): void => {
      size += chunk.length;
      if (size > maxBytes) return fail(errors.bodyTooLarge(limitMb));
      if (size > FREE_BYTES) {
        try {
          (share ??= new BodyShare(budget, request.res!)).grow(size);
        } catch (error) {
          return fail(error as Error);
        }
      }
      chunks.push(chunk);
    };
    request.on('data', onData);
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    // Its sender has gone: no fault of ours, so no 500 in the log.
    request.on('error', () => reject(cutOff()));
    request.on('close', () => {
      if (!request.complete) reject(cutOff());
    });
  });
}

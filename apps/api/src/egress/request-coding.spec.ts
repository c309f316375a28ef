import { EventEmitter } from 'node:events';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { Response } from 'express';
import { errors } from '../platform/errors.js';
import { charging } from '../platform/http/body-budget.js';
import { decodeRequest } from './request-coding.js';

const MIB = 1024 * 1024;
const MAX_BYTES = 10 * MIB;
const LIMIT = 128 * MIB;
/** The largest window of br, and its tables. */
const DECODER = 19 * MIB;

const br = (content: Buffer): Buffer => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });

class Budget {
  readonly freeBytes = 64 * 1024;
  taken = 0;
  most = 0;
  take(bytes: number): void {
    if (this.taken + bytes > LIMIT) throw errors.tooMuchBuffered();
    this.taken += bytes;
    this.most = Math.max(this.most, this.taken);
  }
  give(bytes: number): void {
    this.taken -= bytes;
  }
}

/** Decodes for one response. @returns what ends it */
function decode(budget: Budget, body: Buffer, codings: string[]) {
  const response = Object.assign(new EventEmitter(), { closed: false, req: {} });
  const charge = charging(budget, response as unknown as Response);
  const decoded = decodeRequest(body, codings, { maxBytes: MAX_BYTES, charge });
  return { decoded, end: () => void response.emit('close') };
}

const nextPass = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it.each<[string, Buffer, string[], number]>([
  ['br', br(Buffer.alloc(5 * MIB)), ['br'], DECODER],
  ['br of a few bytes', br(Buffer.alloc(1)), ['br'], 3 * MIB],
  ['br in gzip', gzipSync(br(Buffer.alloc(5 * MIB))), ['br', 'gzip'], DECODER],
  ['gzip', gzipSync(Buffer.alloc(5 * MIB)), ['gzip'], 0],
  ['gzip of several members', Buffer.concat([gzipSync(Buffer.alloc(5 * MIB)), gzipSync('x')]), ['gzip'], 0],
  ['deflate', deflateSync(Buffer.alloc(5 * MIB)), ['deflate'], 0],
])('charges the decoder of a body until it is gone: %s', async (_kind, body, codings, decoderBytes) => {
  const budget = new Budget();
  const { decoded, end } = decode(budget, body, codings);
  const { content } = await decoded;
  expect(budget.most).toBeGreaterThanOrEqual(decoderBytes + content.length - budget.freeBytes);
  expect(budget.taken).toBeLessThan(content.length + 64 * 1024);
  end();
  await nextPass();
  expect(budget.taken).toBe(0);
});

it.each<[string, Buffer, number]>([
  ['valid', br(Buffer.alloc(9 * MIB)), 200],
  ['too large', br(Buffer.alloc(11 * MIB)), 413],
  ['malformed', br(Buffer.alloc(9 * MIB)).subarray(0, -1), 400],
])('decodes as many br bodies at once as there is room for, and refuses the others: %s', async (_kind, body, ends) => {
  const budget = new Budget();
  const works = Array.from({ length: 60 }, () => decode(budget, body, ['br']));
  const statuses = await Promise.all(
    works.map(({ decoded }) => decoded.then(() => 200).catch((error: { statusCode: number }) => error.statusCode)),
  );
  const done = statuses.filter((status) => status !== 429);
  expect(new Set(done)).toEqual(new Set([ends]));
  expect(done.length).toBeLessThanOrEqual(LIMIT / DECODER);
  for (const { end } of works) end();
  await nextPass();
  expect(budget.taken).toBe(0);
});

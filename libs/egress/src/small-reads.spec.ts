import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import * as fc from 'fast-check';
import { readSmallPieces } from './small-reads.js';

const ARRIVES = 64 * 1024;
const PARSED = 1500;
/** As `guarded-lookup.ts` sets it. */
const HIGH_WATER_MARK = 16 * 1024;

it('keeps little in memory while a response is paused again and again', async () => {
  const socket = new Duplex({
    read: () => void setImmediate(() => socket.push(Buffer.alloc(ARRIVES))),
    write: (_chunk, _encoding, done) => done(),
  }) as Socket;
  readSmallPieces(socket);
  let most = 0;
  for (let pause = 0; pause < 500; pause++) {
    // As undici does it: see `execute` in its lib/dispatcher/client-h1.js.
    const chunk = socket.read() as Buffer | null;
    if (chunk !== null) socket.unshift(chunk.subarray(PARSED));
    most = Math.max(most, socket.readableLength);
    await new Promise(setImmediate);
  }
  expect(most).toBeGreaterThan(ARRIVES / 2);
  expect(most).toBeLessThan(4 * ARRIVES);
});

it('loses nothing when Node asks for more by itself', () => {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }) as Socket;
  readSmallPieces(socket);
  socket.push('arrived');
  socket.read(0);
  expect(String(socket.read())).toBe('arrived');
});

it('reads everything that arrives, and its end', () => {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }) as Socket;
  readSmallPieces(socket);
  const sent = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
  socket.push(sent.subarray(0, 70_000));
  socket.push(sent.subarray(70_000));
  socket.push(null);
  const pieces: Buffer[] = [];
  for (let piece = socket.read() as Buffer | null; piece !== null; piece = socket.read() as Buffer | null)
    pieces.push(piece);
  expect(Buffer.concat(pieces).equals(sent)).toBe(true);
});

it('reads a large response in few pieces, copies none of them, and reads no more ahead', () => {
  const socket = new Duplex({
    highWaterMark: HIGH_WATER_MARK,
    read: () => undefined,
    write: (_chunk, _encoding, done) => done(),
  }) as Socket;
  readSmallPieces(socket);
  const reads = Array.from({ length: 100 }, () => Buffer.alloc(ARRIVES));
  const pieces: Buffer[] = [];
  for (const read of reads) {
    socket.push(read);
    for (let piece = socket.read() as Buffer | null; piece !== null; piece = socket.read() as Buffer | null)
      pieces.push(piece);
  }
  expect(pieces.length).toBeLessThan(5 * reads.length);
  expect(socket.readableHighWaterMark).toBe(HIGH_WATER_MARK);
  expect(new Set(pieces.map(({ buffer }) => buffer))).toEqual(new Set(reads.map(({ buffer }) => buffer)));
});

it('reads bytes that arrived one by one in few pieces', () => {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }) as Socket;
  readSmallPieces(socket);
  // Each record of TLS arrives as a buffer of its own.
  for (let n = 0; n < 20_000; n++) socket.push(Buffer.from([n % 251]));
  let pieces = 0;
  while (socket.read() !== null) pieces += 1;
  expect(pieces).toBeLessThan(10);
});

it('reads what was sent in any order of reads, pauses and arrivals', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ arrives: fc.oneof(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 0, max: 50 })) }),
      fc.record({ parsed: fc.option(fc.integer({ min: 0, max: 70_000 }), { nil: undefined }) }),
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(steps, (all) => {
      const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }) as Socket;
      readSmallPieces(socket);
      let [sent, read] = [0, 0];
      const take = (parsed = Infinity): boolean => {
        const chunk = socket.read() as Buffer | null;
        if (chunk === null) return false;
        const taken = Math.min(parsed, chunk.length);
        for (let at = 0; at < taken; at += 997) expect(chunk[at]).toBe((read + at) % 251);
        read += taken;
        // undici puts back also what is empty.
        if (parsed !== Infinity) socket.unshift(chunk.subarray(taken));
        return true;
      };
      for (const step of all) {
        if ('arrives' in step) {
          const start = sent;
          socket.push(Buffer.from(Uint8Array.from({ length: step.arrives }, (_, at) => (start + at) % 251)));
          sent += step.arrives;
        } else take(step.parsed);
      }
      while (take());
      expect(read).toBe(sent);
    }),
    { numRuns: 50 },
  );
});

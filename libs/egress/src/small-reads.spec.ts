import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { readSmallPieces } from './small-reads.js';

const ARRIVES = 64 * 1024;
const PARSED = 1500;

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

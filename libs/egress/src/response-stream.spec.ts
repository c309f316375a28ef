import { once } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough, pipeline } from 'node:stream';
import type { Dispatcher } from 'undici';
import { clientFor, get, serve } from '../test/client.js';
import { ResponseStream } from './response-stream.js';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const BYTES = 100_000;

it('passes bytes that come one by one on in blocks', async () => {
  const server = await serve((socket) => socket.write(`${HEAD}${'1\r\nx\r\n'.repeat(BYTES)}0\r\n\r\n`));
  const { stream } = await clientFor([server.port]).send(get(server.origin, { streams: () => true }));
  const pieces: Buffer[] = [];
  for await (const piece of stream![0]) pieces.push(piece as Buffer);
  expect(Buffer.concat(pieces).equals(Buffer.alloc(BYTES, 'x'))).toBe(true);
  expect(pieces.length).toBeLessThan(BYTES / 50);
});

it.each([
  ['joins the chunks of a text, so that a turn redacts one piece', false, [8 * 4100]],
  ['passes large chunks of a binary response on as they are', true, Array<number>(8).fill(4100)],
])('%s', async (_what, isBinary, sizes) => {
  const turns: (() => void)[] = [];
  const controller = { paused: false, pause: () => undefined, resume: () => undefined, abort: () => undefined };
  const body = new ResponseStream(controller as unknown as Dispatcher.DispatchController, (step) => turns.push(step));
  const pieces: number[] = [];
  body.on('data', (piece: Buffer) => pieces.push(piece.length));
  await new Promise(setImmediate);
  if (isBinary) body.setBinary();
  for (let n = 0; n < 8; n++) body.feed(Buffer.alloc(4100));
  for (const turn of turns) turn();
  expect(pieces).toEqual(sizes);
  body.destroy();
});

it('reads nothing more from the network while nobody reads it, and nothing without a turn', async () => {
  const sockets: Socket[] = [];
  const server = await serve((socket) => {
    sockets.push(socket);
    socket.write(HEAD);
    socket.write(Buffer.from(`4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(1000)));
  });
  let turns: (() => void)[] = [];
  const sender = { turn: (step: () => void) => void turns.push(step), room: null };
  const { stream } = await clientFor([server.port]).send(get(server.origin, { streams: () => true, sender }));
  const [body] = stream!;
  body.read(0);
  expect(body.readableLength).toBe(0);
  for (let pass = 0; pass < 50; pass++) {
    await new Promise(setImmediate);
    const now = turns;
    turns = [];
    for (const turn of now) turn();
  }
  expect(body.readableLength).toBeLessThanOrEqual(128 * 1024);
  expect(sockets[0].writableLength).toBeGreaterThan(0);
  body.destroy();
});

it('gives what arrived before the response broke off, then ends, and knows why', async () => {
  const server = await serve((socket) => socket.end(`${HEAD}5\r\nfirst\r\n`));
  const { stream } = await clientFor([server.port]).send(get(server.origin, { streams: () => true }));
  const [body] = stream!;
  const pieces: string[] = [];
  body.on('data', (piece: Buffer) => pieces.push(piece.toString()));
  await once(body, 'end');
  expect(pieces.join('')).toBe('first');
  expect(body.failure?.kind).toBe('no_answer');
});

it('a stream that is destroyed before it has a reader gives its error to the later reader', async () => {
  const server = await serve((socket) => socket.write(`${HEAD}5\r\nfirst\r\n`));
  const { stream } = await clientFor([server.port]).send(get(server.origin, { streams: () => true }));
  const [body] = stream!;
  body.destroy(new Error('broken off'));
  await new Promise(setImmediate);
  const reading = new Promise((_, reject) => pipeline(body, new PassThrough(), (error) => reject(error!)));
  await expect(reading).rejects.toThrow('broken off');
});

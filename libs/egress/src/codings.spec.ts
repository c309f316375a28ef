import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { clientFor, get, ok, serve } from '../test/client.js';
import type { EgressResponse } from './exchange.js';

const CODERS: Record<string, (body: Buffer) => Buffer> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  'raw deflate': deflateRawSync,
  br: brotliCompressSync,
};

interface Got {
  codings: EgressResponse['codings'];
  body: Buffer;
}

/** What a client gets of these bytes, once collected and once as a stream. */
async function both(origin: string, port: number): Promise<Got[]> {
  const client = clientFor([port]);
  const collected = await client.send(get(origin));
  const streamed = await client.send(get(origin, { streams: () => true }));
  const chain = streamed.stream!;
  const last = chain.length === 1 ? chain[0] : (pipeline(chain, () => undefined) as NodeJS.ReadWriteStream);
  return [collected, { codings: streamed.codings, body: await buffer(last) }];
}

it('decodes every coding alike, collected and as a stream, however the bytes arrive', async () => {
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map(Buffer.from),
    fc.nat({ max: 200_000 }).map((length) => Buffer.alloc(length, 'some text, ')),
  );
  let bytes: Buffer = Buffer.alloc(0);
  let [coding, piece] = ['', 1];
  const server = await serve((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nConnection: close\r\n\r\n`);
    for (let at = 0; at < bytes.length; at += piece) socket.write(bytes.subarray(at, at + piece));
    socket.end();
  });
  await fc.assert(
    fc.asyncProperty(
      body,
      fc.array(fc.constantFrom(...Object.keys(CODERS)), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 1000 }),
      async (whole, codings, size) => {
        bytes = codings.reduce<Buffer>((coded, name) => CODERS[name](coded), whole);
        coding = codings.join(', ').replaceAll('raw ', '');
        piece = Math.max(size, bytes.length >> 6);
        for (const got of await both(server.origin, server.port)) {
          expect([got.codings, got.body.equals(whole)]).toEqual(['undone', true]);
        }
      },
    ),
    { numRuns: 40 },
  );
});

it.each<[string, string, Buffer]>([
  ['has an unknown coding', 'aws-chunked', Buffer.from('abc')],
  ['names a character set', 'UTF-8', Buffer.from('abc')],
  ['says none', 'none', Buffer.from('abc')],
  ['is not gzip', 'gzip', Buffer.from('{"a": 1}')],
  ['is gzip of the wrong kind', 'gzip', deflateSync('abc')],
  ['has four codings', 'gzip, gzip, gzip, gzip', gzipSync('abc')],
  ['has a known and an unknown coding', 'gzip, zstd', gzipSync('abc')],
])('does not decode a body that %s', async (_what, coding, bytes) => {
  const server = await serve(ok(bytes, `Content-Encoding: ${coding}`));
  for (const got of await both(server.origin, server.port)) {
    expect([got.codings, got.body.equals(bytes)]).toEqual(['kept', true]);
  }
});

it('passes a body as it came that ends in the middle of its coding', async () => {
  const bytes = gzipSync('text').subarray(0, 15);
  const server = await serve(ok(bytes, 'Content-Encoding: gzip'));
  const got = await clientFor([server.port]).send(get(server.origin));
  expect([got.codings, got.body.equals(bytes)]).toEqual(['kept', true]);
});

it('does not decode a collected body that is not valid br, and ends such a stream with an error', async () => {
  const bytes = Buffer.alloc(600, 0xff);
  const server = await serve(ok(bytes, 'Content-Encoding: br'));
  const client = clientFor([server.port]);
  const got = await client.send(get(server.origin));
  expect([got.codings, got.body.equals(bytes)]).toEqual(['kept', true]);
  const { codings, stream } = await client.send(get(server.origin, { streams: () => true }));
  const body = pipeline(stream!, () => undefined) as unknown as NodeJS.ReadableStream;
  expect(codings).toBe('undone');
  await expect(buffer(body)).rejects.toThrow('Decompression failed');
});

it('passes a part of a coded body as it came', async () => {
  const part = gzipSync('some text that is long enough').subarray(10, 30);
  const head = `HTTP/1.1 206 Partial Content\r\nContent-Encoding: gzip\r\nContent-Range: bytes 10-29/99\r\nContent-Length: 20\r\n\r\n`;
  const server = await serve(Buffer.concat([Buffer.from(head), part]));
  for (const got of await both(server.origin, server.port)) {
    expect([got.codings, got.body.equals(part)]).toEqual(['kept', true]);
  }
});

it('has no body to decode in an empty answer', async () => {
  for (const coding of ['gzip', 'deflate', 'br']) {
    const server = await serve(ok('', `Content-Encoding: ${coding}`));
    for (const got of await both(server.origin, server.port)) expect(got.body).toHaveLength(0);
  }
});

it.each([1, 2, 3])('makes room for what a bomb of %d gzip codings becomes, before it is decoded', async (layers) => {
  const size = 2 * 1024 * 1024;
  let bomb: Buffer = Buffer.alloc(size);
  for (let layer = 0; layer < layers; layer++) bomb = gzipSync(bomb);
  const server = await serve(ok(bomb, `Content-Encoding: ${Array(layers).fill('gzip').join(', ')}`));
  let most = 0;
  const room = {
    grow: (bytes: number) => ((most = Math.max(most, bytes)), true),
    shrink: () => {},
  };
  const sender = { turn: setImmediate, room };
  const { body } = await clientFor([server.port]).send(get(server.origin, { sender }));
  expect(body).toHaveLength(size);
  expect(most).toBeGreaterThan(size);
});

it.each([
  ['br', 10, 17],
  ['br', 16, 16],
  ['br', 17, 17],
  ['br', 18, 18],
  ['br', 22, 22],
  ['br', 24, 24],
  ['gzip, br', 20, 20],
  ['br, gzip', 16, 24],
])(
  'decodes a stream of %s with a window of %d bits only when there is memory for a window of %d bits',
  async (coding, bits, charged) => {
    const text = Buffer.alloc(1000, 'text');
    const params = { [constants.BROTLI_PARAM_LGWIN]: bits };
    let bytes: Buffer = text;
    for (const name of coding.split(', '))
      bytes = name === 'br' ? brotliCompressSync(bytes, { params }) : CODERS[name](bytes);
    const server = await serve(ok(bytes, `Content-Encoding: ${coding}`));
    let [size, ready] = [0, (): void => undefined];
    let begun = false;
    const grow = (bytes: number, then: () => void): boolean => {
      [size, ready] = [bytes, then];
      return false;
    };
    const sender = { turn: setImmediate, room: { grow, shrink: () => {} } };
    const sending = clientFor([server.port]).send(get(server.origin, { streams: () => true, sender }));
    void sending.then(() => (begun = true));
    while (size === 0) await new Promise(setImmediate);
    expect(size - 3 * 1024 * 1024).toBe(2 ** charged);
    for (let pass = 0; pass < 20; pass++) await new Promise(setImmediate);
    expect(begun).toBe(false);
    ready();
    const { codings, stream } = await sending;
    const body = await buffer(pipeline(stream!, () => undefined) as unknown as NodeJS.ReadableStream);
    expect([codings, body.equals(text)]).toEqual(['undone', true]);
  },
);

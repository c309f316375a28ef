import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { Payload } from './payload.js';

const MAX = { maxBytes: 1024 * 1024 };
const bodies = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const types = fc.constantFrom('', 'text/plain', 'application/json', 'image/png', 'application/x-www-form-urlencoded');

it('keeps every body byte for byte, compressed or not', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, types, fc.boolean(), async (body, type, isCompressed) => {
      const sent = isCompressed ? gzipSync(body) : body;
      const headers = { 'content-type': type, ...(isCompressed && { 'Content-Encoding': 'gzip' }) };
      const payload = await Payload.of(sent, headers, MAX);
      expect(payload.bytes.equals(sent)).toBe(true);
      expect(payload.decoded().bytes.equals(body)).toBe(true);
      // The stored body gives the same bytes again.
      const stored = payload.isPlain ? payload.text! : payload.bytes;
      expect((await Payload.ofAccepted(stored, headers)).bytes.equals(sent)).toBe(true);
    }),
  );
});

it('a body is text exactly if it is UTF-8 without NUL, and has a description otherwise', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const { text, description } = await Payload.of(body, {}, MAX);
      const isText = Buffer.from(body.toString()).equals(body) && !body.includes(0);
      expect([text !== null, description === null]).toEqual([isText, isText]);
      if (isText) expect(text).toBe(body.toString());
    }),
  );
});

it('writes a long text in pieces, and cuts no character', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\ud83d'), minLength: 10, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(text, fc.nat(3), async (some, offset) => {
      const long = 'x'.repeat(offset) + some.repeat(40_000);
      expect((await Payload.of(long, {}, { maxBytes: 1e7 })).bytes.equals(Buffer.from(long))).toBe(true);
    }),
    { numRuns: 20 },
  );
});

it('gives text and its bytes the same hash', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (text) => {
      const expected = createHash('sha256').update(`POST:https://a.example/:${text}`).digest('hex');
      for (const content of [text, Buffer.from(text)]) {
        const payload = await Payload.of(content, {}, MAX);
        expect(payload.hashedAfter('POST:https://a.example/:')).toBe(expected);
      }
    }),
  );
});

it('reads an aws-chunked body without its chunk frames, so that the frames cannot split a text', async () => {
  const content = '{"query":"mutation { refund }"}';
  const body = Buffer.from(`${Array.from(content, (byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`);
  const payload = await Payload.of(body, { 'Content-Encoding': 'aws-chunked' }, MAX);
  expect([payload.judged, payload.bytes.toString()]).toEqual([content, content]);
  const tiny = Payload.of(
    Buffer.from(`${'1\r\na\r\n'.repeat(100_001)}0\r\n\r\n`),
    { 'Content-Encoding': 'aws-chunked' },
    MAX,
  );
  await expect(tiny).rejects.toMatchObject({ statusCode: 400 });
  const malformed = Payload.of(Buffer.from('2\r\na'), { 'Content-Encoding': 'aws-chunked' }, MAX);
  await expect(malformed).rejects.toMatchObject({ statusCode: 400, message: expect.stringContaining('aws-chunked') });
});

it.each([
  ['ASCII', 'x'.repeat(1000), 0],
  ['characters beyond Latin-1', '中'.padEnd(1000), 998],
  ['only such characters, which take three bytes each in UTF-8', '中'.repeat(1000), 0],
])('charges what its text takes beyond its bytes: %s', async (_kind, text, bytes) => {
  let last = 0;
  const limits = { ...MAX, charge: (size: number) => void (last = size) };
  const charged = async (content: string | Buffer, headers = {}): Promise<number> => {
    await Payload.of(content, headers, limits);
    return last;
  };
  expect(await charged(text)).toBe(bytes);
  expect(await charged(Buffer.from(text))).toBe(bytes);
  const coded = { 'content-encoding': 'gzip' };
  expect(await charged(gzipSync(text), coded)).toBe(Buffer.byteLength(text) + bytes);
});

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { Payload } from './payload.js';

const MAX = 1024 * 1024;
const bodies = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const types = fc.constantFrom('', 'text/plain', 'application/json', 'image/png', 'application/x-www-form-urlencoded');

it('keeps every body bit for bit, compressed or not', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, types, fc.boolean(), async (body, type, isCompressed) => {
      const sent = isCompressed ? gzipSync(body) : body;
      const headers = { 'content-type': type, ...(isCompressed && { 'Content-Encoding': 'gzip' }) };
      const payload = await Payload.of(sent, headers, MAX);
      expect(payload.bytes.equals(sent)).toBe(true);
      // What is stored gives the same bytes again.
      const stored = payload.isPlain ? payload.text! : payload.bytes;
      expect((await Payload.ofAccepted(stored, headers)).bytes.equals(sent)).toBe(true);
    }),
  );
});

it('is text exactly if it is UTF-8 without NUL, and is described otherwise', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const { text, description } = await Payload.of(body, {}, MAX);
      const isText = Buffer.from(body.toString()).equals(body) && !body.includes(0);
      expect([text !== null, description === null]).toEqual([isText, isText]);
      if (isText) expect(text).toBe(body.toString());
    }),
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

it('reads any bytes as a form, or refuses them with 400', async () => {
  const pieces = fc.constantFrom(
    '--X',
    '--',
    '\r\n',
    'Content-Disposition: form-data; name="a"',
    '; filename="b"',
    ': ',
    '\0',
    'x',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 30 }), async (parts) => {
      const body = Buffer.from(parts.join(''));
      const headers = { 'content-type': 'multipart/form-data; boundary=X' };
      const outcome = await Payload.of(body, headers, MAX).catch((error: { statusCode: number }) => error.statusCode);
      if (outcome instanceof Payload) expect(outcome.parts).not.toBeNull();
      else expect(outcome).toBe(400);
      expect((await Payload.ofAccepted(body, headers)).bytes.equals(body)).toBe(true);
    }),
  );
});

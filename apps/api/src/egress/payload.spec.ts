import { timesAsLong } from '../../../../libs/egress/test/linear-time.js';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { Payload } from './payload.js';

const MAX = 1024 * 1024;
const bodies = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const types = fc.constantFrom('', 'text/plain', 'application/json', 'image/png', 'application/x-www-form-urlencoded');

it('keeps every body byte for byte, compressed or not', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, types, fc.boolean(), async (body, type, isCompressed) => {
      const sent = isCompressed ? gzipSync(body) : body;
      const headers = { 'content-type': type, ...(isCompressed && { 'Content-Encoding': 'gzip' }) };
      const payload = await Payload.of(sent, headers, MAX);
      expect(payload.bytes.equals(sent)).toBe(true);
      // The stored body gives the same bytes again.
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

it('is read without the chunks of AWS, so that no text in it can be cut into pieces', async () => {
  const content = '{"query":"mutation { refund }"}';
  const body = Buffer.from(`${Array.from(content, (byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`);
  const payload = await Payload.of(body, { 'Content-Encoding': 'aws-chunked' }, MAX);
  expect([payload.judged, payload.bytes]).toEqual([content, body]);
  const tiny = Payload.of(
    Buffer.from(`${'1\r\na\r\n'.repeat(100_001)}0\r\n\r\n`),
    { 'Content-Encoding': 'aws-chunked' },
    MAX,
  );
  await expect(tiny).rejects.toMatchObject({ statusCode: 400 });
  const malformed = Payload.of(Buffer.from('2\r\na'), { 'Content-Encoding': 'aws-chunked' }, MAX);
  await expect(malformed).rejects.toMatchObject({ statusCode: 400, message: expect.stringContaining('aws-chunked') });
});

const FIELD = '--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
it.each([
  ['a part that no reader can name', `${FIELD}--X\r\nContent-Type: text/plain\r\n\r\nhidden\r\n--X--`],
  ['a part of another kind', `${FIELD}--X\r\nContent-Disposition: attachment; name="b"\r\n\r\nhidden\r\n--X--`],
  ['a part with two names', FIELD.replace('name="a"', 'name="a"; name="b"') + '--X--'],
  [
    'a part with two names in two headers',
    FIELD.replace('\r\n\r\n', '\r\nContent-Disposition: form-data; name="b"\r\n\r\n') + '--X--',
  ],
  ['a part after the end', `${FIELD}--X--\r\n${FIELD}--X--`],
  [
    'a part whose boundary ends in other characters',
    `${FIELD}--X \r\nContent-Disposition: form-data; name=b\r\n\r\n2\r\n--X--`,
  ],
  ['a part that begins after a bare line feed', FIELD.replace('1\r\n', `1\n${FIELD.replaceAll('\r', '')}\r\n--X--`)],
])('refuses a form with %s: nobody would see it', async (_case, text) => {
  const form = Payload.of(Buffer.from(text), { 'content-type': 'multipart/form-data; boundary=X' }, MAX);
  await expect(form).rejects.toMatchObject({ statusCode: 400 });
});

it('reads heads with unclosed quotes in linear time', async () => {
  const read = (quotes: number, parts: number) => async () => {
    const part = FIELD.replace('\r\n\r\n', `\r\nx: ${'\\"'.repeat(quotes)}\r\n\r\n`);
    const form = Buffer.from(`${part.repeat(parts)}--X--\r\n`);
    const payload = await Payload.of(form, { 'content-type': 'multipart/form-data; boundary=X' }, MAX);
    expect(payload.parts).toHaveLength(parts);
  };
  // The same number of bytes in longer heads. A quadratic pattern needs 64 times as long.
  expect(await timesAsLong(read(7680, 10), read(120, 640))).toBeLessThan(12);
});

it.each([
  'multipart/form-data; boundary=Y; boundary=X',
  'multipart/form-data; boundary=X, multipart/form-data; boundary=Y',
  'multipart/form-data; boundary="X\\Y"',
  'multipart/form-data; boundary=""',
  'multipart/form-data; boundary',
  'multipart/form-data; =X',
])('refuses %s: upstreams may read other parts', async (type) => {
  const form = Payload.of(Buffer.from(`${FIELD}--X--`), { 'content-type': type }, MAX);
  await expect(form).rejects.toMatchObject({ statusCode: 400, message: expect.stringMatching(/^Content-Type: /) });
});

it('reads a part whose file name or type looks like a second name', async () => {
  const head = 'name="a"; filename="x; name=b"\r\nContent-Type: application/octet-stream; name="x"';
  const body = FIELD.replace('name="a"', head) + '--X--';
  const { parts } = await Payload.of(Buffer.from(body), { 'content-type': 'multipart/form-data; boundary=X' }, MAX);
  expect(parts).toEqual([{ name: 'a', filename: 'x; name=b', contentType: 'application/octet-stream', size: 1 }]);
});

it.each([
  'multipart/form-data; boundary=X',
  'multipart/form-data; charset="; boundary=Y"; BOUNDARY="X"',
  ' Multipart/Form-Data;boundary=X ;',
])('finds the boundary in %s', async (type) => {
  const { parts } = await Payload.of(Buffer.from(`${FIELD}--X--`), { 'content-type': type }, MAX);
  expect(parts).toEqual([{ name: 'a', contentType: 'text/plain', size: 1, text: '1' }]);
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

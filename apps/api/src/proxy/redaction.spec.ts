import fc from 'fast-check';
import { Redactor } from './redaction.js';

const redact = (secret: string, body: Buffer, type = 'text/plain'): string =>
  new Redactor([secret])
    .redact({ fromUpstream: true, status: 200, headers: [['Content-Type', type]], body })
    .body.toString('latin1');

/** How servers write a text that they give back. */
const WRITERS: Record<string, (text: string) => string> = {
  raw: (text) => text,
  json: (text) => JSON.stringify({ text }),
  'JSON of PHP': (text) => JSON.stringify({ text }).replaceAll('/', '\\/'),
  'JSON in ASCII': (text) =>
    JSON.stringify({ text }).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 of JSON': (text) => Buffer.from(JSON.stringify([7, text])).toString('base64'),
  percent: (text) => encodeURIComponent(text),
  'percent, lower case': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  form: (text) => new URLSearchParams({ text }).toString(),
  'base64 in a query': (text) => encodeURIComponent(Buffer.from(`user:${text}`).toString('base64')),
};

/** What a header can carry, and what a password may be. */
const secrets = fc.oneof(
  fc.string({ minLength: 12, maxLength: 60 }),
  fc.string({ minLength: 12, maxLength: 60, unit: fc.constantFrom(...'abzAZ09/+=-_~?&%"\\\'<> üé') }),
  fc.string({ minLength: 12, maxLength: 30, unit: 'grapheme' }).filter((text) => text.isWellFormed()),
);
const filler = fc.string({ maxLength: 20, unit: fc.constantFrom(...'ab :,') });

it.each(Object.entries(WRITERS))('takes out what is written as %s', (_name, write) => {
  fc.assert(
    fc.property(secrets, filler, filler, (secret, before, after) => {
      const written = write(secret);
      const body = redact(secret, Buffer.from(before + written + after));
      expect(body).toContain('[REDACTED]');
      // Read back as the writer wrote it, nothing gives the secret.
      expect(body).not.toContain(Buffer.from(written).toString('latin1'));
    }),
  );
});

it('takes out a secret that came back byte for byte as the header carried it', () => {
  const body = Buffer.from('before clé-secrète-12345 after', 'latin1');
  expect(redact('clé-secrète-12345', body)).toBe('before [REDACTED] after');
});

it('leaves bodies without the secret, and binary ones, as they are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const body = Buffer.from(bytes);
      expect(redact('a-secret-of-some-length', body, 'image/png')).toBe(body.toString('latin1'));
    }),
  );
  const binary = Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('a-secret-of-some-length')]);
  expect(redact('a-secret-of-some-length', binary, 'image/png')).toBe(binary.toString('latin1'));
});

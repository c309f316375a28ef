import fc from 'fast-check';
import { atOnce } from '../platform/short-steps.js';
import { Redactor } from './redaction.js';

const redact = (secret: string, body: Buffer, type = 'text/plain'): string =>
  atOnce(
    new Redactor([secret]).redact({ fromUpstream: true, status: 200, headers: [['Content-Type', type]], body }),
  ).body.toString('latin1');

const hex = (text: string): string => Buffer.from(text).toString('hex');
const percentAll = (text: string): string => hex(text).replace(/../g, '%$&');
const unicodeAll = (text: string): string =>
  Array.from({ length: text.length }, (_, n) => `\\u${text.charCodeAt(n).toString(16).padStart(4, '0')}`).join('');
/** Breaks a text into lines, inside more text, like a MIME part or a PEM file. */
const lines = (text: string, length: number, lineBreak: string): string =>
  Buffer.from(`some text that stands before it: ${text}, and some after`)
    .toString('base64')
    .replace(new RegExp(`.{${length}}`, 'g'), `$&${lineBreak}`);

/** The ways in which servers encode a text that they echo. */
const WRITERS: Record<string, (text: string) => string> = {
  raw: (text) => text,
  json: (text) => JSON.stringify({ text }),
  'JSON of PHP': (text) => JSON.stringify({ text }).replaceAll('/', '\\/'),
  'JSON in ASCII': (text) =>
    JSON.stringify({ text }).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 without padding': (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  'base64 inside a longer text': (text) => Buffer.from(`user:${text}:tail`).toString('base64'),
  'base64 in JSON of PHP': (text) =>
    JSON.stringify({ text: Buffer.from(text).toString('base64') }).replaceAll('/', '\\/'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64url with padding': (text) => Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
  'base64 of JSON': (text) => Buffer.from(JSON.stringify([7, text])).toString('base64'),
  percent: (text) => encodeURIComponent(text),
  'percent, lower case': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  form: (text) => new URLSearchParams({ text }).toString(),
  'hexadecimal, lower case': hex,
  'hexadecimal, upper case': (text) => hex(text).toUpperCase(),
  'JSON with all characters escaped': (text) => `"${unicodeAll(text)}"`,
  'JSON with all characters escaped, upper case': (text) => unicodeAll(text).toUpperCase().replaceAll('\\U', '\\u'),
  'percent of every character': (text) => percentAll(text).toUpperCase(),
  'percent of every character, lower case': percentAll,
  'base64 in lines of 76 (MIME)': (text) => lines(text, 76, '\r\n'),
  'base64 in lines of 64 (PEM)': (text) => lines(text, 64, '\n'),
  'base64 in lines of 100': (text) => lines(text, 100, '\n'),
  'base64 in lines, in JSON': (text) => JSON.stringify({ text: lines(text, 64, '\r\n') }),
  'base64 in lines that are indented (YAML)': (text) => lines(text, 76, '\n    '),
  'percent of JSON': (text) => encodeURIComponent(JSON.stringify(text)),
  'base64 in a query': (text) => encodeURIComponent(Buffer.from(`user:${text}`).toString('base64')),
};

/** Secrets that a header can carry, and possible passwords. */
const secrets = fc.oneof(
  fc.string({ minLength: 12, maxLength: 60 }),
  fc.string({ minLength: 12, maxLength: 60, unit: fc.constantFrom(...'abzAZ09/+=-_~?&%"\\\'<> üé') }),
  fc.string({ minLength: 12, maxLength: 30, unit: 'grapheme' }).filter((text) => text.isWellFormed()),
);
const filler = fc.string({ maxLength: 20, unit: fc.constantFrom(...'ab :,') });

it.each(Object.entries(WRITERS))('redacts a secret written as %s', (_name, write) => {
  fc.assert(
    fc.property(secrets, filler, filler, (secret, before, after) => {
      const written = write(secret);
      const body = redact(secret, Buffer.from(before + written + after));
      expect(body).toContain('[REDACTED]');
      // Decoding the redacted text does not give the secret.
      expect(body).not.toContain(Buffer.from(written).toString('latin1'));
    }),
  );
});

it('drops a header that is named like the secret', () => {
  const headers: [string, string][] = [
    ['X-sk-live-1234', '1'],
    ['X-Kept', 'sk-live-1234'],
    ['x-kept', '2'],
  ];
  expect(atOnce(new Redactor(['sk-live-1234']).redactHeaders(headers))).toEqual([
    ['X-Kept', '[REDACTED]'],
    ['x-kept', '2'],
  ]);
});

it.each([
  ['many headers, one of which has a secret', 5000, 1],
  ['many headers that have a secret', 500, 500],
])('redacts %s in many small steps', (_what, count, echoes) => {
  const redactor = new Redactor(['sk-live-1234']);
  const headers = Array.from({ length: count }, (_, n): [string, string] => [
    'X-A',
    n < echoes ? `sk-live-1234%41\\u0041` : 'b',
  ]);
  const steps = redactor.redactHeaders(headers);
  let number = 1;
  let step = steps.next();
  for (; !step.done; step = steps.next()) number += 1;
  expect(step.value.filter(([, text]) => text.includes('[REDACTED]'))).toHaveLength(echoes);
  expect(number).toBeGreaterThan(count / 40 + echoes);
});

it('redacts a secret in the bytes that the header carried', () => {
  const secret = Buffer.from('clé-secrète-12345', 'latin1');
  for (const written of [secret.toString('latin1'), secret.toString('hex'), secret.toString('hex').toUpperCase()]) {
    const body = Buffer.from(`before ${written} after`, 'latin1');
    expect(redact('clé-secrète-12345', body)).toBe('before [REDACTED] after');
  }
});

it('does not change bodies without the secret, or binary bodies', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const body = Buffer.from(bytes);
      expect(redact('a-secret-of-some-length', body, 'image/png')).toBe(body.toString('latin1'));
    }),
  );
  const binary = Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('a-secret-of-some-length')]);
  expect(redact('a-secret-of-some-length', binary, 'image/png')).toBe(binary.toString('latin1'));
});

it('redacts a secret anywhere in a body of many blocks', () => {
  const [secret, border] = ['a-secret/of some+length', 256 * 1024];
  const body = Buffer.alloc(border + 1000, 'innocent "text" at 100% ');
  for (const write of Object.values(WRITERS)) {
    const written = Buffer.from(write(secret));
    for (const at of [border - written.length, border - (written.length >> 1), border - 1]) {
      const echo = Buffer.from(body);
      written.copy(echo, at);
      const redacted = redact(secret, echo);
      expect(redacted.includes('[REDACTED]')).toBe(true);
      expect(redacted.includes(written.toString('latin1'))).toBe(false);
      // Nothing else was touched.
      expect(redacted.slice(0, at) === body.toString('latin1', 0, at)).toBe(true);
      expect(redacted.endsWith(body.toString('latin1', at + written.length))).toBe(true);
    }
  }
});

it('redacts overlapping secrets, and the same secret many times', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('aaaa', 'aab', 'b', 'a', ' '), { maxLength: 60 }), (parts) => {
      const text = parts.join('');
      const redacted = redact('aaaa', Buffer.from(text)).replaceAll('[REDACTED]', '#');
      expect(redacted).not.toContain('aaaa');
      expect(redacted.replaceAll(/[#a]+/g, '')).toBe(text.replaceAll(/a+/g, ''));
    }),
  );
});

it('does not change answers with other escapes', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'%\\u041aZ\n\r "/+'), maxLength: 200 }), (text) => {
      expect(redact('a-secret-of-some-length', Buffer.from(text))).toBe(text);
    }),
  );
});

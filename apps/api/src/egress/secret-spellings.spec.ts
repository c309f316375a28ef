import * as fc from 'fast-check';
import { toSpellings } from './secret-spellings.js';

const secrets = fc.oneof(
  fc.string({ minLength: 4, maxLength: 60 }),
  fc.stringMatching(/^[A-Za-z0-9+/_=-]{4,90}$/),
  fc.string({ minLength: 4, maxLength: 30, unit: 'grapheme' }).filter((text) => text.isWellFormed()),
);

const percentEncoded = (secret: string): string =>
  Buffer.from(secret).reduce((text, byte) => `${text}%${byte.toString(16).toUpperCase().padStart(2, '0')}`, '');
const escaped = (secret: string): string =>
  Array.from({ length: secret.length }, (_, n) => `\\u${secret.charCodeAt(n).toString(16).padStart(4, '0')}`).join('');

it('finds a sign in each spelling of a secret', () => {
  fc.assert(
    fc.property(secrets, (secret) => {
      const { whole, signs } = toSpellings(secret);
      const encoded = [
        percentEncoded(secret),
        percentEncoded(secret).toLowerCase(),
        escaped(secret),
        Buffer.from(encodeURIComponent(secret)).toString('latin1'),
        Buffer.from(JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')).toString('latin1'),
      ];
      const unsigned = [...whole, ...encoded].filter((text) => !signs.some((sign) => text.includes(sign)));
      expect(unsigned).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

it('has no word as a sign that is not a whole run of the secret', () => {
  expect(toSpellings('upstreamPassword').signs.filter((sign) => 'the Password of 20240101'.includes(sign))).toEqual([]);
  expect(toSpellings('acmecorp20240101').signs).not.toContain('20240101');
});

it('searches for no sign that contains another one', () => {
  const { signs } = toSpellings('upstream-token-0123456789');
  expect(signs.filter((sign) => signs.some((other) => other !== sign && sign.includes(other)))).toEqual([]);
  expect(signs.length).toBeLessThan(15);
});

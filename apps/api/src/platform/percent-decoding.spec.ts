import fc from 'fast-check';
import { asciiDecoded, latin1Decoded, percentDecoded } from './percent-decoding.mjs';

it.each([
  ['plain', 'plain', 'plain', 'plain'],
  ['a%2Fb%2fc', 'a/b/c', 'a/b/c', 'a/b/c'],
  ['caf%C3%A9', 'café', 'caf%C3%A9', 'cafÃ©'],
  // Not UTF-8.
  ['%E9', null, '%E9', 'é'],
  ['%C0%AF', null, '%C0%AF', 'À¯'],
  // Malformed. What can be decoded is decoded.
  ['100%', null, '100%', '100%'],
  ['%4', null, '%4', '%4'],
  ['%zz%41', null, '%zzA', '%zzA'],
  ['%u0041', null, '%u0041', '%u0041'],
  // Once.
  ['%2541', '%41', '%41', '%41'],
  ['a+b', 'a+b', 'a+b', 'a+b'],
])('decodes %j', (text, percent, ascii, latin1) => {
  expect([percentDecoded(text), asciiDecoded(text), latin1Decoded(text)]).toEqual([percent, ascii, latin1]);
});

it('decodes what `encodeURIComponent` encodes', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => percentDecoded(encodeURIComponent(text)) === text));
});

it('throws for no text', () => {
  const hostile = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[%0-9a-fA-FuU]*$/));
  fc.assert(
    fc.property(hostile, (text) => {
      expect([null, expect.any(String)]).toContainEqual(percentDecoded(text));
      expect(asciiDecoded(text).length).toBeLessThanOrEqual(text.length);
      expect(latin1Decoded(text).length).toBeLessThanOrEqual(text.length);
    }),
  );
});

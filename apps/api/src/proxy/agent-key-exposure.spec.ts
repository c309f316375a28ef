import fc from 'fast-check';
import { timesAsLong } from '../../../../libs/egress/test/linear-time.js';
import { Payload } from '../egress/payload.js';
import { ApiError } from '../platform/errors.js';
import { refuseAgentKeys, refuseAgentKeysInHeaders } from './agent-key-exposure.js';

const KEY = `agt_${'0123456789abcdef'.repeat(4)}`;
const intent = 'look';

const refuseBody = (text: string): void =>
  refuseAgentKeys({ targetUrl: '', body: Payload.ofText(text), intent, idempotencyKey: null });
const isRefused = (text: string): boolean => {
  try {
    refuseBody(text);
    return false;
  } catch {
    return true;
  }
};
/** Decodes the text from each character on, which is slow. */
const decodesTo = (text: string, wanted: RegExp): boolean =>
  Array.from(text, (_, at) => Buffer.from(text.slice(at, at + 96), 'base64').toString('latin1')).some((bytes) =>
    wanted.test(bytes),
  );
const alphabet = fc.constantFrom<BufferEncoding>('base64', 'base64url');

it('finds a key in base64 of any text, at any offset, in headers and URLs', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      alphabet,
      fc.constantFrom<(text: string) => string>((text) => text, encodeURIComponent),
      (before, after, letters, write) => {
        const text = write(Buffer.from(before + KEY + after).toString(letters));
        expect(() => refuseAgentKeysInHeaders({ 'X-Auth': `Basic ${text}` })).toThrow(ApiError);
        const targetUrl = `https://api.example.com/x?auth=${text}`;
        expect(() => refuseAgentKeys({ targetUrl, body: null, intent, idempotencyKey: null })).toThrow(ApiError);
      },
    ),
  );
});

const inName = [
  KEY,
  `X-${KEY.toUpperCase()}`,
  `X-${KEY.replace('_', '%5F')}`,
  ...['', 'x', 'xy'].map((before) => `X-${Buffer.from(`${before}${KEY}`).toString('base64url')}`),
];
it.each(inName)('finds a key in the name of a header, without repeating it: %s', (name) => {
  expect(() => refuseAgentKeysInHeaders({ [name]: '1' })).toThrow(/^headers: must not contain an agent key/);
});

it('accepts base64 without a key', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      refuseAgentKeysInHeaders({ 'X-Auth': Buffer.from(bytes).toString('base64') });
      refuseAgentKeysInHeaders({ 'X-Auth': Buffer.from(`agt_${KEY.slice(5)}`).toString('base64') });
    }),
  );
});

it('finds every key that appears when base64 is decoded from any character on, and nothing that does not look like a key', () => {
  const key = fc.stringMatching(/^[0-9a-f]{64}$/).map((hex) => Buffer.from(`agt_${hex}`));
  const [before, after] = [fc.uint8Array({ maxLength: 100 }), fc.uint8Array({ maxLength: 100 })];
  const other = fc.option(fc.record({ at: fc.nat(), char: fc.stringMatching(/^[\w+/-]$/) }));
  fc.assert(
    fc.property(before, key, after, alphabet, other, (head, middle, tail, letters, changed) => {
      const text = Buffer.concat([head, middle, tail]).toString(letters).split('');
      if (changed !== null) text[changed.at % text.length] = changed.char;
      const refused = isRefused(text.join(''));
      if (decodesTo(text.join(''), /agt_[0-9a-f]{64}/)) expect(refused).toBe(true);
      else if (refused) expect(decodesTo(text.join(''), /agt_[!-y]{64}/)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['\n', 76],
  ['\r\n', 76],
  ['\n', 64],
])('finds a key in base64 whose lines end with %j after %i characters', (lineEnd, width) => {
  for (let offset = 0; offset < 100; offset++) {
    const lines = Buffer.from(`${'x'.repeat(offset)}${KEY}\n`)
      .toString('base64')
      .match(new RegExp(`.{1,${width}}`, 'g'));
    expect(isRefused(lines!.join(lineEnd))).toBe(true);
  }
});

it.each(['YWd0X', 'FndF9', 'hZ3Rf', 'agt_', 'YWd0X\n'])(
  'reads a body of nothing but %j about as fast as prose, although every place looks like the start of a key',
  async (start) => {
    const size = 1024 * 1024;
    const [hostile, prose] = [start, 'hello '].map((text) => text.repeat(size / text.length));
    expect(
      await timesAsLong(
        () => refuseBody(hostile),
        () => refuseBody(prose),
      ),
    ).toBeLessThan(20);
  },
);

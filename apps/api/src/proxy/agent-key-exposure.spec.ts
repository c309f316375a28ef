import fc from 'fast-check';
import { ApiError } from '../platform/errors.js';
import { refuseAgentKeys, refuseAgentKeysInHeaders } from './agent-key-exposure.js';

const KEY = `agt_${'0123456789abcdef'.repeat(4)}`;
const intent = 'look';

it('finds a key in base64 of any text, at any offset, in headers and URLs', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.constantFrom('base64', 'base64url'),
      fc.constantFrom<(text: string) => string>((text) => text, encodeURIComponent),
      (before, after, alphabet, write) => {
        const text = write(Buffer.from(before + KEY + after).toString(alphabet));
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

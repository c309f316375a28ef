import fc from 'fast-check';
import { actionDigest, type Digested } from './action-digest.js';

const BASE_URL = 'https://api.example.com/v1';
const ACTION: Digested = {
  agentId: 1,
  serviceId: 2,
  method: 'POST',
  targetUrl: 'https://api.example.com/v1/refunds',
  headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
  body: '{"amount":500}',
};

it('the digest equals the result of the calculation in the reference', () => {
  expect(actionDigest(ACTION, BASE_URL)).toBe('36cf50c57426137b07ac7fe7fddd446a9a8ace15d4fecb69d7fbdf3a114f6a50');
});

it('does not depend on the order or the case of header names', () => {
  const headers = { 'CONTENT-TYPE': 'application/json', accept: 'application/json' };
  expect(actionDigest({ ...ACTION, headers }, BASE_URL)).toBe(actionDigest(ACTION, BASE_URL));
});

it.each<[string, Partial<Digested>, string?]>([
  ['method', { method: 'PUT' }],
  ['target URL', { targetUrl: 'https://api.example.com/v1/refunds?x=1' }],
  ['header', { headers: { ...ACTION.headers, Accept: 'text/plain' } }],
  ['body', { body: '{"amount":50000}' }],
  ['agent', { agentId: 2 }],
  ['service', { serviceId: 1 }],
  ['base URL of the service', {}, 'https://api.example.com'],
])('changes with the %s', (_, change, baseUrl = BASE_URL) => {
  expect(actionDigest({ ...ACTION, ...change }, baseUrl)).not.toBe(actionDigest(ACTION, BASE_URL));
});

it('is the same only for the same request', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  const actions = fc.record({ targetUrl: text, headers: fc.dictionary(fc.constantFrom('a', 'b'), text), body: text });
  fc.assert(
    fc.property(actions, actions, (a, b) => {
      const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
      expect(actionDigest({ ...ACTION, ...a }, BASE_URL) === actionDigest({ ...ACTION, ...b }, BASE_URL)).toBe(same);
    }),
  );
});

const sorted = ({ targetUrl, headers, body }: Pick<Digested, 'targetUrl' | 'headers' | 'body'>) => [
  targetUrl,
  Object.entries(headers).sort(),
  body,
];

import 'reflect-metadata';
import * as fc from 'fast-check';
import { HTTP_METHODS, IDEMPOTENCY_KEY_MAX, INTENT_MAX, ProxyRequestBody } from '#contracts';
import { validate } from '../http/validation.js';
import { isWellFormed } from './well-formed.js';

const odd = fc.oneof(fc.constant(undefined), fc.constant(null), fc.integer(), fc.boolean(), fc.array(fc.string()));
const field = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: odd });
const around = (length: number) => fc.integer({ min: length - 1, max: length + 1 }).map((size) => 'x'.repeat(size));

const bodies = fc.record(
  {
    targetUrl: field(fc.oneof(fc.webUrl(), fc.string())),
    method: field(fc.oneof(fc.constantFrom(...HTTP_METHODS), fc.string())),
    headers: field(
      fc.dictionary(
        fc.string(),
        fc.oneof({ weight: 5, arbitrary: fc.string() }, { weight: 1, arbitrary: fc.integer() }),
      ),
    ),
    body: field(fc.string()),
    intent: field(fc.oneof(fc.string(), around(INTENT_MAX))),
    idempotencyKey: field(fc.oneof(fc.string(), around(IDEMPOTENCY_KEY_MAX))),
    another: fc.anything(),
  },
  { requiredKeys: [] },
);

it('passes nothing that the validator refuses', () => {
  fc.assert(
    fc.property(bodies, (given) => {
      if (isWellFormed(given)) expect(() => validate(ProxyRequestBody, given)).not.toThrow();
    }),
    { numRuns: 2000 },
  );
});

it('passes the usual request', () => {
  expect(isWellFormed({ targetUrl: 'https://a.example/', method: 'GET', intent: 'look' })).toBe(true);
  expect(
    isWellFormed({
      targetUrl: 'https://a.example/',
      method: 'POST',
      intent: 'x',
      headers: { a: 'b' },
      body: '{}',
      idempotencyKey: 'k',
    }),
  ).toBe(true);
});

it('leaves wrong or unusual bodies to the validator', () => {
  for (const fault of [
    { method: 'BREW' },
    { intent: '' },
    { headers: { a: 1 } },
    { headers: [] },
    { body: 1 },
    { idempotencyKey: '' },
  ]) {
    expect(isWellFormed({ targetUrl: 'https://a.example/', method: 'GET', intent: 'look', ...fault })).toBe(false);
  }
});

import fc from 'fast-check';
import { takeApart } from './openapi-operations.mjs';

const WORDS = [
  '$ref',
  'servers',
  'url',
  'variables',
  'default',
  'parameters',
  'requestBody',
  'responses',
  'schema',
  'toString',
];
const REFERENCES = ['#/a', '#/paths', '#/paths/~1a', '#/paths/~1a/get', '#/toString', '#/', 'other.yaml#/a'];

/** Arbitrary values in arbitrary places, under the names that a document uses. */
const anything = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(fc.constantFrom(...REFERENCES, '/v{default}/', 'https://x/{url}'), fc.string({ unit: 'binary' })),
    fc.constantFrom(null, true, 7),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...WORDS, 'summary', 'description', 'get', 'put'), tie('node'), { maxKeys: 4 }),
  ),
})).node;

describe('takeApart', () => {
  it('accepts any value in any place, and keeps its limits', () => {
    const item = fc.oneof(anything, fc.dictionary(fc.constantFrom('get', 'put', 'parameters', 'servers'), anything));
    fc.assert(
      fc.property(item, anything, anything, (path, servers, a) => {
        const document = JSON.parse(
          JSON.stringify({ openapi: '3.0.0', paths: { '/a': path, x: path }, servers, a }),
        ) as object;
        for (const operation of takeApart(document, 100)) {
          expect(['GET', 'PUT']).toContain(operation.method);
          expect(operation.excerpt.length).toBeLessThanOrEqual(4_000);
          for (const text of Object.values(operation)) {
            expect(text === null || (text.isWellFormed() && !text.includes('\0'))).toBe(true);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

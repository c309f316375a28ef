import { pathTerms } from './path-terms.js';

it('names the path, the template, each prefix, and the last word, the most specific first', () => {
  expect(pathTerms('https://api.example.com/v1/customers/42/orders?limit=1', '/v1/customers/{id}/orders')).toEqual([
    '/v1/customers/42/orders',
    '/v1/customers/{id}/orders',
    '/v1/customers/42',
    '/v1/customers',
    '/v1',
    'orders',
  ]);
});

it('names at most ten prefixes of a path, however many segments it has', () => {
  const terms = pathTerms(`https://api.example.com/${'a/'.repeat(4000)}`, null);
  expect(terms).toHaveLength(13);
  expect(terms[0]).toBe('/a'.repeat(4000));
  expect(terms.slice(2, 12)).toEqual(Array.from({ length: 10 }, (_, index) => '/a'.repeat(10 - index)));
});

it('names nothing of the root', () => {
  expect(pathTerms('https://api.example.com/', null)).toEqual(['', '', '']);
});

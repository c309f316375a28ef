import fc from 'fast-check';
import { effects } from '../../test/support/classified.js';
import { pathSpellings } from './path-spellings.js';

/** What some server takes away around a segment, or reads as the plain letter. */
const BEHIND = [
  '%20',
  '.',
  ';x',
  ';a=b',
  '%00',
  '%00.png',
  '%09',
  '%2520',
  '%20.',
  '%3Fx',
  '%23x',
  '%252e',
  '.pdf',
  '.html5',
  '.v2',
];
const segment = (word: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('', '%20', '%09'),
      fc.constantFrom(
        word,
        word.toUpperCase(),
        `%${word.charCodeAt(0).toString(16)}${word.slice(1)}`,
        `${word[0]}${word.slice(1).toUpperCase()}`,
      ),
      fc.array(fc.constantFrom(...BEHIND), { maxLength: 2 }),
    )
    .map(([before, spelled, behind]) => `${before}${spelled}${behind.join('')}`);

const lines: readonly [string, string, string][] = [
  ['POST /orders/7', 'refund', 'money'],
  ['GET /users/7', 'delete', 'delete'],
  ['GET /apps/7', 'deploy', 'code'],
  ['PUT /users/7', 'roles', 'permissions'],
  ['GET /apps/7', 'secrets', 'credentials'],
];

it.each(lines)('%s/%s has its effect, however it is spelled', (before, word, expected) => {
  fc.assert(
    fc.property(segment(word), (spelled) => {
      expect(effects(`${before}/${spelled}`)).toContain(expected);
    }),
    { numRuns: 300 },
  );
});

it('has it also where a documented path takes the segment for a value', () => {
  const operation = { path: '/orders/{id}/{view}', summary: 'Show an order' };
  expect(effects('GET /orders/7/cancel%20', { operation })).toContain('write');
  expect(effects('GET /orders/7/cancel', { operation })).not.toContain('write');
  expect(effects('POST /jobs/7/delete%20', { operation: { path: '/jobs/{id}/{action}' } })).toContain('delete');
});

it.each(['search%20', 'search.', 'search;x', 'search%2F', '%73earch;', 'delete%20/search', 'search%20/'])(
  'lowers nothing by a spelling: %s',
  (spelled) => {
    expect(effects(`POST /customers/${spelled}`)).toContain('write');
  },
);

it('explains nothing by a spelling', () => {
  expect(effects('POST /nn/zz/build')).toBe('code write');
  expect(effects('POST /nn/zz/build%20')).toBe('code unclear write');
});

it('takes what follows a dot for an extension only where it says nothing', () => {
  expect(pathSpellings('/orders.get')).toEqual(['/orders.get']);
  expect(pathSpellings('/orders.pdf')).toEqual(['/orders.pdf', '/orders']);
});

it('reads a long hostile path in a short time, or calls it unclear', () => {
  const path = '/%20a;b%00?c.%2520'.repeat(400);
  expect(effects(`POST ${path.replaceAll('?', '%3F')}`)).toContain('unclear');
});

describe('another operation for which some server may take a request', () => {
  const refund = { path: '/orders/{id}/reversal', summary: 'Refund an order' };
  const search = { path: '/orders/{id}/{part}', summary: 'Search the parts of an order' };
  const label = { path: '/orders/{id}', method: 'PATCH', fields: ['name'] };

  it('adds its effects, whatever is documented at the path', () => {
    expect(effects('POST /orders/5/REVERSAL', { others: [refund] })).toMatch(/money.* write$/);
    expect(effects('POST /orders/5/REVERSAL', { operation: search, others: [refund] })).toMatch(/money.* write$/);
    expect(effects('POST /orders/5/find', { others: [refund] })).toMatch(/money.* write$/);
    expect(effects('PATCH /Orders/5', { body: { name: 'x' }, others: [{ ...label, summary: 'Refund it' }] })).toMatch(
      /money.* write$/,
    );
  });

  it('lowers nothing', () => {
    expect(effects('POST /orders/5/reversal', { operation: refund, others: [search] })).toMatch(/money.* write$/);
    expect(effects('POST /orders/5/x', { others: [search] })).toContain('write');
    const dry = { ...refund, fields: ['dry_run'] };
    expect(effects('POST /orders/5/REVERSAL', { body: { dry_run: true }, others: [dry] })).toMatch(/money.* write$/);
    expect(effects('POST /orders/5/reversal', { operation: dry, body: { dry_run: true }, others: [search] })).toMatch(
      /money.* write$/,
    );
  });
});

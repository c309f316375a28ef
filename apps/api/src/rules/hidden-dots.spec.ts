import fc from 'fast-check';
import type { RuleEffect } from '#contracts';
import { ConditionFacts } from '../conditions/facts.js';
import { RequestPath } from '../request-reading/request-path.js';
import { covers, type RuleScope } from './rule-matching.js';

const BASE = 'https://api.example.com/v1';

function isCovered(path: string, effect: RuleEffect, limits: Partial<RuleScope>): boolean {
  const targetUrl = BASE + path;
  return covers(
    { effect, methods: [], agentIds: [], pathPattern: '', when: '', ...limits },
    {
      agentId: 7,
      methods: ['GET'],
      path: new RequestPath(new URL(targetUrl), BASE),
      facts: new ConditionFacts({
        request: { method: 'GET', targetUrl, headers: {}, body: null },
        agentId: 7,
        nowMs: 0,
      }),
    },
  );
}

const dot = fc.constantFrom('.', '%2e', '%252e', '%c0%ae', '%c0%2e', '%f8%80%80%80%ae', '%u002e', '%ef%bc%8e', '．');
const blank = fc.constantFrom('%20', '%09', '%c2%a0', '%e2%80%8b', '%0d%0a', '%c2%ad', '%1f');
/** NUL is trimmed by some servers, and ends the path for others. */
const orNul = fc.oneof(blank, fc.constant('%00'));
const cut = fc.constantFrom(';', ';x=1', '%3b', '%23', '%23x', '%3f', '%3fa=b', '%00x', '%253f');
const slash = fc.constantFrom('/', '%2f', '%5c', '%252f', '%c0%af', '%ef%bc%8f', '%e2%88%95', '%u2216');
const word = fc.constantFrom('a', 'orders', '42', 'a.b', 'x%20y');

/** `..` in a spelling that URL parsers leave alone. */
const hiddenDots = (filler: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(filler, { maxLength: 2 }),
      dot,
      fc.array(filler, { maxLength: 1 }),
      dot,
      fc.array(filler),
      fc.option(cut),
    )
    .map(([before, one, between, other, after, end]) =>
      [...before, one, ...between, other, ...after, end ?? ''].join(''),
    )
    .filter((text) => new URL(`http://x/a/${text}/b`).pathname.split('/').length === 4);

it('a path with hidden dots never falls under a permission for a part of the service', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 3 }), slash, hiddenDots(orNul), slash, (words, before, dots, after) => {
      const path = `/${['search', ...words].join('/')}${before}${dots}${after}admin`;
      for (const limits of [
        { pathPattern: '/search/**' },
        { pathPattern: '/search**' },
        { pathPattern: '/**/admin' },
        { when: 'request.path.startsWith("/search/")' },
      ]) {
        expect([path, isCovered(path, 'allow', limits)]).toEqual([path, false]);
      }
    }),
    { numRuns: 500 },
  );
});

it('a path with hidden dots falls under a prohibition of the place where they lead', () => {
  fc.assert(
    fc.property(slash, hiddenDots(blank), slash, (before, dots, after) => {
      const path = `/search${before}${dots}${after}admin/x`;
      for (const effect of ['deny', 'require_approval', 'limit'] as const) {
        // A server that cuts the path at `?` or `#` is left at `/`.
        const leads = ['/admin/**', '/'].some((pathPattern) => isCovered(path, effect, { pathPattern }));
        expect([path, leads]).toEqual([path, true]);
      }
    }),
    { numRuns: 500 },
  );
});

it.each([
  ...['..%20', '..%09', '..%00', '..%23', '..%3f', '..;', '.%2e%20', '%ef%bc%8e%ef%bc%8e', '%e2%80%a5', '%u002e.'],
  ...['..%20.', '...', '%2e.%0a', '..%23x', '.%e2%80%8b.', '..%5c', '.%00.', '%20..', '..%c2%a0', '%252e%252e%2520'],
])('an allow for /search/** does not cover /search/%s/admin', (dots) => {
  expect(isCovered(`/search/${dots}/admin`, 'allow', { pathPattern: '/search/**' })).toBe(false);
});

it.each([
  ['/rooms/*/members', '/rooms/%23x/members'],
  ['/orders/*/read', '/orders/%3fx/read'],
  ['/users/*/delete', '/users/%20/delete'],
  ['/items/*/list', '/items/1%00/list'],
])('an allow for %s does not cover %s, which some servers cut or trim', (pathPattern, path) => {
  expect(isCovered(path, 'allow', { pathPattern })).toBe(false);
});

it.each([
  ['/search/**', '/search/a%20b'],
  ['/search/**', '/search/.well-known/x..y'],
  ['/repos/*/labels/*', '/repos/a/labels/C%23'],
  ['/index.php/**', '/index.php/users/1'],
  ['/Files/*', '/Files/Report.'],
  ['/projects/**', '/projects/group%2Fname'],
  ['', '/search/..%20/admin'],
])('an allow for %s covers %s', (pathPattern, path) => {
  expect(isCovered(path, 'allow', { pathPattern })).toBe(true);
});

import fc from 'fast-check';
import { globMatches } from './path-glob.js';

describe('globMatches', () => {
  it.each([
    ['', '/anything/at/all', true],
    ['**', '/', true],
    ['/**', '/', true],
    ['/customers', '/customers', true],
    ['/customers', '/customers/42', false],
    ['/customers', '/customersx', false],
    ['/customers/*', '/customers/42', true],
    ['/customers/*', '/customers/', true],
    ['/customers/*', '/customers', false],
    ['/customers/*', '/customers/42/orders', false],
    ['/customers/**', '/customers', true],
    ['/customers/**', '/customers/42/orders/7', true],
    ['/customers/**', '/customersx', false],
    ['/customers**', '/customersx/1', true],
    ['/a/**/b', '/a/b', true],
    ['/a/**/b', '/a/x/y/b', true],
    ['/a/**/b', '/axb', false],
    ['/a/**/b', '/a/xb', false],
    ['/**/admin', '/admin', true],
    ['/**/admin/**', '/v1/admin/users', true],
    ['/files/*.json', '/files/a.json', true],
    ['/files/*.json', '/files/.json', true],
    ['/files/*.json', '/files/a/b.json', false],
    ['/a.c', '/abc', false],
    ['/(a|b)+', '/a', false],
    ['/customers/*', '/Customers/42', false],
  ])('%s against %s: %s', (pattern, path, expected) => {
    expect(globMatches(pattern, path)).toBe(expected);
  });

  it('agrees with a regular expression made from the same pattern', () => {
    const word = fc.array(fc.constantFrom('/', '/', 'a', 'b', '*', '*', '.'), { maxLength: 10 }).map((c) => c.join(''));
    const path = fc.array(fc.constantFrom('/', '/', 'a', 'b', '.'), { maxLength: 10 }).map((c) => `/${c.join('')}`);
    fc.assert(
      fc.property(word, path, (tail, text) => {
        const pattern = `/${tail}`;
        expect([pattern, text, globMatches(pattern, text)]).toEqual([pattern, text, asRegExp(pattern).test(text)]);
      }),
      { numRuns: 5_000 },
    );
  });

  it('takes no longer than length times length, whatever is against it', () => {
    const pattern = `/${'*a'.repeat(250)}b`;
    const started = performance.now();
    expect(globMatches(pattern, `/${'a'.repeat(8_000)}`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

function asRegExp(pattern: string): RegExp {
  const source = pattern.replace(/\/\*\*\/|\/\*\*$|\*\*|\*|[^*]/g, (part) => {
    if (part === '/**/') return '/(?:.*/)?';
    if (part === '/**') return '(?:/.*)?';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part.replace(/\W/, '\\$&');
  });
  return new RegExp(`^${source}$`);
}

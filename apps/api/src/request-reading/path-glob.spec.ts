import fc from 'fast-check';
import { globMatches, PathGlob, wildcardsIn } from './path-glob.js';

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
  ])('%s matches %s: %s', (pattern, path, expected) => {
    expect(globMatches(pattern, path)).toBe(expected);
  });

  it('agrees with a regular expression for the same pattern', () => {
    const word = fc.array(fc.constantFrom('/', '/', 'a', 'b', '*', '*', '.'), { maxLength: 10 }).map((c) => c.join(''));
    const path = fc.array(fc.constantFrom('/', '/', 'a', 'b', '.'), { maxLength: 10 }).map((c) => `/${c.join('')}`);
    fc.assert(
      fc.property(word, path, (tail, text) => {
        const pattern = `/${tail}`;
        expect([pattern, text, globMatches(pattern, text)]).toEqual([pattern, text, asRegExp(pattern).test(text)]);
      }),
      { numRuns: 20_000 },
    );
  });

  it('takes time linear in the length of the path, and stops when its effort is used up', () => {
    const hostile: [string, string][] = [
      [`/${'*a'.repeat(8)}b`, `/${'a'.repeat(8_000)}`],
      ['**a*b', `/${'a'.repeat(8_000)}`],
      ['**a*b/**a*b/**c', `/${'a/'.repeat(4_000)}`],
      ['/**/a*b/**/a*c', `/${'a/'.repeat(4_000)}`],
      [`**${'a'.repeat(500)}b`, `/${'a'.repeat(8_000)}`],
    ];
    for (const [pattern, path] of hostile) {
      const effort = { left: 1e9 };
      expect(new PathGlob(pattern).matches(path, effort)).toBe(false);
      expect([pattern, 1e9 - effort.left < 80 * path.length]).toEqual([pattern, true]);
    }
    const little = { left: 100 };
    expect(new PathGlob('**a*b').matches(`/${'a/'.repeat(4_000)}a1b`, little)).toBe(false);
    expect(little.left).toBeLessThan(0);
  });

  it('counts two stars as one wildcard', () => {
    expect(['/a', '/*', '/**', '/a/**/b*', '***'].map(wildcardsIn)).toEqual([0, 1, 1, 2, 2]);
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

import fc from 'fast-check';
import { coversPaths, sharePaths } from './path-patterns.js';

it.each([
  ['/**', '/customers/*'],
  ['', '/customers/*'],
  ['/customers/**', '/customers'],
  ['/customers/**', '/customers/*/cards/**'],
  ['/customers/*', '/customers/42'],
  ['/a/**/z', '/a/z'],
  ['/a/**/z', '/a/b/*/z'],
  ['**', ''],
  ['/*/cards', '/customers/cards'],
  ['/c*', '/customers*'],
])('%j fits every path of %j', (wide, narrow) => expect(coversPaths(wide, narrow)).toBe(true));

it.each([
  ['/customers/*', '/customers/**'],
  ['/customers/*', '/customers'],
  ['/customers/42', '/customers/*'],
  ['/customers/*', ''],
  ['/a/**/z', '/a/**'],
  ['/a/**/z', '/az'],
  ['/*/cards', '/customers/*/cards'],
  ['/a*', '/*b'],
  ['/a/*', '/a**'],
])('%j does not fit every path of %j', (wide, narrow) => expect(coversPaths(wide, narrow)).toBe(false));

it('finds patterns that have a path in common', () => {
  expect(sharePaths('/customers/*', '/*/42')).toBe(true);
  expect(sharePaths('/a*', '/*b')).toBe(true);
  expect(sharePaths('', '/x')).toBe(true);
  expect(sharePaths('/customers/*', '/charges/*')).toBe(false);
  expect(sharePaths('/customers/*', '/customers/42/cards')).toBe(false);
});

/** The meaning of a pattern, written in another way. */
const toRegExp = (pattern: string): RegExp =>
  new RegExp(
    `^${(pattern || '**')
      .replaceAll(/\/\*\*\/|\/\*\*$|\*\*|\*/g, (part) => `<${part}>`)
      .replaceAll('</**/>', '/(?:[^]*/)?')
      .replaceAll('</**>', '(?:/[^]*)?')
      .replaceAll('<**>', '[^]*')
      .replaceAll('<*>', '[^/]*')}$`,
  );
const words = (letters: string, length: number): string[] =>
  length === 0 ? [''] : words(letters, length - 1).flatMap((word) => [...letters].map((letter) => letter + word));
const PATHS = [0, 1, 2, 3, 4].flatMap((length) => words('ab/', length));
const patterns = fc.array(fc.constantFrom('a', '/', '/a', '*', '**', '/**', '/**/'), { maxLength: 5 });

it('says of no path that both fit it, or that one covers it, if that is not so', () => {
  fc.assert(
    fc.property(patterns, patterns, (one, other) => {
      const [wide, narrow] = [one.join(''), other.join('')];
      const [fitsWide, fitsNarrow] = [toRegExp(wide), toRegExp(narrow)];
      const fitting = PATHS.filter((path) => fitsNarrow.test(path));
      const both = fitting.filter((path) => fitsWide.test(path));
      if (coversPaths(wide, narrow)) expect(both).toEqual(fitting);
      if (both.length > 0) expect(sharePaths(wide, narrow)).toBe(true);
    }),
  );
});

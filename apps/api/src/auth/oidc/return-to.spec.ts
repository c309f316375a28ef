import fc from 'fast-check';
import { safeReturnTo } from './return-to.js';

it.each([
  ['/dashboard/services/3?tab=rules#top', '/dashboard/services/3?tab=rules#top'],
  ['/dashboard/', '/dashboard/'],
  ['/dashboard/../auth/oidc/start', '/dashboard/'],
  ['/dashboard/%2e%2e/auth/logout', '/dashboard/'],
  ['/dashboardx', '/dashboard/'],
  ['//evil.example/dashboard/', '/dashboard/'],
  ['/\\evil.example/dashboard/', '/dashboard/'],
  ['/\t/evil.example/dashboard/', '/dashboard/'],
  ['https://evil.example/dashboard/', '/dashboard/'],
  [undefined, '/dashboard/'],
  [['/dashboard/a', '/dashboard/b'], '/dashboard/'],
])('%p leads to %s', (asked, expected) => {
  expect(safeReturnTo(asked)).toBe(expected);
});

it('a browser never leaves the dashboard', () => {
  const part = fc.constantFrom(
    '/',
    '\\',
    '..',
    '.',
    '%2e',
    '%2f',
    'dashboard',
    '\t',
    '\n',
    '@',
    ':',
    'evil.example',
    '?',
    '#',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const url = new URL(safeReturnTo(parts.join('')), 'https://gateway.example/auth/oidc/callback');
      expect(url.origin).toBe('https://gateway.example');
      expect(url.pathname.startsWith('/dashboard/')).toBe(true);
    }),
  );
});

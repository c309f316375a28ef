import fc from 'fast-check';
import { parseServicePath, targetBelow } from './service-path.js';

const BASE = 'https://api.example.com/v1';

describe('a path below /s/', () => {
  it.each([
    ['/s/Shop', { name: 'Shop', base: '/s/Shop', rest: '', waitSeconds: null, idempotency: null }],
    ['/s/Shop/', { name: 'Shop', base: '/s/Shop', rest: '/' }],
    ['/s/Shop?a=1', { name: 'Shop', base: '/s/Shop', rest: '?a=1' }],
    ['/S/Shop/a/%2e%2e//b?c=/d', { name: 'Shop', base: '/S/Shop', rest: '/a/%2e%2e//b?c=/d' }],
    ['/s/A%2FB%20%C3%BC%3B/x', { name: 'A/B ü;', base: '/s/A%2FB%20%C3%BC%3B', rest: '/x' }],
    ['/s/Shop;wait=9;idempotency=none/x;y=1', { name: 'Shop', waitSeconds: 9, idempotency: 'none', rest: '/x;y=1' }],
    ['/s/Shop;wait=99999', { waitSeconds: 60 }],
    ['/s/Shop;wait=0;idempotency=required', { waitSeconds: 0, idempotency: 'required' }],
    ['/s/', { name: '', rest: '' }],
  ])('%s', (url, expected) => {
    expect(parseServicePath(url)).toMatchObject(expected);
  });

  it.each([
    '/s/Shop;waits=1',
    '/s/Shop;wait=x',
    '/s/Shop;idempotency=off',
    '/s/Shop;wait=1;idempotency=none;wait=1',
    '/s/Shop;idempotency=none;idempotency=required',
    '/s/Shop;',
    '/s/%E0%A4%A',
    '/s/%zz/x',
  ])('refuses %s', (url) => {
    expect(() => parseServicePath(url)).toThrow(/^\/s\/<service>: /);
  });

  it('keeps the rest as written, and never extends the host', () => {
    fc.assert(
      fc.property(
        fc.webPath(),
        fc.string(),
        fc.constantFrom(BASE, `${BASE}/`, 'https://api.example.com'),
        (path, text, base) => {
          const tail = `${path.startsWith('/') ? path : `/${path}`}${text}`;
          const { rest } = parseServicePath(`/s/Shop${tail}`);
          expect(rest).toBe(tail);
          const target = targetBelow(base, rest);
          expect(new URL(target).host).toBe('api.example.com');
        },
      ),
    );
  });
});

describe('a target below a base URL', () => {
  it.each([
    [BASE, '', BASE],
    [BASE, '/', `${BASE}/`],
    [BASE, '?a=1', `${BASE}?a=1`],
    [BASE, '/x', `${BASE}/x`],
    [`${BASE}/`, '/x', `${BASE}/x`],
    [BASE, '//evil.example/x', `${BASE}//evil.example/x`],
    ['https://api.example.com', '/@evil.example', 'https://api.example.com/@evil.example'],
  ])('%s and %s', (base, rest, target) => {
    expect(targetBelow(base, rest)).toBe(target);
  });
});

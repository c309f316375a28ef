import fc from 'fast-check';
import { locationOnGateway, parseServicePath, targetBelow } from './service-path.js';

const BASE = 'https://api.example.com/v1';

describe('a path below /s/', () => {
  it.each([
    ['/s/Shop', { name: 'Shop', base: '/s/Shop', rest: '' }],
    ['/s/Shop/', { name: 'Shop', base: '/s/Shop', rest: '/' }],
    ['/s/Shop?a=1', { name: 'Shop', base: '/s/Shop', rest: '?a=1' }],
    ['/S/Shop/a/%2e%2e//b?c=/d', { name: 'Shop', base: '/S/Shop', rest: '/a/%2e%2e//b?c=/d' }],
    ['/s/A%2FB%20%C3%BC%3B/x', { name: 'A/B ü;', base: '/s/A%2FB%20%C3%BC%3B', rest: '/x' }],
    ['/s/Shop;wait=9;idempotency=none/x;y=1', { name: 'Shop', waitSeconds: 9, idempotencyNone: true, rest: '/x;y=1' }],
    ['/s/Shop;wait=99999', { waitSeconds: 60 }],
    ['/s/', { name: '', rest: '' }],
  ])('%s', (url, expected) => {
    expect(parseServicePath(url)).toMatchObject(expected);
  });

  it.each(['/s/Shop;waits=1', '/s/Shop;wait=x', '/s/Shop;idempotency=off', '/s/Shop;', '/s/%E0%A4%A', '/s/%zz/x'])(
    'refuses %s',
    (url) => {
      expect(() => parseServicePath(url)).toThrow(/^\/s\/<service>: /);
    },
  );

  it('keeps what is below as it was written, and never reaches into the host', () => {
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

describe('a location', () => {
  const where = { targetUrl: `${BASE}/orders/1`, baseUrl: BASE, base: '/s/Shop;wait=5' };

  it.each([
    [`${BASE}/orders/2?a=b#c`, '/s/Shop;wait=5/orders/2?a=b#c'],
    ['/v1/orders/2', '/s/Shop;wait=5/orders/2'],
    ['2', '/s/Shop;wait=5/orders/2'],
    [BASE, '/s/Shop;wait=5'],
  ])('below the service leads to the gateway: %s', (location, expected) => {
    expect(locationOnGateway(location, where)).toBe(expected);
  });

  it.each([
    'https://evil.example/v1/orders',
    '//evil.example/v1',
    '/v1evil',
    '/v2',
    '/v1/../admin',
    'http://api.example.com/v1/x',
    'https://api.example.com:8443/v1/x',
    'https://user@api.example.com/v1/x',
    '\\\\evil.example\\v1',
    'javascript:alert(1)',
    'http://[',
  ])('that leads out of it is none: %s', (location) => {
    expect(locationOnGateway(location, where)).toBeNull();
  });
});

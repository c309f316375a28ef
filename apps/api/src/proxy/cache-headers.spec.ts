import { privateCacheControl, varyByKey } from './cache-headers.js';

it.each([
  ['public, max-age=60', 'private, max-age=60'],
  ['PUBLIC,S-MaxAge=600, max-age=0', 'private, max-age=0'],
  ['private="x, y", no-cache', 'private, no-cache'],
  ['no-store', 'private, no-store'],
  ['proxy-revalidate, must-revalidate', 'private, must-revalidate'],
  ['', 'private'],
  [['max-age=5', 'public'], 'private, max-age=5'],
])('Cache-Control %p becomes %p, so that only caches of one agent keep the answer', (given, expected) => {
  expect(privateCacheControl(given)).toBe(expected);
});

it('varies by the key besides what the upstream says', () => {
  expect(varyByKey(undefined)).toMatch(/^Agent-Key, Authorization/);
  expect(varyByKey(['Accept', 'Origin'])).toMatch(/^Accept, Origin, Agent-Key/);
});

import fc from 'fast-check';
import { timesAsLong } from '../../../../libs/egress/test/linear-time.js';
import { GatewayLinks } from '../base-urls/gateway-links.js';
import { withPlacedLinks } from './header-links.js';
import { ServiceLinks } from './service-links.js';

const API = 'https://api.example.com';
const BASE = `${API}/v1`;
const EVIL = 'https://evil.example/v1/x';
const links = new ServiceLinks(BASE, `${BASE}/orders/1`);
const placed = (headers: [string, string][]): [string, string][] => withPlacedLinks(headers, () => links);
const one = (name: string, value: string): Record<string, string> => Object.fromEntries(placed([[name, value]]));

it.each([
  ['Location', `${BASE}/x`],
  ['Location', 'x?y=1'],
  ['Location', '/v1/caf\u00c3\u00a9'],
  ['Content-Location', '/v1/orders/7'],
  ['Link', `<${BASE}/x?page=2>; rel="next", </v1/x>; rel="last"; title="a, b"`],
  ['Refresh', '5'],
  ['Refresh', `0; url='${BASE}/x'`],
  ['X-Next-Page-Url', `${BASE}/x?return=${EVIL}`],
  ['X-Pagination', `{"next":"${BASE}/x","total":7}`],
  ['X-Note', `see ${BASE}/orders, or ask`],
  ['X-Pagination', `{"next":"${BASE.replaceAll('/', '\\/')}\\/x","path":"\\/v1\\/x"}`],
  ['X-Short-Link', 'abc'],
  ['X-OAuth-Scopes', 'profile:read, file'],
  ['X-Path', '/admin//x'],
  ['X-Amz-Meta-Note', 'a // b, c:/d'],
  ['Date', 'Wed, 25 Nov 2026 07:41:16 GMT'],
  ['Content-Type', 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'],
  ['ETag', '"https://elsewhere.example/"'],
  ['x-goog-hash', 'crc32c=//AAAA=='],
])('%s: %s stays as it is', (name, value) => {
  expect(placed([[name, value]])).toEqual([[name, value]]);
});

it.each([
  ['Location', EVIL],
  ['Location', '//evil.example'],
  ['Location', '\\\\evil.example'],
  ['Location', '/\\evil.example'],
  ['Location', '/\t/evil.example'],
  ['Location', 'http:evil.example'],
  ['Location', 'http://api.example.com/v1/x'],
  ['Location', '../../admin'],
  ['Location', '/v1/%2e%2e/admin'],
  ['LOCATION', `${API}@evil.example/v1`],
  ['Content-Location', EVIL],
  ['Operation-Location', EVIL],
  ['Azure-AsyncOperation', EVIL],
  ['X-Next-Page-Url', '/admin'],
  ['Refresh', `0;url=${EVIL}`],
  ['Refresh', `0 ${EVIL}`],
  ['Refresh', '0; URL="//evil.example"'],
  ['X-Anything', EVIL],
  ['X-Anything', 'wss://evil.example/socket'],
  ['X-Anything', `h\tttps://evil.example`],
  ['X-Anything', `https:/\t/evil.example`],
  ['X-Anything', `${BASE}/a,${EVIL}`],
  ['X-Pagination', `{"next":"https:\\/\\/evil.example\\/"}`],
  ['X-Pagination', '{"next":"\\u0068ttps:\\u002f\\u002fevil.example"}'],
  ['WWW-Authenticate', `Bearer realm="${EVIL}",service="x"`],
  ['X-Note', `see (${EVIL})`],
  ['Server', 'x (https://api.example.com/docs)'],
])('%s: %s leaves under another name', (name, value) => {
  expect(placed([[name, value]])).toEqual([[`x-upstream-${name.toLowerCase()}`, value]]);
});

it('splits a Link header into entries that keep this name and entries that move to another name', () => {
  const inside = `<${BASE}/x?page=2>; rel="next"`;
  const outside = `<${EVIL}>; rel="last"; title="a, b"`;
  expect(one('Link', `${inside}, ${outside}`)).toEqual({ Link: inside, 'x-upstream-link': outside });
  expect(one('Link', `${outside}, ${inside}`)).toEqual({ Link: inside, 'x-upstream-link': outside });
  for (const entry of [
    `<${BASE}/x>; rel="next"; anchor="${EVIL}"`,
    `<${BASE}/x>; rel="https://api.w.org/"`,
    `<${BASE}/x>; title="a, <${EVIL}>; rel=next"`,
    '</admin>; rel="next"',
    '<//evil.example>; rel=next',
    '<javascript:alert(1)>; rel=next',
    `<${EVIL}`,
  ]) {
    expect(one('Link', entry)).toEqual({ 'x-upstream-link': entry });
  }
});

it('rewrites links in JSON in ASCII, and moves JSON with an unclear charset to another header name', () => {
  const next = (escapes: string): string => `{"next":"\\/\\/api.example.com\\/v1\\/${escapes}"}`;
  const written = `{"next":"https:\\/\\/api.example.com\\/v1\\/%E4%B8%AD%C3%A9"}`;
  expect(one('X-Pagination', next('\\u4e2d\\u00e9'))).toEqual({ 'X-Pagination': written });
  const mixed = next('\\u4e2d\u00c3\u00a9');
  expect(one('X-Pagination', mixed)).toEqual({ 'x-upstream-x-pagination': mixed });
});

it('spells a URL anew that readers may understand differently', () => {
  expect(one('Location', '//api.example.com/v1/x')).toEqual({ Location: `${BASE}/x` });
  expect(one('Location', `${API}\\v1\\x`)).toEqual({ Location: `${BASE}/x` });
});

describe('links that would make the headers of an answer much longer', () => {
  const long = `${BASE}/${'a'.repeat(8000)}`;
  const gateway = new GatewayLinks({
    baseUrl: BASE,
    gatewayUrl: `https://gw.example/s/${'b'.repeat(500)}`,
    targetUrl: long,
  });
  const countCharacters = (headers: [string, string][]): number =>
    headers.reduce((sum, [, value]) => sum + value.length, 0);

  it.each<[string, () => [string, string][]]>([
    ['one Link', () => [['Link', '<>,'.repeat(20_000)]]],
    ['one header', () => [['X-A', 'https:,'.repeat(9000)]]],
    ['one string of JSON', () => [['X-A', `["https:${'","https:'.repeat(6000)}"]`]]],
    ['many headers', () => Array.from({ length: 1000 }, (_, n) => [`X-${n}-Location`, 'https:'])],
    ['many headers of one name', () => Array.from({ length: 1000 }, () => ['Content-Location', '?'])],
  ])('add at most 65 KiB, and the rest moves to another header name: %s', (_what, write) => {
    for (const made of [new ServiceLinks(BASE, long), gateway]) {
      const after = withPlacedLinks(write(), () => made);
      expect(countCharacters(after)).toBeLessThan(countCharacters(write()) + 65 * 1024);
      expect(after.some(([name]) => name.startsWith('x-upstream-'))).toBe(true);
    }
  });

  it('leave alone', () => {
    const many = Array.from({ length: 251 }, (_, n): [string, string] => [`X-${n}-Location`, `${BASE}/${n}`]);
    expect(placed(many)).toEqual([...many.slice(0, 250), ['x-upstream-x-250-location', `${BASE}/250`]]);
  });
});

it('lets no URL that leads out of the service stay, in any header and form', () => {
  const host = fc.constantFrom(
    'evil.example',
    'api.example.com.evil.example',
    'api.example.com@evil.example',
    '[2001:db8::1]',
  );
  const start = fc.constantFrom(
    'https://',
    'HTTP://',
    '//',
    '\\\\',
    '/\\',
    'https:\\/\\/',
    'wss://',
    'https:////',
    'http:',
  );
  const foreign = fc.tuple(start, host, fc.webPath()).map((parts) => parts.join(''));
  const inside = fc.webPath().map((path) => BASE + path);
  const forms = fc.constantFrom<(url: string, other: string) => [string, string]>(
    (url) => ['Location', url],
    (url) => ['content-LOCATION', url],
    (url) => ['X-Next', url],
    (url, other) => ['X-Urls', `${other}, ${url}`],
    (url, other) => ['X-Urls', `${other},${url}`],
    (url, other) => ['X-Urls', `${other};${url}`],
    (url) => ['Refresh', `0;url=${url}`],
    (url) => ['Refresh', `3, "${url}"`],
    (url, other) => ['Link', `<${other}>; rel="prev", <${url}>; rel="next"`],
    (url, other) => ['Link', `<${url}>; rel="next",<${other}>; rel="prev"`],
    (url, other) => ['Link', `<${other}>; rel="next"; anchor="${url}"`],
    (url) => ['X-Pagination', JSON.stringify({ next: url })],
    (url) => ['X-Pagination', JSON.stringify({ next: url }).replaceAll('/', '\\/')],
    (url) => ['WWW-Authenticate', `Bearer realm="${url}"`],
    (url) => ['X-Note', `moved to ${url}`],
    (url) => ['X-Note', `(${url})`],
  );
  fc.assert(
    fc.property(forms, foreign, inside, (form, url, other) => {
      const marked = `${url}#marked`;
      for (const [name, value] of placed([form(marked, other)])) {
        if (!name.startsWith('x-upstream-')) expect(value).not.toContain('#marked');
      }
    }),
    { numRuns: 2000 },
  );
});

it.each<[string, string, (length: number) => string]>([
  ['a Refresh of spaces', 'Refresh', (n) => `0; url=${' a'.repeat(n / 2)}${' '.repeat(n)}x`],
  ['escaped quotes', 'X-Json', (n) => `//${'"\\'.repeat(n)}`],
  ['open brackets', 'Link', (n) => '<'.repeat(n)],
  ['commas', 'Link', (n) => ',"'.repeat(n)],
  ['many URLs', 'X-Urls', (n) => `${BASE}/x,`.repeat(n / 8)],
  ['colons', 'X-Urls', (n) => ':'.repeat(n) + '//'],
  ['letters', 'X-Urls', (n) => `${'a'.repeat(n)}://`],
  ['slashes', 'X-Urls', (n) => ' //'.repeat(n)],
  ['blanks before slashes', 'X-Next', (n) => `x${' '.repeat(n)}//x`],
  ['quoted blanks before slashes', 'X-Next', (n) => `"${' '.repeat(n)}//x"`],
  ['blanks in angle brackets', 'X-Next', (n) => `<${' '.repeat(n)}//x>`],
  ['many quoted schemes', 'X-Next', (n) => '"https:"'.repeat(n / 8)],
])('reads %s in linear time', async (_what, name, write) => {
  const read = (length: number) => {
    const value = write(length);
    return () => {
      for (let round = 0; round < 4; round++) placed([[name, value]]);
    };
  };
  // The text is eight times as long: a quadratic pattern needs 64 times as long.
  expect(await timesAsLong(read(16_000), read(2000))).toBeLessThan(24);
});

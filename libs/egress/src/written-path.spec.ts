import fc from 'fast-check';
import { writtenPath } from './written-path.js';

const of = (targetUrl: string): string => writtenPath(targetUrl, new URL(targetUrl));

it.each([
  ['https://api.example.com/v1?', '/v1?'],
  ['https://api.example.com?', '/?'],
  ["https://api.example.com/odata?$filter=name eq 'x'", '/odata?$filter=name%20eq%20%27x%27'],
  ["https://api.example.com/odata?$filter=name%20eq%20'x'", "/odata?$filter=name%20eq%20'x'"],
  ["https://api.example.com/it's?q='1'#part", "/it's?q='1'"],
  ['https://api.example.com/v1?#?', '/v1?'],
  ['https://api.example.com/a/../b?', '/b'],
  ['https://api.example.com/v1??', '/v1??'],
  ['https:\\\\api.example.com\\v1?', '/v1'],
])('%s goes out as %s', (targetUrl, path) => {
  expect(of(targetUrl)).toBe(path);
});

it('a server reads the same path and parameters as the guard and the rules, whatever was written', () => {
  const parts = fc.constantFrom(
    "'",
    '?',
    '/',
    '.',
    '..',
    '%27',
    '%2e',
    '#',
    '&',
    '=',
    'a',
    ' ',
    'ü',
    '"',
    '\\',
    '@',
    ':',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 14 }), (written) => {
      const targetUrl = `https://api.example.com/${written.join('')}`;
      const url = new URL(targetUrl);
      const sent = new URL(`${url.origin}${writtenPath(targetUrl, url)}`);
      expect([sent.pathname, sent.search, sent.host]).toEqual([url.pathname, url.search, url.host]);
      expect(writtenPath(targetUrl, url).split('?')[0]).toBe(url.pathname);
    }),
    { numRuns: 5000 },
  );
});

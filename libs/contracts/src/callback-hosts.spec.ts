import fc from 'fast-check';
import { listsCallbackHost, normalCallbackHost } from './callback-hosts.js';

describe('normalCallbackHost', () => {
  it.each([
    ['agent.example.com', 'agent.example.com'],
    [' Agent.Example.COM:8443 ', 'agent.example.com:8443'],
    ['example.com:443', 'example.com:443'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['10.1.2.3:80', '10.1.2.3:80'],
    ['[::1]:9000', '[::1]:9000'],
    ['', null],
    ['*.example.com', null],
    ['https://example.com', null],
    ['example.com/path', null],
    ['user@example.com', null],
    ['example.com?x', null],
    ['example.com:70000', null],
    ['example.com:0', null],
    ['a b', null],
  ])('normalises %j to %j', (entry, host) => {
    expect(normalCallbackHost(entry)).toBe(host);
  });

  it('returns entries that cover only URLs with the same host and port', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.webUrl(), (text, other) => {
        const [url, elsewhere] = [new URL(text), new URL(other)];
        const entry = normalCallbackHost(url.host)!;
        expect(listsCallbackHost([entry], url)).toBe(true);
        expect(listsCallbackHost([entry], elsewhere)).toBe(url.host === elsewhere.host);
      }),
    );
  });
});

it.each([
  ['example.com', 'https://example.com/x', true],
  ['example.com', 'https://example.com:443/x', true],
  ['example.com:443', 'https://example.com/x', true],
  ['example.com:443', 'http://example.com/x', false],
  ['example.com', 'https://example.com:8443/x', false],
  ['example.com:8443', 'https://example.com/x', false],
  ['example.com', 'https://api.example.com/x', false],
  ['example.com', 'https://example.com.evil.test/x', false],
  ['example.com', 'https://example.com@evil.test/x', false],
])('the entry %s covers %s: %s', (entry, url, listed) => {
  expect(listsCallbackHost([entry], new URL(url))).toBe(listed);
});

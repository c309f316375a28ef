import fc from 'fast-check';
import { atOnce } from '../platform/short-steps.js';
import { GatewayLinks } from './gateway-links.js';

const API = 'https://api.example.com';
const BASE = `${API}/v1`;
const HERE = 'https://gateway.example.com/s/Shop;wait=5';
const links = new GatewayLinks({ baseUrl: BASE, gatewayUrl: HERE, targetUrl: `${BASE}/orders/1` });

describe('a URL', () => {
  it.each([
    [`${BASE}/orders/2?a=b#c`, '/orders/2?a=b#c'],
    ['/v1/orders/2', '/orders/2'],
    ['2', '/orders/2'],
    ['?page=2', '/orders/1?page=2'],
    [BASE, ''],
    [`${BASE}/`, '/'],
    [`${BASE}?page=2`, '?page=2'],
    ['HTTPS://API.example.com:443/v1/x', '/x'],
    [`${BASE}/issues{/number}{?page}`, '/issues{/number}{?page}'],
    [`${BASE}/a%2Fb`, '/a%2Fb'],
    [`${BASE}/a/../b`, '/b'],
    [`${BASE}/../v1/x`, '/x'],
    [`${BASE}/\t../v1/x`, '/x'],
    [`${BASE}/.\t./v1/x`, '/x'],
  ])('below the service leads to the gateway: %s', (url, tail) => {
    expect(links.url(url)).toBe(HERE + tail);
  });

  it.each([
    'https://evil.example/v1/orders',
    '//evil.example/v1',
    '/v1evil',
    '/v2',
    '/v1/../admin',
    `${BASE}/../admin`,
    `${BASE}/%2e%2e/admin`,
    `${BASE}\\..\\admin`,
    'http://api.example.com/v1/x',
    'https://api.example.com:8443/v1/x',
    'https://api.example.com.evil.example/v1/x',
    'https://api.example.com@evil.example/v1/x',
    'https://user@api.example.com/v1/x',
    '\\\\evil.example\\v1',
    'javascript:alert(1)',
    'http://[',
  ])('that leads out of the service is left: %s', (url) => {
    expect(links.url(url)).toBeNull();
  });

  it('leads only below the base URL on the gateway, however it is written', () => {
    const pieces = fc.constantFrom(
      BASE,
      API,
      '/v1',
      '/',
      '//',
      '\\',
      '..',
      '.',
      '%2e',
      '%2f',
      '@',
      ':',
      '?',
      '#',
      '{a}',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.webSegment()), { maxLength: 8 }), (parts) => {
        const here = links.url(parts.join(''));
        fc.pre(here !== null);
        expect(new URL(here).href).toMatch(/^https:\/\/gateway\.example\.com\/s\/Shop;wait=5([/?#]|$)/);
      }),
    );
  });
});

describe('a JSON body', () => {
  const rewritten = (json: string): string => atOnce(links.json(Buffer.from(json), Infinity)).toString();

  it('gets only those strings rewritten that are URLs below the service', () => {
    const json = `{ "next" : "${BASE}/x?page=2", "n": 12345678901234567890, "n": 1.0,
      "${BASE}/key": 1, "${BASE}/spaced" : 2, "text": "see ${BASE}/x", "said": "\\"${BASE}/x\\"", "ü": "Grüße \\u00fc",
      "other": "https://other.example/v1/x", "relative": "/v1/x", "list": ["${BASE}/a", "${BASE}"],
      "php": "${BASE.replaceAll('/', '\\/')}\\/x" }`;
    expect(rewritten(json)).toBe(
      json
        .replace(`"${BASE}/x?page=2"`, `"${HERE}/x?page=2"`)
        .replace(`"${BASE}/a", "${BASE}"`, `"${HERE}/a", "${HERE}"`)
        .replace(`"${BASE.replaceAll('/', '\\/')}\\/x"`, `"${`${HERE}/x`.replaceAll('/', '\\/')}"`),
    );
  });

  it('stays the same apart from those URLs', () => {
    const value = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.webPath().map((path) => BASE + path),
    );
    const mapped = (text: string): string => (/^https?:/i.test(text) ? (links.url(text) ?? text) : text);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), value)), fc.constantFrom(undefined, 2), (entries, indent) => {
        const before = entries.map(([key, text]) => ({ [key]: text }));
        const after = JSON.parse(rewritten(JSON.stringify(before, null, indent))) as unknown;
        const expected = entries.map(([key, text]) => ({ [key]: mapped(text) }));
        expect(after).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
    );
  });

  it.each([
    ['no JSON', `{"a": "${BASE}/\\q"} "http`],
    ['one long string', `"${'x'.repeat(5_000_000)}"`],
    ['a long URL', `"${BASE}/${'x'.repeat(5_000_000)}"`],
    ['many quotes', '"http://'.repeat(500_000)],
  ])('that is %s stays as it is', (_name, text) => {
    expect(rewritten(text)).toBe(text);
  });

  it('stays the same, byte for byte, if it is not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from(`{"a": "${BASE}/x", "b": "`), Buffer.of(0xff), Buffer.from('"}')]);
    expect(atOnce(links.json(bytes, Infinity))).toBe(bytes);
  });

  it('is the same wherever its blocks end', () => {
    const next = `"next": "${BASE}/\u00e9\\/${'x'.repeat(200)}"`;
    for (let before = 32 * 1024 - 300; before < 32 * 1024 + 10; before++) {
      const json = `{"a": "${' '.repeat(before)}", ${next}, "${BASE}/key": [${next.slice(8)}]}`;
      const expected = json.replaceAll(`"${BASE}/\u00e9`, `"${HERE}/\u00e9`).replaceAll('\\/x', '/x');
      const after = rewritten(json);
      expect(JSON.parse(after)).toEqual(JSON.parse(expected));
    }
  });

  it('stays as it is if it would become too long', () => {
    const json = Buffer.from(JSON.stringify(Array.from({ length: 1000 }, () => BASE)));
    const whole = atOnce(links.json(json, Infinity));
    expect(atOnce(links.json(json, whole.length))).toEqual(whole);
    expect(atOnce(links.json(json, whole.length - 1))).toBe(json);
  });

  it('is rewritten in many small steps', () => {
    const urls = Buffer.from(JSON.stringify(Array.from({ length: 10_000 }, () => BASE)));
    const text = Buffer.from(`"${'x'.repeat(1_000_000)}"`);
    const countSteps = (body: Buffer): number => [...links.json(body, Infinity)].length;
    expect([countSteps(urls) > 300, countSteps(text) >= 30, countSteps(Buffer.from(`["${BASE}"]`))]).toEqual([
      true,
      true,
      0,
    ]);
  });
});

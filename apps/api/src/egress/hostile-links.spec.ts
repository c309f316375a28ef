import fc from 'fast-check';
import { GatewayLinks } from '../base-urls/gateway-links.js';
import { withPlacedLinks } from './header-links.js';
import { ServiceLinks } from './service-links.js';

const API = 'https://api.example.com';
const BASE = `${API}/v1`;
const GATEWAY = 'https://gateway.example.com/s/Shop';

interface Door {
  /** Those that place the links, one after the other. */
  links: ServiceLinks[];
  /** Where a client may go, and what it resolves relative URLs against. */
  root: string;
  base: string;
}

function makeDoors(baseUrl: string): [proxy: Door, baseUrl: Door] {
  const targetUrl = `${baseUrl}/orders/1`;
  const proxy = new ServiceLinks(baseUrl, targetUrl);
  const gateway = new GatewayLinks({ baseUrl, gatewayUrl: GATEWAY, targetUrl });
  return [
    { links: [proxy], root: baseUrl, base: targetUrl },
    { links: [proxy, gateway], root: GATEWAY, base: `${GATEWAY}/orders/1` },
  ];
}

/** The headers as a client sees them after a door: headers with the same name are joined. */
function seen(headers: [string, string][], door: Door): Map<string, string> {
  const placed = door.links.reduce((before, links) => withPlacedLinks(before, () => links), headers);
  const joined = new Map<string, string>();
  for (const [name, value] of placed) {
    const key = name.toLowerCase();
    if (!key.startsWith('x-upstream-')) joined.set(key, joined.has(key) ? `${joined.get(key)}, ${value}` : value);
  }
  return joined;
}

const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString();
const parsed = (text: string, base?: string): URL | null => (URL.canParse(text, base) ? new URL(text, base) : null);

/** What clients may take for URLs in a value. */
function readings(name: string, value: string): string[] {
  const found = [value];
  if (name === 'link')
    for (const [, url] of value.matchAll(/<([^>]*)>/g)) found.push(url, url.replace(/^[\s"'<]+/, ''));
  if (name === 'refresh')
    found.push(value.replace(/^[\s\d.]*[;,]?\s*(?:url\s*=)?\s*/i, '').replace(/^(["'])(.*?)\1.*/, '$2'));
  try {
    JSON.parse(value, (_key, inner: unknown) => {
      if (typeof inner === 'string') found.push(inner);
      return inner;
    });
  } catch {
    // It is no JSON.
  }
  return found.flatMap((text) => [text, utf8(text)]);
}

/** A text without quotes may be a sentence. URLs of the API stay in it. */
const inSentence = (name: string, value: string): string[] =>
  name !== 'x-next' || value.includes('"') ? [] : (value.match(/(?<!\S)https?:\/\/\S+/g) ?? []);
const isElsewhere = (text: string): boolean => ![API, new URL(GATEWAY).origin].includes(parsed(text)?.origin ?? API);

/** @returns the URL that leads a client out, or null */
function leadingOut(text: string, { root, base }: Door): string | null {
  const { origin, pathname } = new URL(root);
  const alone = parsed(text);
  if (alone !== null && /^(?:https?|wss?|ftp|file):$/.test(alone.protocol)) {
    const isInside = alone.origin === origin && `${alone.pathname}/`.startsWith(`${pathname.replace(/\/$/, '')}/`);
    if (!isInside || alone.username !== '') return alone.href;
  }
  const based = parsed(text, base);
  // A digest may begin with two slashes, but it has no dot.
  return based !== null && /^https?:$/.test(based.protocol) && based.origin !== origin && based.host.includes('.')
    ? based.href
    : null;
}

const shy = Buffer.from('https://api.exam\u00adple.com/v1/x').toString('latin1');

const [atRoot, belowPath] = [makeDoors(API), makeDoors(BASE)];

describe.each([
  ['/proxy', belowPath[0]],
  ['/s/Shop', belowPath[1]],
  ['/proxy, without a base path', atRoot[0]],
  ['/s/Shop, without a base path', atRoot[1]],
])('%s', (_door, door) => {
  it.each<[string, ...string[]]>([
    ['X-Next', 'https:evil.example/ x'],
    ['X-Next', "https:/evil.example/'x"],
    ['X-Next', 'https:\tevil.example/'],
    ['X-Next', `${API} @evil.example/x`],
    ['X-Next', `${API}'@evil.example/x`],
    ['X-Next', `${API}'.evil.example/x`],
    ['X-Next', `${API}, @evil.example/x`],
    ['X-Next', `${API}"@evil.example/x"`],
    ['X-Next', `${BASE}/a /../../admin`],
    ['X-Next', `${BASE}/a?since=2026-01-01 00:00:00`],
    ['X-Note', `see ${API} @evil.example/x`],
    ['X-Note', `see ${API}"@evil.example/x"`],
    ['X-Note', `see ${BASE}/a /../../admin`],
    ['X-Links', `${BASE}/a, https://evil.example/`],
    ['X-Pagination', '{"next":"https:evil.example/ x"}'],
    ['X-Pagination', '{"next":"https:\\nevil.example/"}'],
    ['X-Pagination', '{"next":"\\u0001//evil.example/"}'],
    ['X-Pagination', '{"next":"\\u0001// @evil.example/"}'],
    ['X-Next', '/\t/ @evil.example/'],
    ['X-Pagination', `{"next":"${API}'@evil.example/x"}`],
    ['X-Pagination', `{"next":"${API}\\u0140evil.example/\\u00c3\\u00a9"}`],
    ['Link', `<${API}<@evil.example/>; rel="next"`],
    ['Link', '<"//evil.example/">; rel="next"'],
    ['Link', `<${API}`, '@evil.example/x>; rel="next"'],
    ['Link', `<${shy}>; rel="next"`],
    ['Refresh', "0;url='//evil.example'x"],
    ['Operation-Location', API, '@evil.example/x'],
    ['X-Next', API, '@evil.example/x'],
    ['X-Next-Url', '/v1/a', 'x/../../../Other'],
    ['X-Next', 'https:', '@evil.example/x'],
    ['Location', shy],
    ['X-Checksum-Location', 'https://evil.example/x'],
    ['X-Checksum-Next', '//evil.example/x'],
    ['X-Checksum-Sha256', '//', '@evil.example/'],
  ])('%s: %s leaves under another name', (name, ...values) => {
    expect(
      seen(
        values.map((value) => [name, value]),
        door,
      ),
    ).toEqual(new Map());
  });

  it('renames every header in which a client may read a URL that leads out of the service', () => {
    const piece = fc.constantFrom(
      ...[API, BASE, `${BASE}/x`, 'https://evil.example/', 'evil.example', '@evil.example/', '.evil.example', 'x'],
      ...[
        'https:',
        'http:',
        ':',
        '//',
        '/',
        '\\',
        '..',
        '/../',
        '?',
        '#',
        '@',
        '\\/',
        '\\u0040',
        '\\u0001',
        '\\n',
        'api.example.com',
      ],
      ...[' ', '\t', ',', ', ', ';', '=', "'", '"', '<', '>', '(', ')', '\u00a0', '\u00c2\u00ad', '\u00e9'],
      ...['{"next":"', '"}', '; rel="next"', '>; rel="next"', '0;url=', 'see '],
    );
    const name = fc.constantFrom(
      ...['Location', 'Operation-Location', 'Link', 'Refresh', 'X-Next', 'X-Next-Url', 'X-Links', 'X-Pagination'],
      ...['X-Checksum-Location', 'X-Checksum-Sha256'],
    );
    const value = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join('').trim());
    fc.assert(
      fc.property(name, fc.array(value, { minLength: 1, maxLength: 3 }), (lineName, values) => {
        const headers = values.map((text): [string, string] => [lineName, text]);
        for (const [lower, text] of seen(headers, door)) {
          expect(text).toMatch(/^[\t\x20-\x7e\x80-\xff]*$/);
          for (const reading of readings(lower, text)) expect(leadingOut(reading, door)).toBeNull();
          expect(inSentence(lower, text).filter(isElsewhere)).toEqual([]);
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 3000) },
    );
  });
});

/** Requests that a caller without any credential can send, chosen because each could be costly in its own way. */
import { createHmac } from 'node:crypto';
import { brokenBodies } from './malformed.js';

export interface AnonymousRequest {
  name: string;
  bytes: (string | Buffer)[];
}

const HEAD = 'Host: gateway\r\nConnection: close\r\n';
/** Node refuses heads over 16 kB. */
const LARGE_HEAD = 15_000;
const MIB = 1024 * 1024;

/** @param headers complete lines */
export function request(method: string, path: string, headers = '', body?: string | Buffer): AnonymousRequest {
  const framed = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const typed = body === undefined || /^content-type:/im.test(headers) ? '' : 'Content-Type: application/json\r\n';
  const head = `${method} ${path} HTTP/1.1\r\n${HEAD}${headers}${typed}${framed}\r\n`;
  return {
    name: `${method} ${path.slice(0, 60)} ${headers.split('\r\n')[0].slice(0, 60)}`.trim(),
    bytes: body === undefined ? [head] : [head, Buffer.from(body as string)],
  };
}

const named = (name: string, { bytes }: AnonymousRequest): AnonymousRequest => ({ name, bytes });

const base64url = (value: string): string => Buffer.from(value).toString('base64url');

/** Tokens that look like ours; none has a valid signature. */
const TOKENS: [string, string][] = [
  ['a short token', `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url('{"sub":"1"}')}.${'A'.repeat(43)}`],
  [
    'a giant payload',
    `${base64url('{"alg":"HS256"}')}.${base64url(`{"sub":"${'9'.repeat(10_000)}"}`)}.${'A'.repeat(43)}`,
  ],
  [
    'a deep payload',
    `${base64url('{"alg":"HS256"}')}.${base64url('['.repeat(5000) + ']'.repeat(5000))}.${'A'.repeat(43)}`,
  ],
  [
    'a payload of many keys',
    `${base64url('{"alg":"HS256"}')}.${base64url(JSON.stringify(Array.from({ length: 2500 }, () => ({}))))}.x`,
  ],
  ['a giant header', `${base64url(`{"alg":"HS256","kid":"${'k'.repeat(10_000)}"}`)}.e30.${'A'.repeat(43)}`],
  [
    'a key in its header',
    `${base64url('{"alg":"RS256","jwk":{"kty":"RSA","e":"AQAB","n":"' + 'A'.repeat(9000) + '"}}')}.e30.AA`,
  ],
  ['only dots', '.'.repeat(LARGE_HEAD)],
  ['a personal access token', `agp_${'a'.repeat(43)}`],
  ['a giant personal access token', `agp_${'a'.repeat(LARGE_HEAD)}`],
  ['an agent key', `agt_${'a'.repeat(43)}`],
];

/** A request of every endpoint with credentials that are none. */
export const withTokens = (path: string): AnonymousRequest[] =>
  TOKENS.flatMap(([name, token]) => [
    named(`${path}: bearer is ${name}`, request('GET', path, `Authorization: Bearer ${token}\r\n`)),
    named(`${path}: agent key is ${name}`, request('GET', path, `Agent-Key: ${token}\r\n`)),
  ]);

const fill = (line: string): string => line.repeat(Math.floor(LARGE_HEAD / line.length));

/** Whole heads as large as Node takes them. */
export const heavyHeads = (path: string): AnonymousRequest[] =>
  (
    [
      ['a long cookie', `Cookie: agw_refresh=${'x'.repeat(LARGE_HEAD)}\r\n`],
      ['thousands of cookies', `Cookie: ${fill('a=b;')}\r\n`],
      ['white space in cookies', `Cookie: ${fill(' ;')}a\r\n`],
      ['hundreds of headers', Array.from({ length: 190 }, (_, n) => `X-${n}: ${'v'.repeat(60)}\r\n`).join('')],
      ['a long forwarded list', `X-Forwarded-For: ${fill('10.0.0.1, ')}1.1.1.1\r\n`],
      ['a long host list', `X-Forwarded-Host: ${fill('a.example, ')}b.example\r\nForwarded: ${'for=1'}\r\n`],
      ['many codings', `Accept-Encoding: ${fill('gzip;q=0.1, ')}br\r\n`],
      ['many types', `Accept: ${fill('text/*;q=0.1,')}a/b\r\n`],
      ['many languages', `Accept-Language: ${fill('de-DE;q=0.1,')}en\r\n`],
      ['many entity tags', `If-None-Match: ${fill('W/"abc", ')}"x"\r\n`],
      ['many ranges', `Range: bytes=${fill('0-1,')}5-6\r\n`],
      ['blanks in the authorization', `Authorization: Bearer ${fill(' ')}x x\r\n`],
      ['many preferences', `Prefer: ${fill('wait=1, ')}stream\r\n`],
      ['a long query', '', `?${fill('a=b&')}`],
      ['percent signs in the query', '', `?q=${fill('%41')}`],
      ['a deep query', '', `?a${fill('[b]')}=1`],
    ] as [string, string, string?][]
  ).map(([name, headers, query = '']) => named(`${path}: ${name}`, request('GET', `${path}${query}`, headers)));

const KEY = ['', 'Bearer ', 'Basic ', 'AWS4-HMAC-SHA256 '];
const ANY = [''];

/** The headers that the gateway reads before it knows the caller, each where it does, with what their values begin with. */
const READ_HEADERS: [string, Record<string, string[]>][] = [
  ['GET /s/x/y', { Authorization: KEY, 'X-Api-Key': ['', 'agt_'], 'Agent-Key': ['', 'agt_'] }],
  ['GET /s/x/y', { Prefer: ANY, 'X-Intent': ANY, 'Idempotency-Key': ANY }],
  [
    'GET /health',
    { 'X-Forwarded-For': ['', '"', '['], Forwarded: ['', 'for='], 'X-Real-IP': ANY, 'X-Request-Id': ANY },
  ],
  ['POST /mcp', { Authorization: KEY, Accept: ANY, Origin: ANY, 'MCP-Protocol-Version': ANY }],
  ['GET /services', { Authorization: KEY, 'X-Forwarded-Proto': ANY, 'X-Forwarded-Host': ANY }],
  ['POST /auth/refresh', { Cookie: ['', 'agw_refresh='], Origin: ANY, 'Sec-Fetch-Site': ANY }],
  ['POST /auth/login', { 'User-Agent': ANY, 'Content-Type': ANY, 'Content-Encoding': ANY }],
  ['GET /openapi.json', { 'If-None-Match': ANY, 'Accept-Encoding': ['', 'gzip'] }],
];

/** What the patterns for these headers look for, and what may stand between. */
const REPEATED = [
  ...['Bearer ', 'Basic ', 'AWS4-HMAC-SHA256 ', 'agt_', ',Credential=agt_', ' Credential=agt_', 'agw_refresh=;'],
  ...['::,', '127.0.0.1,', '1.', '[::1]:', '%25', 'gzip;q=0.', 'application/json;', 'application/*', 'W/"'],
  ...[' ', '\t', ',', ';', '=', '"', '\\"', '%', '[', '/', '.', '-'],
];

/**
 * Each of these headers, full of each of these. The letter at the end lets a pattern fail there. Without the one at the
 * start, Node would remove blanks.
 */
export const filledHeaders = (): AnonymousRequest[] =>
  READ_HEADERS.flatMap(([endpoint, headers]) =>
    Object.entries(headers).flatMap(([header, openings]) =>
      openings.flatMap((opening) =>
        REPEATED.map((token) => {
          const [method, path] = endpoint.split(' ');
          const start = opening === '' && token.trim() === '' ? 'a' : opening;
          const line = `${header}: ${start}${fill(token)}b\r\n`;
          return named(`${endpoint}: ${header}: ${start}, ${JSON.stringify(token)}, …`, request(method, path, line));
        }),
      ),
    ),
  );

/** Lists of proxies as long as a head may be. */
export const forwardedLists = (): AnonymousRequest[] =>
  ['127.0.0.1,', '::1,', '"[::1]:1",', 'a ', ' ,', '::,'].map((token) =>
    request('GET', '/health', `X-Forwarded-For: a${fill(token)}b, 127.0.0.1\r\n`),
  );

/** Paths that no handler has, or only nearly. */
export const oddPaths = (): AnonymousRequest[] =>
  [
    '/',
    '/nothing',
    `/${'a'.repeat(14_000)}`,
    `/${'a/'.repeat(7000)}`,
    `/${'%2e%2e/'.repeat(2000)}`,
    `/${'%'.repeat(14_000)}`,
    `/${'%25'.repeat(4500)}`,
    `/${';a=b'.repeat(3500)}`,
    `/s/${'a'.repeat(14_000)}`,
    `/s/x${';wait=1'.repeat(1900)}/y`,
    `/s/x/${'../'.repeat(4500)}`,
    `/s/x/${'%2e%2e%2f'.repeat(1500)}`,
    `/hooks/slack/${'9'.repeat(14_000)}`,
    `/status/${'a'.repeat(14_000)}`,
    `/dashboard/${'a/'.repeat(7000)}`,
    `/dashboard/assets/${'../'.repeat(4000)}x.js`,
    `/dashboard/assets/${'a.'.repeat(6000)}js`,
    `/docs/${'../'.repeat(4500)}x`,
    `/DOCS/${'%2f'.repeat(4500)}`,
    `/openapi.json/${'x/'.repeat(5000)}`,
    `/openapi${'i'.repeat(10_000)}`,
  ].flatMap((path) => [request('GET', path), request('POST', path), request('BREW', path)]);

/** Bodies for the endpoints that read one without a credential. */
export function heavyBodies(path: string): AnonymousRequest[] {
  const bodies: [string, string | Buffer, string?][] = [
    ...brokenBodies(),
    ['a string of 1 MB', JSON.stringify({ email: 'x'.repeat(MIB - 30) })],
    ['a string of 1 MB for a number and a list', JSON.stringify({ passkey: 'x'.repeat(MIB - 30), invitation: [] })],
    ['1 MB of other scripts', JSON.stringify({ email: '\u{1f600}'.repeat(MIB / 4 - 30) })],
    ['escapes of 1 MB', `{"email":"${'\\u0041'.repeat(174_000)}"}`],
    ['escapes of 1 MB, then a fault', `{"email":"${'a\\n'.repeat(349_000)}"`],
    ['escaped quotes of 1 MB', `{"email":"${'\\"'.repeat(520_000)}"}`],
    ['escaped quotes of 1 MB, then a fault', `{"email":"${'\\"'.repeat(520_000)}"`],
    ['blanks of 1 MB', `{${' '.repeat(MIB - 20)}"a":1}`],
    ['new lines of 1 MB, then a fault', `{${'\n'.repeat(MIB - 20)}x`],
    ['a number of 1 MB', `{"a":0.${'1'.repeat(MIB - 20)}}`],
    ['1 MB of brackets', '['.repeat(MIB)],
    ['1 MB of empty lists', `{"a":[${'[],'.repeat(349_000)}1]}`],
    ['1 MB without JSON', 'x'.repeat(MIB)],
    ['1 MB that is not UTF-8 at its end', Buffer.concat([Buffer.alloc(MIB - 1, '{"a":"'), Buffer.from([0xff])])],
    ['199 strings of 5 kB', JSON.stringify({ email: Array.from({ length: 197 }, () => 'x'.repeat(5000)) })],
    [
      '199 keys of 5 kB',
      JSON.stringify(Object.fromEntries(Array.from({ length: 198 }, (_, n) => [`${n}`.padEnd(5000), 1]))),
    ],
    ['256 kB of numbers', `{"a":[${'1234567890,'.repeat(19_000)}1]}`],
    ['1 MB of numbers', `{"a":[${`${'1'.repeat(50)},`.repeat(19_000)}1]}`],
    ['1 MB of numbers, then a fault', `{"a":[${`${'1'.repeat(50)},`.repeat(19_000)}]}`],
    ['1,000 keys', JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, 'v'])))],
    [
      '1,000 long keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${n}`.padEnd(200), 1]))),
    ],
    [
      '19 objects of 1,000 keys',
      JSON.stringify(
        Array.from({ length: 19 }).reduce<object>(
          (deep) => ({ ...Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`k${n}`, n])), deep }),
          {},
        ),
      ),
    ],
    [
      'an address of 60 kB',
      JSON.stringify({ email: `${'a'.repeat(30_000)}@${'b.'.repeat(15_000)}c`, password: 'p'.repeat(60_000) }),
    ],
    ['an address of dots', JSON.stringify({ email: `a@${'a.'.repeat(100_000)}`, password: '' })],
    ['an address of quotes', JSON.stringify({ email: `"${'\\"'.repeat(60_000)}"@example.com`, password: 'x' })],
    ['a password of 100 kB', JSON.stringify({ email: 'ada@example.com', password: '\u0344\ufb2c'.repeat(20_000) })],
    [
      'a token of 100 kB',
      JSON.stringify({ refreshToken: `${'A'.repeat(60_000)}.${'B'.repeat(60_000)}.${'C'.repeat(60_000)}` }),
    ],
    [
      'a token of deep JSON',
      JSON.stringify({ refreshToken: `${base64url('{"alg":"HS256"}')}.${base64url('['.repeat(90_000))}.AA` }),
    ],
    [
      'a token of JSON',
      JSON.stringify({
        refreshToken: `${base64url('{"alg":"HS256"}')}.${base64url(JSON.stringify(Array.from({ length: 30_000 }, () => ({}))))}.AA`,
      }),
    ],
    ['a passkey', passkey('x'.repeat(20))],
    ['a passkey with a challenge of 40 kB', passkey(base64url(`{"challenge":"${'c'.repeat(40_000)}"}`))],
    ['a passkey of deep JSON', passkey(base64url(`{"challenge":${'['.repeat(60_000)}`))],
    ['a passkey of many values', passkey(base64url(`{"challenge":[${'{},'.repeat(30_000)}{}]}`))],
  ];
  return bodies.map(([name, body, headers]) => named(`POST ${path}: ${name}`, request('POST', path, headers, body)));
}

const passkey = (clientDataJSON: string): string =>
  JSON.stringify({
    passkey: {
      id: 'A'.repeat(40),
      rawId: 'A'.repeat(40),
      type: 'public-key',
      response: {
        clientDataJSON,
        authenticatorData: 'A'.repeat(20_000),
        signature: 'A'.repeat(20_000),
        userHandle: 'u',
      },
    },
  });

/** A registration with an invitation that does not exist must not get as far as the hash. */
export const unknownInvitation = (): AnonymousRequest =>
  named(
    'an unknown invitation',
    request(
      'POST',
      '/auth/register',
      '',
      JSON.stringify({ email: 'eve@example.com', password: 'p'.repeat(128), invitation: 'x'.repeat(512) }),
    ),
  );

/** Requests for which the gateway hashes a password. Only of the logins does it refuse most. */
export const hashedPasswords = (): AnonymousRequest[] => [
  named(
    'a registration of an e-mail that has an account',
    request('POST', '/auth/register', '', JSON.stringify({ email: 'ada@example.com', password: '\u0344'.repeat(128) })),
  ),
  named('a login', request('POST', '/auth/login', '', JSON.stringify({ email: 'nobody@example.com', password: 'p' }))),
];

/** Calls of the Slack hook with a form that nobody signed. */
export function slackCalls(channelId: number): AnonymousRequest[] {
  const path = `/hooks/slack/${channelId}`;
  const body = `payload=${'%7B'.repeat(80_000)}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const hex = createHmac('sha256', 'guess').update(`v0:${timestamp}:${body}`).digest('hex');
  const form = 'Content-Type: application/x-www-form-urlencoded\r\n';
  const signed = `X-Slack-Request-Timestamp: ${timestamp}\r\nX-Slack-Signature: v0=${hex}\r\n`;
  return [
    named('Slack hook: no signature', request('POST', path, form, body)),
    named('Slack hook: a wrong signature', request('POST', path, form + signed, body)),
    named('Slack hook: 1 MB', request('POST', path, form + signed, 'x'.repeat(MIB))),
    named('Slack hook: an unknown channel', request('POST', '/hooks/slack/999', form + signed, body)),
  ];
}

import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { isValidHeaderName, isValidHeaderValue, requestHeadersToForward, responseHeadersToPass } from './headers.js';

const randomCase = (name: string): fc.Arbitrary<string> =>
  fc
    .infiniteStream(fc.boolean())
    .map((upper) => [...name].map((c) => (upper.next().value ? c.toUpperCase() : c)).join(''));

describe('requestHeadersToForward', () => {
  it.each([
    ...['authorization', 'agent-key', 'proxy-authorization', 'cookie', 'host', 'content-length', 'x-api-key'],
    ...['accept-encoding', 'expect', 'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
    ...['proxy-connection', 'x-service-token', 'x-http-method-override', 'x-http-method', 'x-method-override'],
    ...['x-original-url', 'x-rewrite-url', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-prefix', 'forwarded'],
    ...['x-real-ip', 'x-original-uri', 'x-host', 'true-client-ip', 'client-ip'],
    ...['script-name', 'path-info', 'proxy'],
  ])('drops %s in any letter case', (name) => {
    fc.assert(
      fc.property(randomCase(name), (spelled) => {
        expect(requestHeadersToForward({ [spelled]: 'x', Accept: 'y' }, ['X-Service-Token'])).toEqual({ Accept: 'y' });
      }),
      { numRuns: 20 },
    );
  });

  it('drops the headers that Connection names, and keeps all others unchanged', () => {
    const headers = {
      // The body was judged by its type, so that stays.
      CONNECTION: 'X-Hop, x-other ,close, content-type',
      'x-hop': '1',
      'X-Other': '2',
      'Content-Type': 'a/b',
      'X-Trace': '3',
    };
    expect(requestHeadersToForward(headers, [])).toEqual({ 'Content-Type': 'a/b', 'X-Trace': '3' });
  });

  it.each(['X_HTTP_Method_Override', 'x_original-URL', 'X_Forwarded_Host', 'AGENT_KEY', 'X_Service_Token'])(
    'drops %s, which CGI and similar interfaces read as the name with hyphens',
    (name) => {
      expect(requestHeadersToForward({ [name]: 'x', My_Header: 'y' }, ['X-Service-Token'])).toEqual({ My_Header: 'y' });
    },
  );

  it.each(['X.HTTP.Method.Override', 'x!original!url', 'X-Forwarded.Host', "Agent'Key"])(
    'drops %s, which some CGI servers read as the name with hyphens',
    (name) => {
      expect(requestHeadersToForward({ [name]: 'x', 'My.Header': 'y' }, [])).toEqual({ 'My.Header': 'y' });
    },
  );

  it('treats __proto__ like any other name', () => {
    const headers = JSON.parse('{"__proto__": "x", "A": "y"}') as Record<string, string>;
    expect(Object.entries(requestHeadersToForward(headers, []))).toEqual([
      ['__proto__', 'x'],
      ['A', 'y'],
    ]);
  });
});

describe('responseHeadersToPass', () => {
  it.each([
    ...['Set-Cookie', 'Content-Length', 'Content-Encoding', 'Transfer-Encoding', 'Connection', 'Keep-Alive', 'Trailer'],
    ...[
      'Access-Control-Allow-Origin',
      'Access-Control-Anything',
      'Cross-Origin-Opener-Policy',
      'Content-Security-Policy',
    ],
    ...[
      'Content-Security-Policy-Report-Only',
      'Strict-Transport-Security',
      'X-Frame-Options',
      'X-Content-Type-Options',
    ],
    ...['X-XSS-Protection', 'Referrer-Policy', 'Permissions-Policy', 'Clear-Site-Data', 'NEL', 'Report-To', 'Alt-Svc'],
    ...[
      'Reporting-Endpoints',
      'Public-Key-Pins',
      'SourceMap',
      'Service-Worker-Allowed',
      'Origin-Agent-Cluster',
      'Refresh',
    ],
    ...['X-Proxy-Status', 'X-Idempotency-Status', 'X-Request-Id'],
  ])('does not pass %s on, in any letter case', (name) => {
    fc.assert(
      fc.property(randomCase(name.toLowerCase()), (spelled) => {
        expect(responseHeadersToPass([[spelled, 'x']])).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it('keeps order, duplicates and spelling of all other headers, including redirects', () => {
    const kept: [string, string][] = [
      ['Location', 'https://elsewhere.example/'],
      ['Link', '<a>'],
      ['link', '<b>'],
      ['ETag', '"1"'],
      ['WWW-Authenticate', 'Bearer'],
    ];
    expect(responseHeadersToPass([['connection', 'x-hop'], ...kept, ['X-Hop', '1']])).toEqual(kept);
  });

  it('drops names and values on which writeHead would throw', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a\r\nb', 'a\0', '', 'ü', '€', 'x:y'),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 8 }), (headers) => {
        const response = new ServerResponse(new IncomingMessage(new Socket()));
        response.writeHead(200, responseHeadersToPass(headers).flat());
      }),
    );
  });
});

it('isValidHeaderName and isValidHeaderValue accept what HTTP allows, and nothing that could split a message', () => {
  expect(['X-A', "!#$%&'*+-.^_`|~9"].every(isValidHeaderName)).toBe(true);
  expect(['', 'a b', 'a:', 'ä', 'a\n'].some(isValidHeaderName)).toBe(false);
  expect(['', 'plain', 'tab\there', 'caf\xe9'].every(isValidHeaderValue)).toBe(true);
  expect(['a\rb', 'a\nb', 'a\0b', '\x7f', '\x01', '\u20ac', 'a\n'].some(isValidHeaderValue)).toBe(false);
});

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { catchFailure, cleanups, clientFor, get, ok, serve } from '../test/client.js';
import { ALL_ENDS, refusingServer, type RefusingServer } from '../test/refusing-server.js';

describe('the request', () => {
  it('has the method, the path with its query, the given headers and body, and only two default headers', async () => {
    const server = await serve(ok('x'));
    await clientFor([server.port]).send(
      get(`${server.origin}/a%2Fb//c?q=%20#fragment`, {
        method: 'POST',
        headers: { 'X-One': '1', 'x-many': ['2', '3'], Host: 'evil.example', 'Content-Length': '99' },
        body: Buffer.from('{}'),
      }),
    );
    expect(server.received[0].split('\r\n')).toEqual([
      'POST /a%2Fb//c?q=%20 HTTP/1.1',
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      'X-One: 1',
      'x-many: 2',
      'x-many: 3',
      'user-agent: agent-gateway',
      'accept-encoding: identity',
      'content-length: 2',
      '',
      '{}',
    ]);
  });

  it('keeps the caller’s User-Agent', async () => {
    const server = await serve(ok('x'));
    await clientFor([server.port]).send(get(server.origin, { headers: { 'User-Agent': 'mine' } }));
    expect(server.received[0].match(/user-agent: .*/gi)).toEqual(['User-Agent: mine']);
  });

  it('goes to the target and ignores proxy settings of the environment', async () => {
    const proxy = await serve(ok('proxy'));
    const server = await serve(ok('target'));
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy.origin;
    const { body } = await clientFor([server.port]).send(get(server.origin));
    names.forEach((name, i) => (before[i] === undefined ? delete process.env[name] : (process.env[name] = before[i])));
    expect([body.toString(), proxy.connections]).toEqual(['target', 0]);
  });

  it.each([
    [{ 'X-Bad': 'a\r\nInjected: b' }],
    [{ 'Bad name': 'x' }],
    [{ 'X-Wide': '€' }],
    [{ 'Transfer-Encoding': 'chunked' }],
    [{ Expect: '100-continue' }],
  ])('is not sent with an invalid header: %j', async (headers) => {
    const server = await serve(ok('x'));
    const failure = await catchFailure(clientFor([server.port]).send(get(server.origin, { headers })));
    expect(failure).toEqual({ kind: 'not_sent', sent: false, reason: 'request could not be written' });
    expect(server.received.join('')).toBe('');
  });
});

describe('the response', () => {
  it('is the final one after interim responses, including an unrequested 100', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    const server = await serve(Buffer.concat([Buffer.from(interim.repeat(3)), Buffer.from(ok('x'))]));
    const client = clientFor([server.port]);
    for (let request = 0; request < 3; request++) {
      const { status, body } = await client.send(get(server.origin, { method: 'POST', body: Buffer.from('a') }));
      expect([status, body.toString()]).toEqual([200, 'x']);
    }
    // A socket becomes free only in the next turn of the event loop.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it('keeps order, spelling and duplicates of headers and the bytes of the body, without following redirects', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 0xef, 0xbb, 0xbf]);
    const server = await serve(
      Buffer.concat([
        Buffer.from(
          'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nX-B: 1\r\nx-a: caf\xe9\r\nX-B: 2\r\nContent-Length: 7\r\n\r\n',
          'latin1',
        ),
        bytes,
      ]),
    );
    const response = await clientFor([server.port]).send(get(server.origin));
    expect(response.status).toBe(302);
    expect(response.headers).toEqual([
      ['Location', 'http://169.254.169.254/'],
      ['X-B', '1'],
      ['x-a', 'caf\xe9'],
      ['X-B', '2'],
      ['Content-Length', '7'],
    ]);
    expect(response.body.equals(bytes)).toBe(true);
    expect(server.connections).toBe(1);
  });

  it.each([
    [
      'chunks, ignoring trailers',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n',
      'abcde',
    ],
    ['204 with a body', 'HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc', ''],
    ['304 that declares a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\n\r\n', ''],
    ['304 with a body', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\nabc', ''],
    ['103 first', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 'ok'],
    [
      'a hundred interim responses before it',
      `${'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(50)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`,
      'ok',
    ],
    ['599', 'HTTP/1.1 599 Odd\r\nContent-Length: 2\r\n\r\nok', 'ok'],
    ['a missing reason phrase', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok', 'ok'],
  ])('can have %s', async (_name, answer, body) => {
    const server = await serve(answer);
    const client = clientFor([server.port]);
    const responses = [await client.send(get(server.origin)), await client.send(get(server.origin))];
    expect(responses.map((response) => response.body.toString())).toEqual([body, body]);
  });

  describe.each(ALL_ENDS)('of a server that refuses an upload in its middle, and then %s', (end) => {
    let server: RefusingServer;
    beforeEach(async () => {
      server = await refusingServer(end);
      cleanups.push(() => server.close());
    });
    const upload = () => get(server.origin, { method: 'POST', body: Buffer.alloc(8 * 1024 * 1024) });

    it('is the refusal', async () => {
      const { status, body } = await clientFor([server.port]).send(upload());
      expect([status, body.toString()]).toEqual([413, 'too large']);
      expect(server.read()[0]).toBeLessThan(upload().body!.length);
    });

    it('leaves no connection on which the next request would wait behind the rest', async () => {
      const client = clientFor([server.port]);
      await client.send(upload());
      // A socket becomes free only in the next turn of the event loop.
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
      expect((await client.send(upload())).status).toBe(413);
      expect(server.read()).toHaveLength(2);
    });
  });

  it('has no body for HEAD, even if the upstream sends one', async () => {
    const server = await serve('HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nsurprise');
    const { status, body } = await clientFor([server.port]).send(get(server.origin, { method: 'HEAD' }));
    expect([status, body.length]).toEqual([200, 0]);
  });

  it('ends with the connection if the body has no length', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nabc'));
    expect((await clientFor([server.port]).send(get(server.origin))).body.toString()).toBe('abc');
  });

  it.each([
    ['gzip', gzipSync('text')],
    ['X-GZIP', gzipSync('text')],
    ['deflate', deflateSync('text')],
    ['deflate', deflateRawSync('text')],
    ['br', brotliCompressSync('text')],
    ['identity', Buffer.from('text')],
    ['deflate, gzip', gzipSync(deflateSync('text'))],
    ['gzip', Buffer.concat([gzipSync('te'), gzipSync('xt')])],
  ])('is decoded from %s', async (coding, encoded) => {
    const server = await serve(ok(encoded, `Content-Encoding: ${coding}`));
    expect((await clientFor([server.port]).send(get(server.origin))).body.toString()).toBe('text');
  });

  it('is decoded in the right order if several headers list codings', async () => {
    const server = await serve(
      ok(gzipSync(deflateSync('text')), 'content-encoding: deflate', 'Content-Encoding: gzip'),
    );
    expect((await clientFor([server.port]).send(get(server.origin))).body.toString()).toBe('text');
  });
});

import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { rawServer, type RawServer } from '../test/raw-server.js';
import { SELF_SIGNED } from '../test/self-signed.js';
import { EgressClient, type EgressClientOptions, type EgressRequest } from './client.js';
import type { EgressFailure } from './failure.js';

const MIB = 1024 * 1024;
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(answer: Parameters<typeof rawServer>[0]): Promise<RawServer> {
  const server = await rawServer(answer);
  cleanups.push(() => server.close());
  return server;
}

/** A client that may reach the given ports of this machine. */
function clientFor(ports: number[], options: Partial<EgressClientOptions> = {}): EgressClient {
  const hosts = ['127.0.0.1', 'upstream.test'];
  const privateAllowlist = new Set(hosts.flatMap((host) => ports.map((port) => `${host}:${port}`)));
  const client = new EgressClient({ privateAllowlist, timeoutMs: 5_000, ...options });
  cleanups.push(() => client.close());
  return client;
}

const get = (url: string, extra: Partial<EgressRequest> = {}): EgressRequest => ({
  url: new URL(url),
  method: 'GET',
  headers: {},
  body: null,
  ...extra,
});

async function failureOf(sending: Promise<unknown>): Promise<Pick<EgressFailure, 'kind' | 'sent' | 'reason'>> {
  const failure = await sending.then(
    () => Promise.reject(new Error('was answered')),
    (error: EgressFailure) => error,
  );
  return { kind: failure.kind, sent: failure.sent, reason: failure.reason };
}

const ok = (body: string | Buffer, ...headers: string[]): Buffer =>
  Buffer.concat([
    Buffer.from(['HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...headers, '', ''].join('\r\n'), 'latin1'),
    Buffer.from(body as string),
  ]);

describe('what is sent', () => {
  it('is the method, the path with its query, the given headers and body, and nothing of its own but two defaults', async () => {
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

  it('goes to the target whatever proxy the environment names', async () => {
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
  ])('is nothing when a header is not valid: %j', async (headers) => {
    const server = await serve(ok('x'));
    const failure = await failureOf(clientFor([server.port]).send(get(server.origin, { headers })));
    expect(failure).toEqual({ kind: 'not_sent', sent: false, reason: 'request could not be written' });
    expect(server.received.join('')).toBe('');
  });
});

describe('what is answered', () => {
  it('keeps order, spelling and duplicates of headers, bytes of the body, and follows no redirect', async () => {
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
      'chunked, trailers ignored',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n',
      'abcde',
    ],
    ['204 with a body', 'HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc', ''],
    ['304 that declares a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\n\r\n', ''],
    ['304 with a body', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\nabc', ''],
    ['103 first', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 'ok'],
    ['599', 'HTTP/1.1 599 Odd\r\nContent-Length: 2\r\n\r\nok', 'ok'],
    ['no reason phrase', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok', 'ok'],
  ])('understands %s', async (_name, answer, body) => {
    const server = await serve(answer);
    const client = clientFor([server.port]);
    const responses = [await client.send(get(server.origin)), await client.send(get(server.origin))];
    expect(responses.map((response) => response.body.toString())).toEqual([body, body]);
  });

  it('gives HEAD no body, whatever comes', async () => {
    const server = await serve('HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nsurprise');
    const { status, body } = await clientFor([server.port]).send(get(server.origin, { method: 'HEAD' }));
    expect([status, body.length]).toEqual([200, 0]);
  });

  it('takes a body without a length up to the end of the connection', async () => {
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
  ])('decodes %s', async (coding, encoded) => {
    const server = await serve(ok(encoded, `Content-Encoding: ${coding}`));
    expect((await clientFor([server.port]).send(get(server.origin))).body.toString()).toBe('text');
  });

  it('reads codings from several headers in their order', async () => {
    const server = await serve(
      ok(gzipSync(deflateSync('text')), 'content-encoding: deflate', 'Content-Encoding: gzip'),
    );
    expect((await clientFor([server.port]).send(get(server.origin))).body.toString()).toBe('text');
  });
});

describe('what is no answer, though the request was sent', () => {
  it.each([
    ['a status of 000', 'HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n'],
    ['a status of 999', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['a status of 1000', 'HTTP/1.1 1000 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['an unasked 100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['an unasked 101', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['a 101 without Upgrade', 'HTTP/1.1 101 Switching\r\n\r\n'],
    ['endless 103', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['headers of 70 KB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`],
    ['many small headers of 70 KB', `HTTP/1.1 200 OK\r\n${'X-Y: 123456\r\n'.repeat(8_000)}\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    ],
    ['a bad chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a transfer coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['an unknown coding', ok('abc', 'Content-Encoding: zstd-x')],
    ['a bad gzip', ok('not gzip', 'Content-Encoding: gzip')],
    ['a truncated gzip', ok(gzipSync('text').subarray(0, 15), 'Content-Encoding: gzip')],
    ['four codings', ok('abc', 'Content-Encoding: gzip, gzip, gzip, gzip')],
  ])('%s', async (_name, answer) => {
    const server = await serve(answer);
    const failure = await failureOf(clientFor([server.port]).send(get(server.origin)));
    expect(failure).toMatchObject({ kind: 'no_answer', sent: true });
    expect(failure.reason).toMatch(/^[A-Za-z][\w ()-]{5,80}$/);
    expect(server.connections).toBe(1);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['reset before headers', (socket) => socket.resetAndDestroy()],
    ['closed before headers', (socket) => socket.end()],
    ['reset within headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nX-A', () => socket.resetAndDestroy())],
    ['closed within headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nX-A')],
    ['closed short of its length', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')],
    [
      'closed short of its length, not kept alive',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\nabc'),
    ],
    ['closed within a chunk', (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc')],
    [
      'closed before the last chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'),
    ],
  ])('%s', async (_name, act) => {
    const server = await serve(act);
    const failure = await failureOf(
      clientFor([server.port]).send(get(server.origin, { method: 'POST', body: Buffer.from('x') })),
    );
    expect(failure).toMatchObject({ kind: 'no_answer', sent: true });
    expect(server.connections).toBe(1);
  });

  it.each(['', 'Content-Length: 10\r\n', 'Connection: close\r\n', 'Transfer-Encoding: chunked\r\n'])(
    'reset in the middle of a body, never a shortened 200 (%j)',
    async (header) => {
      let upstream: Socket | undefined;
      const server = await serve((socket) => {
        upstream = socket;
        socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n${header.startsWith('T') ? '3\r\nabc\r\n' : 'abc'}`);
      });
      const client = clientFor([server.port]);
      const { Exchange } = await import('./exchange.js');
      const seen = jest.spyOn(Exchange.prototype, 'onResponseData');
      const failing = failureOf(client.send(get(server.origin)));
      while (seen.mock.calls.length === 0) await new Promise(setImmediate);
      seen.mockRestore();
      upstream!.resetAndDestroy();
      expect(await failing).toEqual({ kind: 'no_answer', sent: true, reason: 'connection was reset' });
    },
  );
});

describe('what was certainly not sent', () => {
  it('a refused connection', async () => {
    const server = await serve('');
    await server.close();
    expect(await failureOf(clientFor([server.port]).send(get(server.origin)))).toEqual({
      kind: 'not_sent',
      sent: false,
      reason: 'connection refused',
    });
  });

  it('a name without addresses', async () => {
    const client = clientFor([], {
      resolver: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
    });
    const expected = { kind: 'not_sent', sent: false, reason: 'host name could not be resolved' };
    expect(await failureOf(client.send(get('http://upstream.test/')))).toEqual(expected);
    expect(await failureOf(client.resolveChecked(new URL('http://upstream.test/')))).toEqual(expected);
    const empty = clientFor([], { resolver: () => Promise.resolve([]) });
    expect(await failureOf(empty.send(get('http://upstream.test/')))).toEqual(expected);
  });

  it('a certificate that nobody trusts', async () => {
    let requests = 0;
    const server = createTlsServer(SELF_SIGNED, (_request, response) => {
      requests += 1;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const resolver = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const failure = await failureOf(clientFor([port], { resolver }).send(get(`https://upstream.test:${port}/`)));
    expect(failure).toEqual({
      kind: 'not_sent',
      sent: false,
      reason: 'TLS connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    });
    expect(requests).toBe(0);
  });

  it('a certificate of another name, though the same server answers under its own', async () => {
    const server = createTlsServer(SELF_SIGNED, (_request, response) => response.end('ok')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    // Nothing but the trust is replaced: the client takes no certificate authorities of its own.
    const connect = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket;
    const trusting = jest
      .spyOn(tls, 'connect')
      .mockImplementation(((options: tls.ConnectionOptions) =>
        connect({ ...options, ca: SELF_SIGNED.cert })) as typeof tls.connect);
    cleanups.push(() => Promise.resolve(trusting.mockRestore()));
    const resolver = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const client = clientFor([port], {
      resolver,
      privateAllowlist: new Set([`upstream.test:${port}`, `other.test:${port}`]),
    });
    expect((await client.send(get(`https://upstream.test:${port}/`))).body.toString()).toBe('ok');
    for (let i = 0; i < 2; i++) {
      expect(await failureOf(client.send(get(`https://other.test:${port}/`)))).toEqual({
        kind: 'not_sent',
        sent: false,
        reason: 'TLS connection failed (ERR_TLS_CERT_ALTNAME_INVALID)',
      });
    }
  });

  it('TLS to a port that speaks none', async () => {
    const server = await serve((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const plain = createTcpServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .write('hello, no TLS here\r\n'),
    ).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    cleanups.push(() => new Promise((resolve) => plain.close(resolve)));
    const { port } = plain.address() as AddressInfo;
    const failure = await failureOf(clientFor([port, server.port]).send(get(`https://127.0.0.1:${port}/`)));
    expect(failure).toMatchObject({ kind: 'not_sent', sent: false });
  });

  it('a request that timed out while it waited for a free connection, even when one gets free', async () => {
    const server = await serve((socket, head) => {
      if (head.includes('/afterwards')) socket.write(ok('x'));
    });
    const client = clientFor([server.port]);
    // By the real clock a connection may get free, and take a late request, in the moment between the two time-outs.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    cleanups.push(() => Promise.resolve(jest.useRealTimers()));
    const first = Array.from({ length: 128 }, () => failureOf(client.send(get(`${server.origin}/first`))));
    const late = Array.from({ length: 3 }, () =>
      failureOf(client.send(get(`${server.origin}/late`, { method: 'POST' }))),
    );
    while (server.received.filter((text) => text.includes('/first')).length < 128) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    jest.advanceTimersByTime(5_000);
    jest.useRealTimers();
    expect(await Promise.all(first)).toEqual(Array(128).fill(expect.objectContaining({ kind: 'timeout', sent: true })));
    expect(await Promise.all(late)).toEqual(Array(3).fill(expect.objectContaining({ kind: 'timeout', sent: false })));
    expect((await client.send(get(`${server.origin}/afterwards`))).status).toBe(200);
    await client.close();
    expect(server.received.filter((text) => text.includes('/first'))).toHaveLength(128);
    expect(server.received.filter((text) => text.includes('/late'))).toEqual([]);
  });

  it('anything after close', async () => {
    const client = clientFor([]);
    await client.close();
    expect(await failureOf(client.send(get('http://127.0.0.1:1/')))).toMatchObject({ kind: 'not_sent', sent: false });
  });
});

describe('addresses', () => {
  it.each(['http://127.0.0.1', 'http://[::1]', 'http://[::ffff:127.0.0.1]', 'http://0.0.0.0'])(
    'opens no socket to the literal %s',
    async (origin) => {
      const server = await serve(ok('x'));
      const client = clientFor([server.port + 1]);
      const expected = { kind: 'refused_address', sent: false, reason: 'Access to private IP ranges is forbidden' };
      const url = `${origin}:${server.port}/`;
      expect(await failureOf(client.send(get(url)))).toEqual(expected);
      expect(await failureOf(client.resolveChecked(new URL(url)))).toEqual(expected);
      expect(server.connections).toBe(0);
    },
  );

  it('checks again when connecting, so a name that is rebound after the check leads nowhere', async () => {
    const server = await serve(ok('x'));
    let looks = 0;
    const resolver = () => Promise.resolve([{ address: looks++ === 0 ? '93.184.215.14' : '127.0.0.1', family: 4 }]);
    const client = clientFor([], { resolver });
    const url = `http://rebinding.test:${server.port}/`;
    await client.resolveChecked(new URL(url));
    expect(await failureOf(client.send(get(url)))).toMatchObject({ kind: 'refused_address', sent: false });
    expect([server.connections, looks]).toEqual([0, 2]);
  });

  it('connects to the address that was checked, with no second look-up, and reuses the connection', async () => {
    const server = await serve(ok('x'));
    let looks = 0;
    const resolver = () => Promise.resolve([{ address: looks++ === 0 ? '127.0.0.1' : '192.0.2.1', family: 4 }]);
    const client = clientFor([server.port], { resolver });
    await client.send(get(`http://upstream.test:${server.port}/`));
    // The socket is free again only in the next turn of the event loop.
    await new Promise(setImmediate);
    await client.send(get(`http://upstream.test:${server.port}/`));
    expect([server.connections, looks]).toEqual([1, 1]);
    expect(server.received[0]).toContain(`host: upstream.test:${server.port}\r\n`);
  });

  it('gives the allowlist’s exception to the literal host and port only', async () => {
    const server = await serve(ok('x'));
    const resolver = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const client = clientFor([server.port], { resolver });
    const elsewhere = new URL(`http://other.test:${server.port}/`);
    expect(await failureOf(client.send(get(elsewhere.href)))).toMatchObject({ kind: 'refused_address' });
    await expect(client.resolveChecked(elsewhere)).rejects.toMatchObject({ kind: 'refused_address' });
    await client.resolveChecked(new URL(`http://upstream.test:${server.port}/`));
  });
});

describe('limits', () => {
  it('pass exactly as many bytes as are allowed, and not one more, with and without a declared length', async () => {
    const server = await serve((socket, head) => {
      const size = Number(/size=(\d+)/.exec(head)![1]);
      const body = Buffer.alloc(size, 'x');
      if (head.includes('declared')) socket.write(ok(body));
      else
        socket.write(
          Buffer.concat([
            Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n`),
            body,
            Buffer.from('\r\n0\r\n\r\n'),
          ]),
        );
    });
    const client = clientFor([server.port], { maxBytes: MIB });
    for (const way of ['declared', 'chunked']) {
      expect((await client.send(get(`${server.origin}/${way}?size=${MIB}`))).body.length).toBe(MIB);
      expect(await failureOf(client.send(get(`${server.origin}/${way}?size=${MIB + 1}`)))).toMatchObject({
        kind: 'too_large',
        sent: true,
      });
    }
  });

  it('refuse a declared length over the limit before the body comes', async () => {
    const server = await serve(`HTTP/1.1 200 OK\r\nContent-Length: ${11 * MIB}\r\n\r\n`);
    expect(await failureOf(clientFor([server.port]).send(get(server.origin)))).toMatchObject({
      kind: 'too_large',
      sent: true,
    });
  });

  it('count decoded bytes, so that a bomb of any coding does not unfold', async () => {
    const zeros = Buffer.alloc(50 * MIB);
    const bombs: [string, Buffer][] = [
      ['gzip', gzipSync(zeros)],
      ['br', brotliCompressSync(zeros)],
      ['deflate', deflateSync(zeros)],
      ['gzip, gzip', gzipSync(gzipSync(zeros))],
    ];
    for (const [coding, bomb] of bombs) {
      const server = await serve(ok(bomb, `Content-Encoding: ${coding}`));
      expect(await failureOf(clientFor([server.port]).send(get(server.origin)))).toMatchObject({
        kind: 'too_large',
        sent: true,
      });
    }
  });

  it('never reuse the socket of an oversized answer', async () => {
    const server = await serve((socket, head) =>
      socket.write(
        head.includes('/large')
          ? ok(Buffer.alloc(2 * MIB, 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'))
          : ok('good'),
      ),
    );
    const client = clientFor([server.port], { maxBytes: MIB });
    for (let i = 0; i < 3; i++) {
      expect(await failureOf(client.send(get(`${server.origin}/large`)))).toMatchObject({ kind: 'too_large' });
      expect((await client.send(get(`${server.origin}/small`))).body.toString()).toBe('good');
    }
  });

  it.each<[string, (socket: Socket) => void]>([
    ['never answers', () => {}],
    ['stops within headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nX-A: ')],
    ['stops within the body', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')],
    ['answers 103 for ever', (socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')],
    [
      'drips',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
        const drip = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(drip));
      },
    ],
  ])('end a request to an upstream that %s, and close its socket', async (_name, act) => {
    const server = await serve(act);
    const started = performance.now();
    const failure = await failureOf(clientFor([server.port], { timeoutMs: 300 }).send(get(server.origin)));
    expect(failure).toEqual({ kind: 'timeout', sent: true, reason: 'no complete response within 0.3s' });
    expect(performance.now() - started).toBeLessThan(1500);
    const [socket] = server.open;
    if (socket) await once(socket, 'close');
  });

  it('end a look-up and a TLS handshake that never end, with nothing sent', async () => {
    const server = await serve('');
    const slow = clientFor([server.port], { timeoutMs: 300, resolver: () => new Promise(() => {}) });
    const timedOut = { kind: 'timeout', sent: false };
    expect(await failureOf(slow.send(get('http://slow.test/')))).toMatchObject(timedOut);
    expect(await failureOf(slow.resolveChecked(new URL('http://slow.test/')))).toMatchObject(timedOut);
    expect(await failureOf(slow.send(get(`https://127.0.0.1:${server.port}/`)))).toMatchObject(timedOut);
  });

  it('cost a dripped body no more memory than its bytes', async () => {
    const chunks = '1\r\nx\r\n'.repeat(MIB);
    const server = await serve((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`),
    );
    const client = clientFor([server.port]);
    const before = process.memoryUsage();
    const { body } = await client.send(get(server.origin));
    const after = process.memoryUsage();
    expect(body.equals(Buffer.alloc(MIB, 'x'))).toBe(true);
    // A Buffer object for each of a million chunks would be over 100 MB.
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(32 * MIB);
  });
});

it('keeps connections for requests in a row and opens no more than 128 to one origin', async () => {
  const server = await serve(ok('x'));
  const client = clientFor([server.port]);
  for (let i = 0; i < 20; i++) await client.send(get(server.origin));
  // A socket is free again only in the next turn of the event loop, so a request in the same turn takes a second one.
  expect(server.connections).toBeLessThanOrEqual(2);
  await Promise.all(Array.from({ length: 300 }, () => client.send(get(server.origin))));
  expect(server.connections).toBe(128);
});

it('close waits for the requests under way and leaves no socket', async () => {
  let answer: () => void = () => {};
  const asked = new Promise<void>((resolve) => (answer = resolve));
  let respond: () => void = () => {};
  const server = await serve((socket) => {
    respond = () => socket.write(ok('late'));
    answer();
  });
  const client = clientFor([server.port]);
  const sending = client.send(get(server.origin));
  await asked;
  const closing = client.close();
  respond();
  expect((await sending).body.toString()).toBe('late');
  await closing;
  const [socket] = server.open;
  if (socket) await once(socket, 'close');
  expect(server.open.size).toBe(0);
});

it('gives back the sockets of an origin that is unused for a minute, and of no other', async () => {
  const real = [
    'Date',
    'hrtime',
    'nextTick',
    'performance',
    'queueMicrotask',
    'setImmediate',
    'clearImmediate',
    'setTimeout',
    'clearTimeout',
  ];
  jest.useFakeTimers({ doNotFake: real as never });
  cleanups.push(() => Promise.resolve(jest.useRealTimers()));
  let respond: () => void = () => {};
  const busy = await serve((socket) => (respond = () => socket.write(ok('still here'))));
  const idle = await serve(ok('x'));
  const client = clientFor([busy.port, idle.port]);
  const sending = client.send(get(busy.origin));
  await client.send(get(idle.origin));
  const [socket] = idle.open;
  const closed = once(socket, 'close');
  const started = performance.now();
  jest.advanceTimersByTime(120_000);
  await closed;
  // By itself undici would close it after four seconds.
  expect(performance.now() - started).toBeLessThan(2_000);
  respond();
  expect((await sending).body.toString()).toBe('still here');
  expect((await client.send(get(idle.origin))).status).toBe(200);
});

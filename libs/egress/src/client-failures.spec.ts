import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { SELF_SIGNED } from '../test/self-signed.js';
import { catchFailure, cleanups, clientFor, get, ok, serve } from '../test/client.js';

describe('after the request was sent, rejects with no_answer for', () => {
  it.each([
    ['a status of 000', 'HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n'],
    ['a status of 999', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['a status of 1000', 'HTTP/1.1 1000 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['an unexpected 101', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['a 101 without Upgrade', 'HTTP/1.1 101 Switching\r\n\r\n'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['headers of 70 KB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`],
    ['many small headers of 70 KB', `HTTP/1.1 200 OK\r\n${'X-Y: 123456\r\n'.repeat(8_000)}\r\n`],
    ['1,001 headers', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(1000)}Content-Length: 0\r\n\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'both a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    ],
    ['a bad chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a transfer coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
  ])('%s', async (_name, answer) => {
    const server = await serve(answer);
    const failure = await catchFailure(clientFor([server.port]).send(get(server.origin)));
    expect(failure).toMatchObject({ kind: 'no_answer', sent: true });
    expect(failure.reason).toMatch(/^[A-Za-z][\w ()-]{5,80}$/);
    expect(server.connections).toBe(1);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['a reset before the headers', (socket) => socket.resetAndDestroy()],
    ['a close before the headers', (socket) => socket.end()],
    ['a reset within the headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nX-A', () => socket.resetAndDestroy())],
    ['a close within the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nX-A')],
    ['a close within an interim response', (socket) => socket.end('HTTP/1.1 100 Con')],
    ['a close before the declared length', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')],
    [
      'a close before the declared length, without keep-alive',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\nabc'),
    ],
    [
      'a close within a chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc'),
    ],
    [
      'a close before the last chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'),
    ],
  ])('%s', async (_name, act) => {
    const server = await serve(act);
    const failure = await catchFailure(
      clientFor([server.port]).send(get(server.origin, { method: 'POST', body: Buffer.from('x') })),
    );
    expect(failure).toMatchObject({ kind: 'no_answer', sent: true });
    expect(server.connections).toBe(1);
  });

  it.each(['', 'Content-Length: 10\r\n', 'Connection: close\r\n', 'Transfer-Encoding: chunked\r\n'])(
    'a reset in the middle of a body, and never returns a shortened 200 (%j)',
    async (header) => {
      let upstream: Socket | undefined;
      const server = await serve((socket) => {
        upstream = socket;
        socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n${header.startsWith('T') ? '3\r\nabc\r\n' : 'abc'}`);
      });
      const client = clientFor([server.port]);
      const { Exchange } = await import('./exchange.js');
      const seen = jest.spyOn(Exchange.prototype, 'onResponseData');
      const failing = catchFailure(client.send(get(server.origin)));
      while (seen.mock.calls.length === 0) await new Promise(setImmediate);
      seen.mockRestore();
      upstream!.resetAndDestroy();
      expect(await failing).toEqual({ kind: 'no_answer', sent: true, reason: 'connection was reset' });
    },
  );
});

describe('reports that nothing was sent for', () => {
  it('a refused connection', async () => {
    const server = await serve('');
    await server.close();
    expect(await catchFailure(clientFor([server.port]).send(get(server.origin)))).toEqual({
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
    expect(await catchFailure(client.send(get('http://upstream.test/')))).toEqual(expected);
    expect(await catchFailure(client.resolveChecked(new URL('http://upstream.test/')))).toEqual(expected);
    const empty = clientFor([], { resolver: () => Promise.resolve([]) });
    expect(await catchFailure(empty.send(get('http://upstream.test/')))).toEqual(expected);
  });

  it('an untrusted certificate', async () => {
    let requests = 0;
    const server = createTlsServer(SELF_SIGNED, (_request, response) => {
      requests += 1;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const resolver = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const failure = await catchFailure(clientFor([port], { resolver }).send(get(`https://upstream.test:${port}/`)));
    expect(failure).toEqual({
      kind: 'not_sent',
      sent: false,
      reason: 'TLS connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    });
    expect(requests).toBe(0);
  });

  it('a certificate for another name, while the same server works under its own name', async () => {
    const server = createTlsServer(SELF_SIGNED, (_request, response) => response.end('ok')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    // Only the trusted authorities are replaced, because the client has no option for them.
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
      expect(await catchFailure(client.send(get(`https://other.test:${port}/`)))).toEqual({
        kind: 'not_sent',
        sent: false,
        reason: 'TLS connection failed (ERR_TLS_CERT_ALTNAME_INVALID)',
      });
    }
  });

  it('TLS to a port without TLS', async () => {
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
    const failure = await catchFailure(clientFor([port, server.port]).send(get(`https://127.0.0.1:${port}/`)));
    expect(failure).toMatchObject({ kind: 'not_sent', sent: false });
  });

  it('a request that times out while it waits for a free connection, even if one becomes free', async () => {
    const server = await serve((socket, head) => {
      if (head.includes('/afterwards')) socket.write(ok('x'));
    });
    const client = clientFor([server.port]);
    // With the real clock, a connection could become free and send a late request just between the two timeouts.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    cleanups.push(() => Promise.resolve(jest.useRealTimers()));
    const first = Array.from({ length: 1024 }, () => catchFailure(client.send(get(`${server.origin}/first`))));
    const late = Array.from({ length: 3 }, () =>
      catchFailure(client.send(get(`${server.origin}/late`, { method: 'POST' }))),
    );
    while (server.received.filter((text) => text.includes('/first')).length < 1024) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    jest.advanceTimersByTime(5_000);
    jest.useRealTimers();
    expect(await Promise.all(first)).toEqual(
      Array(1024).fill(expect.objectContaining({ kind: 'timeout', sent: true })),
    );
    expect(await Promise.all(late)).toEqual(Array(3).fill(expect.objectContaining({ kind: 'timeout', sent: false })));
    expect((await client.send(get(`${server.origin}/afterwards`))).status).toBe(200);
    await client.close();
    expect(server.received.filter((text) => text.includes('/first'))).toHaveLength(1024);
    expect(server.received.filter((text) => text.includes('/late'))).toEqual([]);
  });

  it('every request after close', async () => {
    const client = clientFor([]);
    await client.close();
    expect(await catchFailure(client.send(get('http://127.0.0.1:1/')))).toMatchObject({
      kind: 'not_sent',
      sent: false,
    });
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
      expect(await catchFailure(client.send(get(url)))).toEqual(expected);
      expect(await catchFailure(client.resolveChecked(new URL(url)))).toEqual(expected);
      expect(server.connections).toBe(0);
    },
  );

  it('checks again when connecting, so that rebinding a name after the first check has no effect', async () => {
    const server = await serve(ok('x'));
    let looks = 0;
    const resolver = () => Promise.resolve([{ address: looks++ === 0 ? '93.184.215.14' : '127.0.0.1', family: 4 }]);
    const client = clientFor([], { resolver });
    const url = `http://rebinding.test:${server.port}/`;
    await client.resolveChecked(new URL(url));
    expect(await catchFailure(client.send(get(url)))).toMatchObject({ kind: 'refused_address', sent: false });
    expect([server.connections, looks]).toEqual([0, 2]);
  });

  it('connects to the checked address without a second lookup, and reuses the connection', async () => {
    const server = await serve(ok('x'));
    let looks = 0;
    const resolver = () => Promise.resolve([{ address: looks++ === 0 ? '127.0.0.1' : '192.0.2.1', family: 4 }]);
    const client = clientFor([server.port], { resolver });
    await client.send(get(`http://upstream.test:${server.port}/`));
    // The socket becomes free only in the next turn of the event loop.
    await new Promise(setImmediate);
    await client.send(get(`http://upstream.test:${server.port}/`));
    expect([server.connections, looks]).toEqual([1, 1]);
    expect(server.received[0]).toContain(`host: upstream.test:${server.port}\r\n`);
  });

  it('applies the allowlist only to the literal host and port', async () => {
    const server = await serve(ok('x'));
    const resolver = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const client = clientFor([server.port], { resolver });
    const elsewhere = new URL(`http://other.test:${server.port}/`);
    expect(await catchFailure(client.send(get(elsewhere.href)))).toMatchObject({ kind: 'refused_address' });
    await expect(client.resolveChecked(elsewhere)).rejects.toMatchObject({ kind: 'refused_address' });
    await client.resolveChecked(new URL(`http://upstream.test:${server.port}/`));
  });
});

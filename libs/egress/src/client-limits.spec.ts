import { once } from 'node:events';
import { type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { catchFailure, cleanups, clientFor, get, ok, serve } from '../test/client.js';

const MIB = 1024 * 1024;

describe('limits', () => {
  it('allow exactly the maximum number of bytes, with and without a declared length', async () => {
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
      expect(await catchFailure(client.send(get(`${server.origin}/${way}?size=${MIB + 1}`)))).toMatchObject({
        kind: 'too_large',
        sent: true,
      });
    }
  });

  it('allow 1,000 headers, and refuse more at their end, collected and streamed', async () => {
    const server = await serve((socket, head) => {
      const count = Number(/count=(\d+)/.exec(head)![1]);
      socket.write(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(count - 1)}Content-Length: 2\r\n\r\n`);
      if (count <= 1000) socket.write('ok');
    });
    const client = clientFor([server.port]);
    expect((await client.send(get(`${server.origin}/?count=1000`))).headers).toHaveLength(1000);
    for (const streams of [null, () => true]) {
      expect(await catchFailure(client.send(get(`${server.origin}/?count=1001`, { streams })))).toMatchObject({
        kind: 'no_answer',
        sent: true,
        reason: 'response has too many headers',
      });
    }
  });

  it('refuse a declared length over the limit before the body arrives', async () => {
    const server = await serve(`HTTP/1.1 200 OK\r\nContent-Length: ${11 * MIB}\r\n\r\n`);
    expect(await catchFailure(clientFor([server.port]).send(get(server.origin)))).toMatchObject({
      kind: 'too_large',
      sent: true,
    });
  });

  it.each([
    ['103 Early Hints', 'too many interim responses'],
    ['100 Continue', 'connection was closed'],
  ])('end a response after more than a hundred of %s', async (status, reason) => {
    let count = 100;
    const interim = `HTTP/1.1 ${status}\r\nLink: </a>; rel=preload\r\n\r\n`;
    const server = await serve((socket) => socket.write(interim.repeat(count) + String(ok('x'))));
    const client = clientFor([server.port]);
    expect((await client.send(get(server.origin))).body.toString()).toBe('x');
    count += 1;
    expect(await catchFailure(client.send(get(server.origin)))).toEqual({ kind: 'no_answer', sent: true, reason });
  });

  it.each<[string, (bytes: string) => string]>([
    ['an extension of a chunk', (bytes) => `1;${bytes}\r\nx\r\n0\r\n\r\n`],
    [
      'extensions of many chunks',
      (bytes) => `1;${bytes.slice(0, 100)}\r\nx\r\n`.repeat(bytes.length / 100) + '0\r\n\r\n',
    ],
  ])(
    'end a response with megabytes of %s, collected or streamed, and count each response separately',
    async (_what, of) => {
      let size = MIB / 2;
      const server = await serve((socket) =>
        socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${of('a'.repeat(size))}`),
      );
      const client = clientFor([server.port]);
      for (let request = 0; request < 3; request++) await client.send(get(server.origin));
      size = 4 * MIB;
      const reason = 'response has too much around its body';
      expect(await catchFailure(client.send(get(server.origin)))).toEqual({ kind: 'no_answer', sent: true, reason });
      const { stream } = await client.send(get(server.origin, { streams: () => true }));
      await text(stream![0]);
      expect(stream![0].failure).toMatchObject({ kind: 'no_answer', reason });
    },
  );

  it('count decoded bytes, so that a decompression bomb of any coding does not expand', async () => {
    const zeros = Buffer.alloc(50 * MIB);
    const bombs: [string, Buffer][] = [
      ['gzip', gzipSync(zeros)],
      ['br', brotliCompressSync(zeros)],
      ['deflate', deflateSync(zeros)],
      ['gzip, gzip', gzipSync(gzipSync(zeros))],
    ];
    for (const [coding, bomb] of bombs) {
      const server = await serve(ok(bomb, `Content-Encoding: ${coding}`));
      expect(await catchFailure(clientFor([server.port]).send(get(server.origin)))).toMatchObject({
        kind: 'too_large',
        sent: true,
      });
    }
  });

  it('never reuse the socket of an oversized response', async () => {
    const server = await serve((socket, head) =>
      socket.write(
        head.includes('/large')
          ? ok(Buffer.alloc(2 * MIB, 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'))
          : ok('good'),
      ),
    );
    const client = clientFor([server.port], { maxBytes: MIB });
    for (let i = 0; i < 3; i++) {
      expect(await catchFailure(client.send(get(`${server.origin}/large`)))).toMatchObject({ kind: 'too_large' });
      expect((await client.send(get(`${server.origin}/small`))).body.toString()).toBe('good');
    }
  });

  it.each<[string, (socket: Socket) => void]>([
    ['never answers', () => {}],
    ['stops within headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nX-A: ')],
    ['stops within the body', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')],
    ['sends 103 forever', (socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')],
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
    const failure = await catchFailure(clientFor([server.port], { timeoutMs: 300 }).send(get(server.origin)));
    expect(failure).toEqual({ kind: 'timeout', sent: true, reason: 'no complete response within 0.3s' });
    const [socket] = server.open;
    // `once` of node:events would reject when the client's reset reaches the socket first.
    if (socket) await new Promise((resolve) => socket.once('close', resolve));
  });

  it('end a lookup and a TLS handshake that hang, with nothing sent', async () => {
    const server = await serve('');
    const slow = clientFor([server.port], { timeoutMs: 300, resolver: () => new Promise(() => {}) });
    const timedOut = { kind: 'timeout', sent: false };
    expect(await catchFailure(slow.send(get('http://slow.test/')))).toMatchObject(timedOut);
    expect(await catchFailure(slow.resolveChecked(new URL('http://slow.test/')))).toMatchObject(timedOut);
    expect(await catchFailure(slow.send(get(`https://127.0.0.1:${server.port}/`)))).toMatchObject(timedOut);
  });

  it('use no more memory for a body in tiny chunks than its bytes', async () => {
    const chunks = '1\r\nx\r\n'.repeat(MIB);
    const server = await serve((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`),
    );
    const client = clientFor([server.port], { timeoutMs: 60_000 });
    const before = process.memoryUsage();
    const { body } = await client.send(get(server.origin));
    const after = process.memoryUsage();
    expect(body.equals(Buffer.alloc(MIB, 'x'))).toBe(true);
    // One Buffer object for each of a million chunks would need over 100 MB.
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(32 * MIB);
  });
});

it('keeps connections for consecutive requests and opens at most 1,024 to one origin', async () => {
  const server = await serve(ok('x'));
  const client = clientFor([server.port], { timeoutMs: 60_000 });
  for (let i = 0; i < 20; i++) await client.send(get(server.origin));
  // A socket becomes free only in the next turn of the event loop, so a request in the same turn opens a second one.
  expect(server.connections).toBeLessThanOrEqual(2);
  await Promise.all(Array.from({ length: 1200 }, () => client.send(get(server.origin))));
  expect(server.connections).toBe(1024);
});

it('keeps the connections of one group apart from those of another', async () => {
  const waiting: Socket[] = [];
  const server = await serve((socket, head) => {
    if (head.includes('/busy')) waiting.push(socket);
    else socket.write(ok('x'));
  });
  const client = clientFor([server.port], { timeoutMs: 100_000 });
  const busy = Array.from({ length: 1024 }, () => client.send(get(`${server.origin}/busy`, { group: 1 })));
  while (waiting.length < 1024) await new Promise(setImmediate);
  expect((await client.send(get(server.origin, { group: 2 }))).body.toString()).toBe('x');
  for (const socket of waiting) socket.write(ok('y'));
  await Promise.all(busy);
  expect(server.connections).toBe(1025);
});

it('close waits for requests in progress and leaves no socket open', async () => {
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

it('close breaks off streams, also one that begins while it waits', async () => {
  const sockets: Socket[] = [];
  const server = await serve((socket) => void sockets.push(socket));
  const client = clientFor([server.port]);
  const sending = [1, 2].map(() => client.send(get(server.origin, { streams: () => true })));
  const reading = sending.map((answer) => answer.then(({ stream }) => text(stream![0])));
  while (sockets.length < 2) await new Promise(setImmediate);
  const begin = (socket: Socket): boolean => socket.write('HTTP/1.1 200 OK\r\n\r\nfirst');
  begin(sockets[0]);
  await Promise.race(sending);
  const closing = client.close();
  begin(sockets[1]);
  for (const read of reading) await expect(read).rejects.toThrow('gateway is shutting down');
  await closing;
});

it('closes the sockets of an origin that is unused for a minute, and of no other', async () => {
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
  // This upstream allows the connection ten minutes, so undici does not close it after four seconds.
  const idle = await serve(String(ok('x')).replace('\r\n', '\r\nKeep-Alive: timeout=600\r\n'));
  const client = clientFor([busy.port, idle.port]);
  const sending = client.send(get(busy.origin));
  await client.send(get(idle.origin));
  const [socket] = idle.open;
  const closed = once(socket, 'close');
  jest.advanceTimersByTime(120_000);
  await closed;
  respond();
  expect((await sending).body.toString()).toBe('still here');
  expect((await client.send(get(idle.origin))).status).toBe(200);
});

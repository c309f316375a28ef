/** The requests and responses of one agent that are open at one time, also when its client reads nothing or leaves. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { hangUp, requestHead, unfinished } from './support/raw-http.js';

const MIB = 1024 * 1024;
const JSON_TYPE = 'Content-Type: application/json\r\n';

let gateway: Gateway;
let port: number;
beforeAll(async () => {
  gateway = await startGateway({ AGENT_MAX_IN_FLIGHT: '4', AGENT_MAX_BUFFERED_MB: '1' });
  port = Number(new URL(gateway.url).port);
});
afterEach(() => {
  hangUp();
  gateway.upstream.answer((_call, response) => response.end('{}'));
});
afterAll(() => gateway.close());

it('an agent has at most AGENT_MAX_IN_FLIGHT open requests; another one gets 429 until one finishes', async () => {
  const answers: (() => void)[] = [];
  gateway.upstream.answer((_call, response) => answers.push(() => response.end('{}')));
  const underWay = Array.from({ length: 4 }, () => gateway.proxy());
  await eventually(() => answers.length === 4);
  const refused = await gateway.proxy();
  expect([refused.status, refused.headers.get('x-error-code'), refused.headers.get('retry-after')]).toEqual([
    429,
    'too_many_in_flight',
    '2',
  ]);
  expect((await gateway.agentCall('GET', '/s/Shop/x', undefined, {})).status).toBe(429);
  const { apiKey } = await gateway.createAgent('another', [gateway.service.id]);
  const other = gateway.proxy({}, { 'Agent-Key': apiKey });
  await eventually(() => answers.length === 5);
  for (const answer of answers) answer();
  expect((await Promise.all([...underWay, other])).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  gateway.upstream.answer((_call, response) => response.end('{}'));
  await eventually(async () => (await gateway.proxy()).status === 200);
});

describe('a request whose client disconnects', () => {
  const byMcp = (): string => {
    const call = { method: 'GET', targetUrl: `${gateway.upstream.url}/v1/slow`, intent: 'Read it' };
    const params = { name: 'request', arguments: call };
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const accept = 'Accept: application/json, text/event-stream\r\n';
    const headers = `Agent-Key: ${gateway.agentKey}\r\n${accept}${JSON_TYPE}Content-Length: ${message.length}\r\n`;
    return requestHead('POST', '/mcp', headers) + message;
  };
  it.each([
    ['a base URL', () => requestHead('GET', '/s/Shop/slow', `Agent-Key: ${gateway.agentKey}\r\n`)],
    ['MCP', byMcp],
  ])('stays in progress until the upstream has answered: %s', async (_door, request) => {
    const calls: (() => void)[] = [];
    gateway.upstream.answer((_call, response) => calls.push(() => response.end('{}')));
    const accepted: Socket[] = [];
    const onConnection = (socket: Socket): unknown => accepted.push(socket);
    const server = gateway.app.app.getHttpServer();
    server.on('connection', onConnection);
    for (let n = 1; n <= 4; n++) {
      await unfinished(port, request());
      await eventually(() => calls.length === n);
    }
    server.off('connection', onConnection);
    hangUp();
    await eventually(() => accepted.every(({ closed }) => closed));
    const refused = await gateway.proxy();
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'too_many_in_flight']);
    gateway.upstream.answer((_call, response) => response.end('{}'));
    for (const answer of calls) answer();
    await eventually(async () => (await gateway.proxy()).status === 200);
  });
});

describe('a response that its client does not read', () => {
  /** More than the kernel buffers for a socket. */
  const LARGE = 'x'.repeat(9 * MIB);
  const ask = (path: string): string => requestHead('GET', `/s/Shop/${path}`, `Agent-Key: ${gateway.agentKey}\r\n`);
  const accepted: Socket[] = [];
  const onConnection = (socket: Socket): unknown => accepted.push(socket);
  const server = (): Server => gateway.app.app.getHttpServer();
  let reply: () => void;

  beforeAll(() => server().on('connection', onConnection));
  beforeEach(() => {
    accepted.length = 0;
    gateway.upstream.answer(({ path }, response) => {
      if (path.endsWith('/slow')) reply = () => response.end('{}');
      else response.end(path.endsWith('/large') ? LARGE : '{}');
    });
  });
  afterAll(() => server().off('connection', onConnection));

  const refused = (): Promise<unknown[]> =>
    eventually(async () => {
      const { status, headers } = await gateway.proxy();
      return status !== 200 && [status, headers.get('x-error-code'), headers.get('retry-after')];
    });

  it('counts in AGENT_MAX_BUFFERED_MB until the client disconnects', async () => {
    const reader = await unfinished(port, ask('large'));
    expect(await refused()).toEqual([429, 'too_much_buffered', '2']);
    const calls = gateway.upstream.calls.length;
    expect((await gateway.agentCall('GET', '/s/Shop/x', undefined, {})).status).toBe(429);
    expect(gateway.upstream.calls).toHaveLength(calls);
    const { apiKey } = await gateway.createAgent('neighbour', [gateway.service.id]);
    expect((await gateway.proxy({}, { 'Agent-Key': apiKey })).status).toBe(200);
    reader.destroy();
    await eventually(async () => (await gateway.proxy()).status === 200);
  });

  it('breaks no request in progress', async () => {
    const slow = gateway.agentCall('GET', '/s/Shop/slow', undefined, {});
    await eventually(() => gateway.upstream.calls.at(-1)?.path.endsWith('/slow'));
    const reader = await unfinished(port, ask('large'));
    await refused();
    // A client that reads late still gets the whole answer.
    let received = 0;
    reader.on('data', (chunk: Buffer) => (received += chunk.length));
    await eventually(() => received > LARGE.length);
    await eventually(async () => (await gateway.proxy()).status === 200);
    reply();
    expect((await slow).status).toBe(200);
  });

  it('is cut off when the client reads nothing for a minute', async () => {
    await unfinished(port, ask('large'));
    await refused();
    // `accepted` includes the connections of `refused`.
    const cut = (): Socket[] => accepted.filter(({ timeout }) => timeout === 60_000);
    // The agent is refused as soon as there is no room, which is before the answer is written.
    const unread = await eventually(() => cut().length > 0 && cut());
    expect(unread).toHaveLength(1);
    // Emits the event that Node emits after a minute.
    unread[0].emit('timeout');
    expect(unread[0].destroyed).toBe(true);
    await eventually(async () => (await gateway.proxy()).status === 200);
  });

  it('leaves no timeout for the next request on its connection', async () => {
    const socket = await unfinished(port, ask('large') + ask('slow'));
    const [serving] = accepted;
    socket.resume();
    await eventually(() => gateway.upstream.calls.at(-1)?.path.endsWith('/slow'));
    expect(serving.timeout).toBe(0);
    reply();
  });
});

describe('pipelined requests', () => {
  const slow = (): string => `GET /s/Shop/slow HTTP/1.1\r\nHost: x\r\nAgent-Key: ${gateway.agentKey}\r\n\r\n`;

  it('start one after the other, and all get answers', async () => {
    const socket = await unfinished(port, slow().repeat(20));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await eventually(() => text.split('HTTP/1.1 200').length === 21);
  });

  it('release their count when the connection closes before their turn', async () => {
    const calls: (() => void)[] = [];
    gateway.upstream.answer((_call, response) => calls.push(() => response.end('{}')));
    // Together these are more than an agent may have in progress.
    for (let n = 1; n <= 6; n++) {
      const socket = await unfinished(port, slow().repeat(2));
      await eventually(() => calls.length === n);
      socket.destroy();
      calls[n - 1]();
    }
    gateway.upstream.answer((_call, response) => response.end('{}'));
    await eventually(async () => (await gateway.proxy()).status === 200);
    expect(calls).toHaveLength(6);
  });

  it('are limited to a hundred; beyond that the connection is closed', async () => {
    let answer = (): void => {};
    gateway.upstream.answer((_call, response) => (answer = () => response.end('{}')));
    const socket = await unfinished(port, slow());
    const closed = once(socket, 'close');
    socket.resume();
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(101));
    await closed;
    answer();
  });
});

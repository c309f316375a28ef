/** Each timer, listener and promise of usual traffic in the built gateway fails once, and the process continues. */
import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { call, login, register } from './support/accounts.js';
import type { ChildGateway } from './support/child-gateway.js';
import { openEvents } from './support/event-stream.js';
import { eventually } from './support/eventually.js';
import { TRAFFIC } from './support/fault-sites.js';
import { startFakeModel, type FakeModel } from './support/fake-model.js';
import { startFakeUpstream, type FakeUpstream } from './support/fake-upstream.js';
import { McpAgent } from './support/mcp-client.js';
import { drive, startPlantedGateway } from './support/planted-gateway.js';
import { rawRequest } from './support/raw-http.js';
import { createAgent, createService } from './support/resources.js';

/** Its redaction takes several steps, and two of these do not fit into the memory of the agent. */
const LARGE = '\\u0041'.repeat(250_000);
/** Longer than the outbox waits before it takes a receiver for slow. */
const SLOW_MS = 1500;
const STREAMS = 4;
const GZIP = { 'Content-Encoding': 'gzip', 'Content-Type': 'text/plain' };
const DOCUMENT = '{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{}}';

let upstream: FakeUpstream;
let model: FakeModel;
let gateway: ChildGateway;
let database: Client;
beforeAll(async () => {
  [upstream, model] = await Promise.all([startFakeUpstream(), startFakeModel()]);
  gateway = await startPlantedGateway({
    LLM_BASE_URL: model.url,
    PRIVATE_TARGET_ALLOWLIST: upstream.hostAndPort,
    PRIVATE_CHANNEL_ALLOWLIST: upstream.hostAndPort,
    STREAM_MAX_SECONDS: '2',
    AGENT_MAX_BUFFERED_MB: '3',
    JWT_ACCESS_EXPIRY: '1h',
  });
  database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
  await register(gateway, 'ada@example.com');
});
afterAll(async () => {
  await database.end();
  await gateway.stop();
  await Promise.all([upstream.close(), model.close()]);
});

/** The text of an answer, which may be cut. */
async function readUntilCut({ body }: Response): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body!) text += Buffer.from(chunk as Uint8Array).toString();
  } catch {
    // STREAM_MAX_SECONDS
  }
  return text;
}

const token = async (): Promise<string> => (await login(gateway, 'ada@example.com')).accessToken;

it('continues to serve after each of its timers, listeners and promises has failed', async () => {
  const { id, name } = await createService(gateway, await token(), { baseUrl: `${upstream.url}/v1` });
  const { apiKey } = await createAgent(gateway, await token(), [id]);
  let serial = 0;
  // The gateway waits for the rest of it until the stream ends.
  const partOfSecret = apiKey.slice(0, 12);
  const proxy = (method: string, headers: Record<string, string> = {}, body?: string) =>
    call(gateway, 'POST /proxy', {
      headers: { 'Agent-Key': apiKey, ...headers },
      body: { method, targetUrl: `${upstream.url}/v1/customers/${++serial}`, intent: 'look', body },
    });
  const below = (path: string, init: RequestInit = {}) =>
    fetch(`${gateway.url}/s/${name}${path}`, {
      ...init,
      headers: { 'Agent-Key': apiKey, 'X-Intent': 'look', ...init.headers },
    }).then(readUntilCut);
  const target = `${upstream.url}/hook`;
  const channel = { type: 'webhook', name: 'Slow', target };
  expect((await call(gateway, 'POST /channels', { token: await token(), body: channel })).status).toBe(201);
  upstream.answer(({ path }, response) => {
    if (path === '/hook') setTimeout(() => response.writeHead(204).end(), SLOW_MS);
    else if (path.endsWith('/events'))
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(`data\n\n${partOfSecret}`);
    else if (path.endsWith('/stream'))
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data\n\n');
    else if (path.endsWith('/large')) response.end(LARGE);
    else response.end('{}');
  });
  const form = new FormData();
  form.append('title', 'x');
  form.append('file', new Blob(['x'.repeat(1000)]), 'a.txt');
  const work: (() => Promise<unknown>)[] = [
    () => below('/customers', { method: 'PUT', body: form }),
    // Each part of the chain that fails ends one of them.
    ...Array.from({ length: STREAMS }, () => () => below('/events')),
    () => below('/stream'),
    () => Promise.all(Array.from({ length: 8 }, () => below('/large'))),
    () => below('/customers', { method: 'PUT', headers: GZIP, body: gzipSync('x'.repeat(100_000)) }),
    () => below('/customers', { method: 'PUT', headers: GZIP, body: 'this is no gzip' }),
    () => proxy('PUT', {}, 'x'.repeat(300_000)),
    () => rawRequest(Number(new URL(gateway.url).port), ['nonsense\r\n\r\n']),
    () =>
      rawRequest(Number(new URL(gateway.url).port), [
        'POST /proxy HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{',
      ]),
    async () => {
      const agent = await McpAgent.connect(gateway.url, { 'Agent-Key': apiKey });
      const targetUrl = `${upstream.url}/v1/customers`;
      const given = { method: 'DELETE', targetUrl, intent: 'remove', waitSeconds: 1 };
      await agent.call('request', given, { onprogress: () => undefined }).finally(() => agent.close());
    },
    () => proxy('GET'),
    () => proxy('DELETE', { Prefer: 'wait=1' }),
    async () =>
      call(gateway, `POST /services/${id}/documentation`, {
        token: await token(),
        body: { type: 'openapi', title: 'API', content: DOCUMENT },
      }),
    async () => {
      const stream = await openEvents(gateway.url, await token());
      await eventually(() => stream.text().includes('heartbeat'));
      stream.close();
    },
    () =>
      database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                      WHERE application_name LIKE 'agent-gateway-events %' AND datname = current_database()`),
  ];
  const rule = { name: 'ask', effect: 'require_approval', methods: ['DELETE'] };
  expect((await call(gateway, `POST /services/${id}/risk-rules`, { token: await token(), body: rule })).status).toBe(
    201,
  );
  await drive(gateway, TRAFFIC, work);

  // Each one has failed once. From here on all of them work.
  model.answer({ score: 0 });
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  expect((await proxy('GET')).status).toBe(200);
  const hooks = () => upstream.calls.filter(({ path }) => path === '/hook').length;
  const before = hooks();
  expect((await proxy('DELETE')).status).toBe(428);
  await eventually(() => hooks() > before);
  expect(await below('/stream')).toContain('data');
  // The test cut the connection for events last. A stream that is older than the reconnection ends, as intended.
  await eventually(async () => {
    const stream = await openEvents(gateway.url, await token());
    const { id: other } = await createService(gateway, await token(), { baseUrl: `${upstream.url}/v2` });
    const told = await eventually(() => stream.events.some((event) => event.id === other), 2000).catch(() => false);
    stream.close();
    return told;
  });
});

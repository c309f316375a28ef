/** Each timer, listener and promise of the built gateway fails once, and the process continues. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { call, login, register } from './support/accounts.js';
import { startChildGateway, type ChildGateway } from './support/child-gateway.js';
import { openEvents } from './support/event-stream.js';
import { eventually } from './support/eventually.js';
import { startFakeModel, type FakeModel } from './support/fake-model.js';
import { startFakeUpstream, type FakeUpstream } from './support/fake-upstream.js';
import { createAgent, createService } from './support/resources.js';

jest.setTimeout(300_000);

const SITES = [
  'setInterval in events.controller.js',
  'listener to close in event-stream.js',
  'listener to notification in event-hub.js',
  'listener to error in event-hub.js',
  'setTimeout in event-hub.js',
  'listener to data in body-bytes.js',
  'listener to end in body-bytes.js',
  'setInterval in logging.js',
  'setInterval in client.js',
  'listener to message in openapi-reader.js',
  'listener to close in client-gone.js',
];
/** A request whose own listener failed may get no answer. */
const GIVE_UP_MS = 10_000;
const DOCUMENT = '{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{}}';

let upstream: FakeUpstream;
let model: FakeModel;
let gateway: ChildGateway;
let database: Client;
beforeAll(async () => {
  [upstream, model] = await Promise.all([startFakeUpstream(), startFakeModel()]);
  gateway = await startChildGateway(
    { LLM_BASE_URL: model.url, PRIVATE_TARGET_ALLOWLIST: upstream.hostAndPort, JWT_ACCESS_EXPIRY: '1h' },
    join(__dirname, 'support', 'plant-faults.cjs'),
  );
  database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
  await register(gateway, 'ada@example.com');
});
afterAll(async () => {
  await database.end();
  await gateway.stop();
  await Promise.all([upstream.close(), model.close()]);
});

const token = async (): Promise<string> => (await login(gateway, 'ada@example.com')).accessToken;
const missing = (): string[] => SITES.filter((site) => !gateway.output().includes(`planted: ${site}\n`));

it('continues to serve after each of its timers, listeners and promises has failed', async () => {
  const { id } = await createService(gateway, await token(), { baseUrl: `${upstream.url}/v1` });
  const { apiKey } = await createAgent(gateway, await token(), [id]);
  const proxy = (method: string, headers: Record<string, string> = {}) =>
    call(gateway, 'POST /proxy', {
      headers: { 'Agent-Key': apiKey, ...headers },
      body: { method, targetUrl: `${upstream.url}/v1/customers`, intent: 'look' },
    });
  const work: (() => Promise<unknown>)[] = [
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
  gateway.kill('SIGUSR2');
  const endMs = performance.now() + 180_000;
  while (missing().length > 0 && performance.now() < endMs) {
    for (const each of work) await Promise.race([each().catch(() => undefined), delay(GIVE_UP_MS)]);
  }
  expect(missing()).toEqual([]);

  // Each one has failed once. From here on all of them work.
  model.answer({ score: 0 });
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  expect((await proxy('GET')).status).toBe(200);
  // The test cut the connection for events last. A stream that is older than the reconnection ends, as intended.
  await eventually(async () => {
    const stream = await openEvents(gateway.url, await token());
    const { id: other } = await createService(gateway, await token(), { baseUrl: `${upstream.url}/v2` });
    const told = await eventually(() => stream.events.some((event) => event.id === other), 2000).catch(() => false);
    stream.close();
    return told;
  });
});

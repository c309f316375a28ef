import type { Part, Readiness } from '#contracts';
import { DatabaseGauges } from '../src/health/database-gauges.js';
import { login, register } from './support/accounts.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { startDatabaseProxy, type TcpProxy } from './support/tcp-proxy.js';

const TOKEN = 'token-of-prometheus';
const NAMES = ['database', 'schema', 'events', 'model', 'queues', 'clock'];

let link: TcpProxy;
let gateway: Gateway;
beforeAll(async () => {
  const proxied = await startDatabaseProxy();
  link = proxied.link;
  gateway = await startGateway({ METRICS_TOKEN: TOKEN, ALLOW_REGISTRATION: 'true', DATABASE_URL: proxied.databaseUrl });
});
afterAll(async () => {
  await gateway.close();
  await link.stop();
});

async function ready(token?: string): Promise<{ status: number; body: Readiness & { error?: string } }> {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${gateway.url}/ready`, { headers });
  return { status: answer.status, body: (await answer.json()) as Readiness };
}
/** The parts as they are now, and not as they were a few seconds ago. */
async function parts(token = TOKEN): Promise<Record<string, Part>> {
  gateway.app.clock.pass(10_000);
  const { body } = await ready(token);
  return Object.fromEntries(body.parts!.map((part) => [part.name, part]));
}

it('lists its parts for METRICS_TOKEN and for administrators of the installation, and for nobody else', async () => {
  await register(gateway.app, 'max@example.com', { name: 'Max' });
  const { accessToken } = await login(gateway.app, 'max@example.com');
  for (const token of [TOKEN, gateway.token]) {
    const { status, body } = await ready(token);
    expect([status, body.parts?.map(({ name, ok }) => [name, ok])]).toEqual([200, NAMES.map((name) => [name, true])]);
  }
  for (const token of [undefined, '', 'nonsense', accessToken, gateway.agentKey, `${TOKEN}x`]) {
    expect(await ready(token)).toEqual({ status: 200, body: { status: 'ready', database: 'connected' } });
  }
});

it('has the same parts on the status page', async () => {
  const status = await gateway.admin<{ parts: Part[] }>('GET /admin/status');
  expect(status.parts).toEqual((await ready(TOKEN)).body.parts);
});

it('says since when the model fails, what it says, and is still ready', async () => {
  gateway.model.answer({ body: 'away', status: 400 });
  await gateway.proxy({ targetUrl: `${gateway.upstream.url}/v1/model`, method: 'PUT', body: '{}' });
  const { model } = await parts();
  expect(model).toMatchObject({ ok: false, message: 'The last call failed: model server answered HTTP 400' });
  expect((await ready()).status).toBe(200);
  expect((await parts()).model.since).toBe(model.since);
  gateway.model.answer({ score: 0 });
  await gateway.proxy({ targetUrl: `${gateway.upstream.url}/v1/model`, method: 'PUT', body: '{}' });
  expect((await parts()).model).toMatchObject({ ok: true, message: 'The last call succeeded' });
});

it('names a queue whose oldest entry has been due for minutes', async () => {
  expect((await parts()).queues).toMatchObject({ ok: true, message: 'Nothing waits too long' });
  const { latest } = gateway.app.app.get(DatabaseGauges);
  latest!.queues.callbacks = { depth: 12, oldestSeconds: 420 };
  const { body } = await ready(TOKEN);
  expect(body.parts!.find(({ name }) => name === 'queues')).toMatchObject({
    ok: false,
    message: 'callbacks: 12 wait, the oldest has been due for 7 minutes',
  });
});

it('says that the schema is older than the release, with 503', async () => {
  const { database } = gateway.app;
  const [newest] = await database.query(
    'DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations) RETURNING *',
  );
  const { status, body } = await ready();
  expect([status, body]).toEqual([
    503,
    { error: 'The schema of the database is older than this release', statusCode: 503 },
  ]);
  expect((await parts()).schema.ok).toBe(false);
  await database.query('INSERT INTO migrations (id, timestamp, name) VALUES ($1, $2, $3)', [
    newest[0].id,
    newest[0].timestamp,
    newest[0].name,
  ]);
  expect((await ready()).status).toBe(200);
});

it('says which clock is off', async () => {
  gateway.app.clock.advance({ seconds: 30 });
  const { clock } = await parts();
  expect(clock.ok).toBe(false);
  expect(clock.message).toMatch(/differ by (29|30|31)\.\d seconds/);
  gateway.app.clock.advance({ seconds: -30 });
});

it('tells METRICS_TOKEN what is wrong while the database is away', async () => {
  await link.stop();
  await eventually(async () => (await ready()).status === 503);
  const { status, body } = await ready(TOKEN);
  expect(status).toBe(503);
  expect(body).toMatchObject({ error: 'Database connection failed', statusCode: 503 });
  expect(body.parts!.find(({ name }) => name === 'database')!.ok).toBe(false);
  expect((await ready(gateway.token)).body.parts).toBeUndefined();
  await link.start();
  await eventually(async () => (await ready()).status === 200);
  expect((await parts()).database.ok).toBe(true);
});

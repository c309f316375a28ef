/** Errors while the gateway stops neither keep it running nor lose a request. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Client } from 'pg';
import { login, register } from './support/accounts.js';
import type { ChildGateway } from './support/child-gateway.js';
import { eventually } from './support/eventually.js';
import { startFakeModel, type FakeModel } from './support/fake-model.js';
import { startFakeUpstream, type FakeUpstream } from './support/fake-upstream.js';
import { STOP } from './support/fault-sites.js';
import { beginFaults, startPlantedGateway } from './support/planted-gateway.js';
import { createAgent, createService } from './support/resources.js';

/** After this time, the gateway closes the connections of requests that have not ended. */
const DEADLINE_MS = 15_000;

/** What must fail before the API answers the request in progress. After Ctrl-C the process ends with this answer. */
const FIRST = { SIGTERM: 'drain: request in run', SIGINT: 'drain: setInterval in closed' };

/** After Ctrl-C no request arrives, so no request waits until the deadline. */
const FAULTS = {
  SIGTERM: STOP.filter((site) => site !== 'main: SIGINT in the module'),
  SIGINT: [
    'main: SIGINT in the module',
    'drain: setInterval in closed',
    'drain: close in closed',
    'logging: exit in standardOutput',
  ],
};

const HALF = 'GET /health HTTP/1.1\r\n';
const REST = 'Host: x\r\n\r\n';

let gateway: ChildGateway | undefined;
let upstream: FakeUpstream;
let model: FakeModel;
beforeAll(async () => {
  [upstream, model] = await Promise.all([startFakeUpstream(), startFakeModel()]);
});
afterEach(() => gateway?.stop());
afterAll(() => Promise.all([upstream.close(), model.close()]));

interface World {
  gateway: ChildGateway;
  proxy(path: string): Promise<Response>;
}

async function start(): Promise<World> {
  gateway = await startPlantedGateway(
    { LLM_BASE_URL: model.url, PRIVATE_TARGET_ALLOWLIST: upstream.hostAndPort },
    { only: STOP, limitsMs: { 'drain: setTimeout in closed': DEADLINE_MS } },
  );
  await register(gateway, 'ada@example.com');
  const { accessToken: token } = await login(gateway, 'ada@example.com');
  const { id } = await createService(gateway, token, { baseUrl: `${upstream.url}/v1` });
  const { apiKey } = await createAgent(gateway, token, [id]);
  const { url } = gateway;
  const proxy = (path: string): Promise<Response> =>
    fetch(`${url}/proxy`, {
      method: 'POST',
      headers: { 'Agent-Key': apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ method: 'GET', targetUrl: `${upstream.url}/v1${path}`, intent: 'look' }),
    });
  return { gateway, proxy };
}

const faultsIn = (gateway: ChildGateway): string[] =>
  STOP.filter((site) => gateway.output().includes(`planted: ${site}\n`));

/** The outcomes in the audit of the requests that the gateway has sent. */
async function recorded({ databaseUrl }: ChildGateway): Promise<{ status: number | null }[]> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const { rows } = await database.query<{ status: number | null }>(
    `SELECT status FROM audit_records WHERE outcome = 'forwarded' ORDER BY id`,
  );
  await database.end();
  return rows;
}

it.each(['SIGTERM', 'SIGINT'] as const)('%s ends it in time although each step fails', async (signal) => {
  const { gateway, proxy } = await start();
  let answer = (): void => undefined;
  upstream.answer((_call, response) => (answer = () => response.end('{"seen":true}')));
  await beginFaults(gateway);
  const calls = upstream.calls.length;
  const inProgress = proxy('/customers/1');
  await eventually(() => upstream.calls.length > calls);
  // A connection with half a request stays open until the deadline. One without a byte is closed when the gateway stops
  // listening.
  const late = connect(Number(new URL(gateway.url).port), '127.0.0.1').on('error', () => undefined);
  const cut = new Promise((resolve) => late.once('close', resolve));
  await once(late, 'connect');
  // A request that comes before the gateway has closed its event streams is answered. Then the next one comes.
  late.on('data', () => late.write(REST + HALF));
  if (signal === 'SIGTERM') late.write(HALF);
  gateway.kill(signal);
  await eventually(() => gateway.output().includes('"msg":"stopping"'));
  await eventually(() => faultsIn(gateway).includes(`main: ${signal} in the module`));
  if (signal === 'SIGTERM') late.write(REST + HALF);
  await eventually(() => faultsIn(gateway).includes(FIRST[signal]));
  answer();
  expect((await inProgress).status).toBe(200);
  await cut;
  // The last error happens in the process's last listener: everything else is done by then.
  expect(await gateway.exited).toBe(1);
  expect(gateway.output()).toContain('"msg":"stopped"');
  expect(gateway.output()).toContain('"msg":"could not stop"');
  expect(await recorded(gateway)).toEqual([{ status: 200 }]);
  expect(faultsIn(gateway)).toEqual(FAULTS[signal]);
});

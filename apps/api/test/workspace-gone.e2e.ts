import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { CreateAgentResponse, Service, Workspace } from '#contracts';
import { call } from './support/accounts.js';
import { openEvents } from './support/event-stream.js';
import { SECRET, startGateway, type Gateway } from './support/gateway.js';
import { limitStatements } from './support/statement-limit.js';

/** Work in progress ends with a clear answer when its workspace is deleted, and leaves nothing half done. */
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

interface World {
  id: number;
  service: Service;
  agent: CreateAgentResponse['agent'];
  key: string;
}

const as = <T = { error: string }>(id: number, route: string, body?: object) =>
  call<T>(gateway.app, route, { token: gateway.token, body, headers: { 'X-Workspace-Id': String(id) } });

async function world(): Promise<World> {
  const { id } = await gateway.admin<Workspace>('POST /workspaces', { name: 'Short' });
  const fields = {
    name: 'Shop',
    baseUrl: `${gateway.upstream.url}/v1`,
    authType: 'bearer',
    credentials: { token: SECRET },
  };
  const service = (await as<Service>(id, 'POST /services', fields)).body;
  const { agent, apiKey } = (
    await as<CreateAgentResponse>(id, 'POST /agents', { name: 'bot', serviceIds: [service.id] })
  ).body;
  return { id, service, agent, key: apiKey };
}

/** Deletes the agent first: a workspace with agents or services can't be deleted. */
async function end({ id, service, agent }: World): Promise<void> {
  expect((await as(id, `DELETE /workspaces/${id}`)).status).toBe(409);
  for (const route of [`DELETE /agents/${agent.id}`, `DELETE /services/${service.id}`, `DELETE /workspaces/${id}`]) {
    expect([route, (await as(id, route)).status]).toEqual([route, 200]);
  }
}

/**
 * Holds the next request to the upstream.
 * @returns its response, for the test to answer
 */
function held(): Promise<ServerResponse> {
  return new Promise((resolve) => gateway.upstream.answer((_call, response) => resolve(response)));
}

it.each(['GET', 'POST'])('a %s that was sent is answered and stays recorded', async (method) => {
  const short = await world();
  const upstream = held();
  const post = method === 'POST' ? { body: '{}', idempotencyKey: 'k' } : {};
  const asked = gateway.proxy({ method, ...post }, { 'Agent-Key': short.key });
  const response = await upstream;
  await end(short);
  response.end('{"done":true}');
  expect([(await asked).status, (await asked).text]).toEqual([200, '{"done":true}']);
  await gateway.app.settled();
  const records = await gateway.app.database.query(
    `SELECT outcome, status FROM audit_records WHERE workspace_id = $1 AND kind = 'request'`,
    [short.id],
  );
  expect(records).toEqual([{ outcome: 'forwarded', status: 200 }]);
  expect((await gateway.proxy({}, { 'Agent-Key': short.key })).status).toBe(401);
});

it('a stream ends', async () => {
  const short = await world();
  const upstream = held();
  const body = JSON.stringify({ targetUrl: `${gateway.upstream.url}/v1/x`, method: 'GET', intent: 'listen' });
  const headers = { 'Agent-Key': short.key, 'Content-Type': 'application/json' };
  const asked = fetch(`${gateway.url}/proxy`, { method: 'POST', headers, body });
  const source = await upstream;
  source.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n');
  const answer = await asked;
  const closed = once(source, 'close');
  await end(short);
  await expect(answer.text()).rejects.toThrow();
  await closed;
});

it('a request that waits for its decision is refused, and nobody can decide it', async () => {
  const short = await world();
  gateway.model.answer({ score: 0.9 });
  const events = await openEvents(gateway.url, gateway.token, { 'X-Workspace-Id': String(short.id) });
  const asked = gateway.proxy({ method: 'DELETE' }, { 'Agent-Key': short.key, Prefer: 'wait=30' });
  const { id } = await events.next((event) => event.type === 'action.created');
  await end(short);
  expect((await asked).status).toBe(401);
  gateway.model.answer({ score: 0 });
  expect((await gateway.tryAdmin(`PATCH /approvals/${String(id)}/approve`, {})).status).toBe(404);
  await events.ended;
});

it('exports are complete or refused', async () => {
  const short = await world();
  gateway.upstream.answer((_call, response) => response.end('{}'));
  expect((await gateway.proxy({}, { 'Agent-Key': short.key })).status).toBe(200);
  const headers = { Authorization: `Bearer ${gateway.token}`, 'X-Workspace-Id': String(short.id) };
  const [records] = await Promise.all([fetch(`${gateway.url}/audit/export?format=ndjson`, { headers }), end(short)]);
  expect([200, 404]).toContain(records.status);
  for (const line of (await records.text()).trim().split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow();
  for (const path of [`/workspaces/${short.id}/export`, '/audit/export?format=csv', '/services']) {
    const answer = await fetch(gateway.url + path, { headers });
    expect([path, answer.status, await answer.json()]).toEqual([
      path,
      404,
      { error: 'Resource not found', statusCode: 404 },
    ]);
  }
});

it('a workspace with too many actions and notifications for one statement is deleted completely', async () => {
  const short = await world();
  const { id: channel } = (
    await as<{ id: number }>(short.id, 'POST /channels', {
      type: 'webhook',
      name: 'Ops',
      target: `${gateway.upstream.url}/hook`,
      isActive: false,
    })
  ).body;
  const { database } = gateway.app;
  await database.query(
    `INSERT INTO actions (id, workspace_id, agent_name, service_name, status, method, target_url, headers, intent, summary, risk_score,
       risk_explanation, risk_source, created_at, expires_at)
     SELECT gen_random_uuid(), $1, 'bot', 'Shop', 'DENIED', 'POST', 'https://shop.example/' || i, '{}', 'i', 's', 0.5, 'e', 'heuristic',
       now(), now() FROM generate_series(1, 5000) i`,
    [short.id],
  );
  await database.query(
    `INSERT INTO channel_deliveries (id, channel_id, type, about, occurred_at, state)
     SELECT gen_random_uuid(), $1, 'approval.requested', '{}', now(), 'bundled' FROM generate_series(1, 5000)`,
    [channel],
  );
  for (const table of ['actions', 'channel_deliveries']) await limitStatements(database, 'DELETE', table);
  await end(short);
  expect(await database.query('SELECT FROM actions WHERE workspace_id = $1', [short.id])).toEqual([]);
  await database.query('DROP FUNCTION limit_rows CASCADE');
});

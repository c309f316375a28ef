import type { Action, ActionPage, CreateAgentResponse, ImportResult, Service } from '#contracts';
import { call } from './support/accounts.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { limitStatements } from './support/statement-limit.js';

/** One statement can't change this many rows in time. */
const ROWS = 4000;

const WORKSPACE = 1;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  const { database } = gateway.app;
  await fill();
  await limitStatements(database, 'UPDATE', 'actions');
  await limitStatements(database, 'DELETE', 'idempotency_records');
});
afterAll(() => gateway?.close());

/** Gives the agent many actions to the service, and many keys. */
async function fill(agentId = gateway.agent.id, serviceId = gateway.service.id): Promise<void> {
  const { database } = gateway.app;
  await database.query(
    `INSERT INTO actions (id, workspace_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers, intent,
       summary, risk_score, risk_explanation, risk_source, created_at, expires_at)
     SELECT gen_random_uuid(), $1, $2, 'bot', $3, 'Shop', 'DENIED', 'POST', 'https://shop.example/' || i, '{}', 'i', 's', 0.5, 'e',
       'heuristic', now() - interval '1 day', now() FROM generate_series(1, ${ROWS}) i`,
    [WORKSPACE, agentId, serviceId],
  );
  await database.query(
    `INSERT INTO idempotency_records (agent_id, key, request_hash, method, status, claim_id, response_from_upstream, response_status,
       created_at, completed_at, expires_at)
     SELECT $1, 'key-' || i, repeat('0', 64), 'POST', 'completed', gen_random_uuid(), true, 200, now(), now(), now() + interval '1 day'
     FROM generate_series(1, ${ROWS}) i`,
    [agentId],
  );
}

const remove = async (route: string) => {
  const { status, body } = await call(gateway.app, `DELETE ${route}`, { token: gateway.token });
  return [status, body.error];
};
const old = async (): Promise<Action> =>
  (await gateway.admin<ActionPage>('GET /approvals?status=ALL&q=shop.example&limit=1')).items[0];

it('a service and an agent with many actions and keys are deleted, and the actions stay', async () => {
  const { action_id: open } = await gateway.hold();
  expect(await remove(`/services/${gateway.service.id}`)).toEqual([200, undefined]);
  expect(await old()).toMatchObject({ agent: { id: gateway.agent.id }, service: { id: null, name: 'Shop' } });
  expect(await remove(`/agents/${gateway.agent.id}`)).toEqual([200, undefined]);
  expect(await old()).toMatchObject({ agent: { id: null, name: 'bot' }, service: { id: null } });
  expect(await gateway.admin<Action>(`GET /approvals/${open}`)).toMatchObject({
    status: 'EXPIRED',
    agent: { id: null },
  });
  expect(await gateway.app.database.query('SELECT FROM idempotency_records')).toEqual([]);
});

describe('an import without a service and an agent that have many actions and keys', () => {
  let service: Service;
  let agent: CreateAgentResponse['agent'];
  beforeAll(async () => {
    service = await gateway.createService({ name: 'Long' });
    ({ agent } = await gateway.createAgent('long-bot', [service.id]));
    await fill(agent.id, service.id);
  });

  const apply = async (query: string) => {
    const file = { version: 1, services: [], agents: [] };
    const { status, body } = await gateway.tryAdmin<ImportResult>(`PUT /workspaces/${WORKSPACE}/import${query}`, file);
    return [status, body];
  };
  const DELETED = {
    digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    created: [],
    changed: [],
    deleted: [
      { kind: 'service', name: 'Long', loses: { credentials: ['token'], agents: ['long-bot'] } },
      { kind: 'agent', name: 'long-bot', loses: { keys: true } },
    ],
  };

  it('leaves them in a dry run', async () => {
    expect(await apply('?dryRun=true')).toEqual([200, DELETED]);
    expect(await old()).toMatchObject({ agent: { id: agent.id }, service: { id: service.id } });
    expect(await gateway.app.database.query('SELECT FROM idempotency_records')).toHaveLength(ROWS);
  });

  it('deletes them, and the actions stay', async () => {
    expect(await apply('')).toEqual([200, DELETED]);
    expect(await old()).toMatchObject({ agent: { id: null, name: 'bot' }, service: { id: null, name: 'Shop' } });
    expect(await gateway.app.database.query('SELECT FROM idempotency_records')).toEqual([]);
  });
});

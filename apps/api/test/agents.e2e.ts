import { randomUUID } from 'node:crypto';
import type { Agent, CreateAgentResponse, MessageResponse, ReplaceScopeResponse } from '#contracts';
import { AgentDirectory } from '../src/agents/agent-directory.js';
import { call } from './support/accounts.js';
import { createAgent, createService, getAgent, signUp } from './support/resources.js';
import { startApp, type TestApp } from './support/start-app.js';

const BAD_IDS = ['0', '-1', '1.5', '2147483648', 'abc', '1e3'];
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let app: TestApp;
let other: TestApp;
let ada: string;
let eve: string;
let serviceIds: number[];
let serviceOfEve: number;
beforeAll(async () => {
  app = await startApp({ ALLOW_REGISTRATION: 'true' });
  other = await startApp({ ALLOW_REGISTRATION: 'true', DATABASE_URL: app.databaseUrl });
  ada = await signUp(app, 'ada@example.com');
  eve = await signUp(app, 'eve@example.com');
  serviceIds = [(await createService(app, ada)).id, (await createService(app, ada, { name: 'Second' })).id];
  serviceOfEve = (await createService(app, eve)).id;
});
afterAll(async () => {
  await other.close();
  await app.close();
});

const directory = (of: TestApp = app): AgentDirectory => of.app.get(AgentDirectory, { strict: false });
const status = (key: string | undefined, of: TestApp = app) =>
  call(of, `GET /status/${randomUUID()}`, { headers: key === undefined ? {} : { 'Agent-Key': key } });

describe('creating an agent', () => {
  it('shows its key in full only once', async () => {
    const { status: code, body } = await call<CreateAgentResponse>(app, 'POST /agents', {
      token: ada,
      body: {
        name: 'bot',
        serviceIds: [serviceIds[1], serviceIds[0], serviceIds[1]],
        userId: 2,
        isActive: false,
        id: 9,
      },
    });
    expect(code).toBe(201);
    expect(body).toEqual({
      agent: {
        id: expect.any(Number),
        userId: 1,
        name: 'bot',
        keyPrefix: body.apiKey.slice(0, 12),
        keyCreatedAt: TIME,
        keyLifetimeDays: null,
        keyExpiresAt: null,
        previousKey: null,
        addresses: [],
        isActive: true,
        services: [
          { id: serviceIds[0], name: 'Example' },
          { id: serviceIds[1], name: 'Second' },
        ],
        callbackHosts: [],
        callbackRequestedHost: null,
        createdAt: TIME,
        updatedAt: TIME,
      },
      apiKey: expect.stringMatching(/^agt_[0-9a-f]{64}$/),
    });
    const { body: read } = await call<Agent>(app, `GET /agents/${body.agent.id}`, { token: ada });
    expect(read).toEqual({ ...body.agent, lastUsedAt: null });
    const stored = await app.database.query(
      `SELECT (SELECT json_agg(a)::text FROM agents a) || (SELECT json_agg(r)::text FROM audit_records r) AS all`,
    );
    expect(stored[0].all).toContain(body.agent.keyPrefix);
    expect(stored[0].all).not.toContain(body.apiKey.slice(12));
  });

  it.each([
    ['a name of 2 characters', { name: 'ab' }, /^name: /],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, /^name: /],
    ['no name', { name: undefined }, /^name: /],
    ['no services', { serviceIds: undefined }, /^At least one service ID is required$/],
    ['an empty list of services', { serviceIds: [] }, /^At least one service ID is required$/],
    ['services that are not a list', { serviceIds: 1 }, /At least one service ID is required|^serviceIds: /],
    ['an invalid service id', { serviceIds: [1.5] }, /^serviceIds: /],
    ['a service id that is text', { serviceIds: ['1'] }, /^serviceIds: /],
    ['a service id out of range', { serviceIds: [2147483648] }, /^serviceIds: /],
  ])('refuses %s', async (_case, fields, message) => {
    const answer = await call(app, 'POST /agents', { token: ada, body: { name: 'bot', serviceIds, ...fields } });
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringMatching(message), statusCode: 400 }]);
  });

  it.each([3, 100])('accepts a name of %d characters', async (length) => {
    expect((await createAgent(app, ada, serviceIds, 'x'.repeat(length))).agent.name).toHaveLength(length);
  });

  it('fails as a whole when one service is unknown or belongs to another user', async () => {
    const before = await call<Agent[]>(app, 'GET /agents', { token: ada });
    for (const id of [serviceOfEve, 2147483647]) {
      const body = { name: 'bot', serviceIds: [serviceIds[0], id] };
      const answer = await call(app, 'POST /agents', { token: ada, body });
      expect([answer.status, answer.body]).toEqual([404, { error: 'Service not found', statusCode: 404 }]);
    }
    expect((await call<Agent[]>(app, 'GET /agents', { token: ada })).body).toEqual(before.body);
  });
});

describe('changing an agent', () => {
  it('changes only the given fields', async () => {
    const { agent } = await createAgent(app, ada, serviceIds);
    const { status: code, body } = await call<Agent>(app, `PUT /agents/${agent.id}`, {
      token: ada,
      body: { name: 'renamed', keyHash: 'x', userId: 2 },
    });
    expect([code, body]).toEqual([200, { ...agent, name: 'renamed', lastUsedAt: null, updatedAt: TIME }]);
  });

  it.each([
    [{}, 'At least one of name, isActive, callbackHosts, keyLifetimeDays, addresses is required'],
    [{ keyHash: 'x' }, 'At least one of name, isActive, callbackHosts, keyLifetimeDays, addresses is required'],
    [{ name: 'ab' }, expect.stringMatching(/^name: /)],
    [{ isActive: 'no' }, expect.stringMatching(/^isActive: /)],
    [{ isActive: null }, expect.stringMatching(/^isActive: /)],
    [{ keyLifetimeDays: 0 }, 'keyLifetimeDays: must not be less than 1'],
    [{ keyLifetimeDays: '30' }, expect.stringMatching(/^keyLifetimeDays: /)],
    [{ addresses: null }, expect.stringMatching(/^addresses: /)],
    [
      { addresses: ['192.0.2.1', 'example.com', '10.0.0.0/33'] },
      'addresses.1: must be an IP address or a range like 192.0.2.0/24; addresses.2: must be an IP address or a range like 192.0.2.0/24',
    ],
  ])('refuses %j', async (body, error) => {
    const { agent } = await createAgent(app, ada, serviceIds);
    const answer = await call(app, `PUT /agents/${agent.id}`, { token: ada, body });
    expect([answer.status, answer.body.error]).toEqual([400, error]);
    expect(await getAgent(app, ada, agent.id)).toEqual({ ...agent, lastUsedAt: null });
  });
});

describe('the scope of an agent', () => {
  it('is replaced as a whole', async () => {
    const { agent, apiKey } = await createAgent(app, ada, [serviceIds[0]]);
    const { status: code, body } = await call<ReplaceScopeResponse>(app, `PUT /agents/${agent.id}/services`, {
      token: ada,
      body: { serviceIds: [serviceIds[1]] },
    });
    const services = [{ id: serviceIds[1], name: 'Second' }];
    expect([code, body]).toEqual([200, { message: expect.any(String), services }]);
    expect((await getAgent(app, ada, agent.id)).services).toEqual(services);
    expect((await directory().freshByKey(apiKey)).services.map(({ id }) => id)).toEqual([serviceIds[1]]);
  });

  it.each([{}, { serviceIds: [] }, { serviceIds: null }])('refuses %j', async (body) => {
    const { agent } = await createAgent(app, ada, serviceIds);
    const answer = await call(app, `PUT /agents/${agent.id}/services`, { token: ada, body });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain('At least one service ID is required');
  });

  it('stays unchanged when one service belongs to another user', async () => {
    const { agent } = await createAgent(app, ada, serviceIds);
    const body = { serviceIds: [serviceIds[0], serviceOfEve] };
    const answer = await call(app, `PUT /agents/${agent.id}/services`, { token: ada, body });
    expect([answer.status, answer.body.error]).toEqual([404, 'Service not found']);
    expect((await getAgent(app, ada, agent.id)).services).toEqual(agent.services);
  });

  it('is one of the requested sets after parallel replacements', async () => {
    const { agent } = await createAgent(app, ada, serviceIds);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        call(i % 2 ? app : other, `PUT /agents/${agent.id}/services`, {
          token: ada,
          body: { serviceIds: [serviceIds[i % 2]] },
        }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    expect((await getAgent(app, ada, agent.id)).services).toHaveLength(1);
  });
});

describe('deleting an agent', () => {
  it('revokes its key, closes its open actions and keeps the history', async () => {
    const { agent, apiKey } = await createAgent(app, ada, serviceIds);
    const insert = (state: string, claim: string | null) =>
      app.database.query(
        `INSERT INTO actions (id, workspace_id, agent_id, agent_name, service_id, service_name, status, method, target_url,
           headers, intent, summary, risk_score, risk_explanation, risk_source, created_at, expires_at, claim_id)
         VALUES (gen_random_uuid(), 1, $1, 'billing-bot', $2, 'Example', $3, 'GET', 'https://api.example.com/v1', '{}', 'i',
           's', 1, 'e', 'model', now(), now(), $4)`,
        [agent.id, serviceIds[0], state, claim],
      );
    for (const state of ['PENDING', 'APPROVED', 'DENIED', 'EXECUTED']) await insert(state, null);
    await insert('APPROVED', randomUUID());
    await app.database.query(
      `INSERT INTO idempotency_records (agent_id, key, request_hash, method, status, claim_id, created_at, expires_at)
       VALUES ($1, 'k', '', 'POST', 'processing', gen_random_uuid(), now(), now())`,
      [agent.id],
    );
    const { status: code, body } = await call<MessageResponse>(app, `DELETE /agents/${agent.id}`, { token: ada });
    expect([code, body]).toEqual([200, { message: expect.any(String) }]);
    expect((await status(apiKey)).body.error).toBe('Invalid Agent-Key');
    const actions = await app.database.query(
      `SELECT status, claim_id IS NOT NULL AS claimed, agent_id FROM actions WHERE service_id = $1 ORDER BY status, claimed`,
      [serviceIds[0]],
    );
    expect(actions).toEqual([
      { status: 'APPROVED', claimed: true, agent_id: null },
      { status: 'DENIED', claimed: false, agent_id: null },
      { status: 'EXECUTED', claimed: false, agent_id: null },
      { status: 'EXPIRED', claimed: false, agent_id: null },
      { status: 'EXPIRED', claimed: false, agent_id: null },
    ]);
    for (const table of ['agent_services', 'idempotency_records']) {
      expect(await app.database.query(`SELECT 1 FROM ${table} WHERE agent_id = $1`, [agent.id])).toEqual([]);
    }
    const records = await app.database.query(
      `SELECT reason, agent_name FROM audit_records WHERE agent_id = $1 AND kind = 'change' ORDER BY id`,
      [agent.id],
    );
    expect(records).toEqual([
      { reason: 'agent.created', agent_name: 'billing-bot' },
      { reason: 'agent.deleted', agent_name: 'billing-bot' },
    ]);
    expect((await call(app, `DELETE /agents/${agent.id}`, { token: ada })).status).toBe(404);
  });
});

describe('parallel changes', () => {
  it('wait for each other or get 404 for a deleted resource, and never fail', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, async () => (await createService(app, ada)).id));
    const agents = await Promise.all(
      Array.from({ length: 3 }, async () => (await createAgent(app, ada, ids)).agent.id),
    );
    const routes: [string, object?][] = ids.flatMap((id, i): [string, object?][] => [
      [`POST /services/${id}/credentials`, { credentials: { token: `t${i}` } }],
      [`POST /services/${id}/risk-rules`, { name: 'r', effect: 'deny', agentIds: [agents[0]] }],
      [`POST /services/${id}/documentation`, { type: 'text', title: 't', content: 'c' }],
      [`PUT /services/${id}`, { name: `n${i}` }],
      [`PUT /agents/${agents[i % 3]}/services`, { serviceIds: ids.toReversed() }],
      ['POST /agents', { name: 'bot', serviceIds: ids }],
      [`POST /agents/${agents[i % 3]}/rotate-key`],
      [`DELETE /services/${id}`],
    ]);
    routes.push([`DELETE /agents/${agents[0]}`], [`DELETE /agents/${agents[1]}`]);
    const answers = await Promise.all(
      routes.map(async ([route, body], i) => [
        route,
        (await call(i % 2 ? app : other, route, { token: ada, body })).status,
      ]),
    );
    expect(answers.filter(([, code]) => ![200, 201, 404].includes(code as number))).toEqual([]);
  });
});

describe('every endpoint of an agent', () => {
  const routes: [string, object | undefined][] = [
    ['GET /agents/:id', undefined],
    ['PUT /agents/:id', { name: 'taken over' }],
    ['DELETE /agents/:id', undefined],
    ['PUT /agents/:id/services', { serviceIds: [1] }],
    ['POST /agents/:id/rotate-key', undefined],
    ['DELETE /agents/:id/previous-keys', undefined],
  ];

  it.each(routes)('%s returns 404 to another user and changes nothing', async (route, body) => {
    const { agent, apiKey } = await createAgent(app, ada, serviceIds);
    for (const [id, token] of [
      [agent.id, eve],
      [2147483647, ada],
    ] as const) {
      const answer = await call(app, route.replace(':id', String(id)), { token, body });
      expect([answer.status, answer.body]).toEqual([404, { error: 'Resource not found', statusCode: 404 }]);
    }
    expect(await getAgent(app, ada, agent.id)).toEqual({ ...agent, lastUsedAt: null });
    expect((await directory().freshByKey(apiKey)).id).toBe(agent.id);
  });

  it.each(routes)('%s returns 400 for an invalid id', async (route, body) => {
    for (const id of BAD_IDS) {
      expect([id, (await call(app, route.replace(':id', id), { token: ada, body })).status]).toEqual([id, 400]);
    }
  });

  it.each([...routes, ['GET /agents', undefined], ['POST /agents', {}]] as [string, object | undefined][])(
    '%s returns 401 without a token, before any other check',
    async (route, body) => {
      const answer = await call(app, route.replace(':id', 'abc'), { body });
      expect([answer.status, answer.body.error]).toEqual([401, 'Missing authorization header']);
    },
  );

  it('lists only the agents of the user', async () => {
    const { agent } = await createAgent(app, eve, [serviceOfEve]);
    const { status: code, body } = await call<Agent[]>(app, 'GET /agents', { token: eve });
    expect([code, body]).toEqual([200, [{ ...agent, lastUsedAt: null }]]);
  });
});

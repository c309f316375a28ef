import type { CreateAgentResponse, HeldResponse, Service } from '#contracts';
import { AgentDirectory } from '../src/agents/agent-directory.js';
import { call, login, register } from './support/accounts.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';

/** Two instances on one database. A change on `a` must apply to the next request on `b`, and to no other agent. */
let a: Gateway;
let b: Gateway;
beforeAll(async () => {
  a = await startGateway({ ALLOW_REGISTRATION: 'true' });
  b = await a.secondInstance();
});
afterAll(async () => {
  await b.app.close();
  await a.close();
});
beforeEach(() => {
  a.model.answer({ score: 0 });
  a.upstream.calls.length = 0;
});

let serial = 0;
const target = (path: string): string => `${a.upstream.url}/v1${path}`;

/** An agent with its own service, which `b` has in its cache. */
async function fresh(): Promise<{ service: Service; agent: CreateAgentResponse['agent']; key: string }> {
  const service = await a.createService({ name: `Service ${++serial}` });
  const { agent, apiKey } = await a.createAgent(`agent-${serial}`, [service.id]);
  await b.proxy({}, { 'Agent-Key': apiKey });
  return { service, agent, key: apiKey };
}

const statusAndError = (answer: ProxyAnswer) => [answer.status, answer.json<{ error?: string }>().error];
const loads = () => jest.spyOn<AgentDirectory, never>(b.app.app.get(AgentDirectory), 'load' as never);
afterEach(() => jest.restoreAllMocks());

type World = Awaited<ReturnType<typeof fresh>>;
const OTHER_THAN_OWN = 'No service found matching target URL or agent does not have access';

/** A change by an administrator, and the answer that the agent's next request must get. */
const changes: [string, (world: World) => Promise<unknown>, [number, string]][] = [
  [
    'revocation',
    ({ agent }) => a.admin(`PUT /agents/${agent.id}`, { isActive: false }),
    [401, 'Agent key has been revoked'],
  ],
  ['key rotation', ({ agent }) => a.admin(`POST /agents/${agent.id}/rotate-key`), [401, 'Invalid Agent-Key']],
  ['deletion of the agent', ({ agent }) => a.admin(`DELETE /agents/${agent.id}`), [401, 'Invalid Agent-Key']],
  [
    'a scope without the service',
    async ({ agent }) => {
      const other = await a.createService({ name: 'Elsewhere', baseUrl: `${a.upstream.url}/elsewhere` });
      await a.admin(`PUT /agents/${agent.id}/services`, { serviceIds: [other.id] });
    },
    [404, OTHER_THAN_OWN],
  ],
  ['deletion of the service', ({ service }) => a.admin(`DELETE /services/${service.id}`), [404, OTHER_THAN_OWN]],
];

describe.each(changes)('%s applies on another instance to the very next', (_name, change, expected) => {
  it('new request', async () => {
    const world = await fresh();
    a.upstream.calls.length = 0;
    await change(world);
    expect(statusAndError(await b.proxy({}, { 'Agent-Key': world.key }))).toEqual(expected);
    expect(a.upstream.calls).toHaveLength(0);
  });

  it('repeat of a key with a stored response', async () => {
    const world = await fresh();
    const post = (intent: string) =>
      b.proxy(
        { method: 'POST', targetUrl: target('/x'), body: '{}', idempotencyKey: 'k', intent },
        { 'Agent-Key': world.key },
      );
    expect((await post('first')).status).toBe(200);
    expect((await post('again')).status).toBe(200);
    await change(world);
    expect(statusAndError(await post('a third time'))).toEqual(expected);
    expect(statusAndError(await post('a fourth time'))).toEqual(expected);
  });

  it('repeat of a key that is bound to a held request', async () => {
    const world = await fresh();
    a.model.answer({ score: 1 });
    const post = (intent: string) =>
      b.proxy(
        { method: 'POST', targetUrl: target('/y'), body: '{}', idempotencyKey: 'h', intent },
        { 'Agent-Key': world.key },
      );
    const first = await post('first');
    expect([(await post('again')).json<HeldResponse>().action_id, first.status]).toEqual([
      first.json<HeldResponse>().action_id,
      428,
    ]);
    await change(world);
    expect(statusAndError(await post('a third time'))).toEqual(expected);
  });

  it('request with an unused key', async () => {
    const world = await fresh();
    a.upstream.calls.length = 0;
    await change(world);
    const post = b.proxy(
      { method: 'POST', targetUrl: target('/z'), body: '{}', idempotencyKey: 'new' },
      { 'Agent-Key': world.key },
    );
    expect(statusAndError(await post)).toEqual(expected);
    expect(a.upstream.calls).toHaveLength(0);
  });
});

it('a refusal on the second look at the configuration leaves its audit record', async () => {
  const world = await fresh();
  await a.admin(`PUT /agents/${world.agent.id}`, { isActive: false });
  expect((await b.proxy({ intent: 'after the end' }, { 'Agent-Key': world.key })).status).toBe(401);
  await b.app.settled();
  const [record] = await a.audit(`&agentId=${world.agent.id}&outcome=refused`);
  expect(record).toMatchObject({ status: 401, reason: 'Agent key has been revoked', intent: 'after the end' });
});

it.each([
  [
    'new credentials',
    ({ service }: World) =>
      a.admin(`POST /services/${service.id}/credentials`, { credentials: { token: 'new-secret-1' } }),
  ],
  [
    'a rule that denies',
    ({ service }: World) => a.admin(`POST /services/${service.id}/risk-rules`, { name: 'no', effect: 'deny' }),
  ],
])('%s apply to the next request, and cost one look at the configuration', async (_name, change) => {
  const world = await fresh();
  await change(world);
  const loaded = loads();
  const answer = await b.proxy({}, { 'Agent-Key': world.key });
  if (answer.status === 200) expect(a.upstream.calls.at(-1)?.headers.authorization).toBe('Bearer new-secret-1');
  else expect(statusAndError(answer)).toEqual([403, 'Denied by risk rule "no"']);
  expect(loaded).toHaveBeenCalledTimes(1);
});

it('a longer base URL in the scope takes over its targets from the next request on', async () => {
  const world = await fresh();
  const longer = await a.createService({
    name: 'Longer',
    baseUrl: `${a.upstream.url}/nowhere`,
    credentials: { token: 'longer-secret' },
  });
  await a.admin(`PUT /agents/${world.agent.id}/services`, { serviceIds: [world.service.id, longer.id] });
  await b.proxy({}, { 'Agent-Key': world.key });
  await a.admin(`PUT /services/${longer.id}`, { baseUrl: `${a.upstream.url}/v1/customers` });
  await b.proxy({}, { 'Agent-Key': world.key });
  expect(a.upstream.calls.at(-1)?.headers.authorization).toBe('Bearer longer-secret');
});

describe('parallel changes', () => {
  /**
   * Changes everything in `account` as fast as possible while `work` runs.
   * @returns how many changes it made
   */
  async function whileChanging(token: string, work: () => Promise<void>): Promise<number> {
    const admin = async <T>(route: string, body?: object): Promise<T> =>
      (await call<T>(a.app, route, { token, body })).body;
    const service = await admin<Service>('POST /services', {
      name: 'Busy',
      baseUrl: 'https://busy.example.com',
      authType: 'bearer',
      credentials: { token: 'x' },
    });
    const { agent } = await admin<CreateAgentResponse>('POST /agents', { name: 'busy', serviceIds: [service.id] });
    let isOver = false;
    let made = 0;
    const loop = async (change: (n: number) => Promise<unknown>) => {
      while (!isOver) await change(++made);
    };
    const loops = [
      loop((n) => admin(`PUT /services/${service.id}`, { name: `Busy ${n}` })),
      loop(() => admin(`POST /services/${service.id}/credentials`, { credentials: { token: 'y' } })),
      loop((n) => admin(`PUT /agents/${agent.id}`, { name: `busy ${n}` })),
      loop(() => admin(`PUT /agents/${agent.id}/services`, { serviceIds: [service.id] })),
      loop((n) => admin(`PUT /services/${service.id}`, { baseUrl: `https://busy.example.com/${n}` })),
    ];
    await work().finally(() => (isOver = true));
    await Promise.all(loops);
    return made;
  }

  async function createAccount(name: string): Promise<string> {
    await register(a.app, `${name}@example.com`);
    return (await login(a.app, `${name}@example.com`)).accessToken;
  }

  const send = (body: object, key: string) => b.proxy(body, { 'Agent-Key': key });

  it.each([
    ['the same account', () => Promise.resolve(a.token)],
    ['another account', () => createAccount('eve')],
  ])('in %s cause no refusal, and no second look at the configuration', async (_where, account) => {
    const { key } = await fresh();
    const token = await account();
    const loaded = loads();
    let ownLoads = 0;
    const changes = await whileChanging(token, async () => {
      for (let round = 0; round < 10; round++) {
        const answers = await Promise.all([
          ...Array.from({ length: 10 }, () => send({}, key)),
          ...Array.from({ length: 10 }, (_, n) =>
            send({ method: 'POST', body: '{}', idempotencyKey: `${token.slice(-8)}-${round}-${n}` }, key),
          ),
        ]);
        expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
      }
      ownLoads = loaded.mock.calls.length;
    });
    expect(changes).toBeGreaterThan(10);
    expect(ownLoads).toBe(0);
  });
});

it('a request is assessed again when its own service changes during the assessment', async () => {
  const { service, key } = await fresh();
  let asked = 0;
  a.model.answer(async () => {
    if (++asked === 1)
      await a.admin(`POST /services/${service.id}/credentials`, { credentials: { token: 'while-judged' } });
    return { score: 0 };
  });
  expect((await b.proxy({ intent: 'slow model' }, { 'Agent-Key': key })).status).toBe(200);
  expect(asked).toBe(2);
  expect(a.upstream.calls.at(-1)?.headers.authorization).toBe('Bearer while-judged');
});

it('a request whose own service changes four times while it runs gets 503, and is not sent', async () => {
  const { service, key } = await fresh();
  a.upstream.calls.length = 0;
  let asked = 0;
  a.model.answer(async () => {
    await a.admin(`PUT /services/${service.id}`, { name: `Changed ${++asked}` });
    return { score: 0 };
  });
  const answer = await b.proxy({ intent: 'never settles' }, { 'Agent-Key': key });
  expect(statusAndError(answer)).toEqual([503, 'The configuration is changing; try again']);
  expect([asked, a.upstream.calls.length]).toEqual([4, 0]);
});

describe('a request whose agent is revoked while its key waits in the database', () => {
  const sql = (text: string, values: unknown[]) => a.app.database.query<unknown[]>(text, values);
  const CLAIM = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%given AS MATERIALIZED%'
    AND pid <> pg_backend_pid() AND clock_timestamp() - query_start > $1::interval`;

  it.each([
    [
      'for its old record, which is being deleted',
      `DELETE FROM idempotency_records WHERE agent_id = $1 AND key = 'waits'`,
      'COMMIT',
    ],
    [
      'for another request that fails',
      `INSERT INTO idempotency_records (agent_id, key, request_hash, method, status, claim_id, created_at, expires_at)
       VALUES ($1, 'waits', 'x', 'POST', 'processing', gen_random_uuid(), now(), now())`,
      'ROLLBACK',
    ],
  ])('%s, is refused', async (_what, before, after) => {
    // The verdict is cached, so that the gateway writes the record together with the key.
    const c = await a.secondInstance({ RISK_CACHE_SECONDS: '600' });
    const blocker = a.app.database.createQueryRunner();
    try {
      const { agent, key } = await fresh();
      const post = (idempotencyKey: string) =>
        c.proxy({ method: 'POST', targetUrl: target('/waits'), body: '{}', idempotencyKey }, { 'Agent-Key': key });
      expect((await post('first')).status).toBe(200);
      if (after === 'COMMIT') {
        expect((await post('waits')).status).toBe(200);
        await sql(`UPDATE idempotency_records SET expires_at = now() WHERE agent_id = $1 AND key = 'waits'`, [
          agent.id,
        ]);
      }
      a.upstream.calls.length = 0;
      await blocker.query('BEGIN');
      await blocker.query(before, [agent.id]);
      const answer = post('waits');
      await eventually(async () => (await sql(CLAIM, ['200 ms'])).length > 0);
      await a.admin(`PUT /agents/${agent.id}`, { isActive: false });
      await blocker.query(after);
      expect(statusAndError(await answer)).toEqual([401, 'Agent key has been revoked']);
      expect(a.upstream.calls).toHaveLength(0);
    } finally {
      await blocker.release();
      await c.app.close();
    }
  });
});

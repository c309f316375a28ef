import type { AgentUsage, AuditStats, ServiceUsage } from '#contracts';
import { login, register } from './support/accounts.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { purgeAll } from './support/retention.js';

let gateway: Gateway;
let stranger: string;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true', AUDIT_RETENTION_DAYS: '30' });
  await register(gateway.app, 'eve@example.com');
  stranger = (await login(gateway.app, 'eve@example.com')).accessToken;
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.upstream.answer((_call, response) => response.end('{"ok":true}'));
  gateway.model.answer({ score: 0, explanation: 'harmless' });
});

let serial = 0;
const target = (path: string): string => `${gateway.upstream.url}/v1${path}`;

describe('figures', () => {
  it('GET /audit/stats counts the requests of the filter', async () => {
    const { agent, apiKey } = await gateway.createAgent('counted-bot', [gateway.service.id]);
    const send = async (method: string, score: number, path: string) => {
      gateway.model.answer({ score });
      return gateway.proxy({ method, targetUrl: target(path) }, { 'Agent-Key': apiKey });
    };
    const createHeld = async (path: string) => (await send('DELETE', 1, path)).json<{ action_id: string }>().action_id;
    await send('GET', 0, '/counted/1');
    await send('GET', 0.4, '/counted/2');
    await gateway.proxy({ targetUrl: `${gateway.upstream.url}/nowhere` }, { 'Agent-Key': apiKey });
    const [approved, denied] = [await createHeld('/counted/3'), await createHeld('/counted/4')];
    await createHeld('/counted/5');
    await gateway.approve(approved);
    await gateway.deny(denied);
    await gateway.execute(approved, { 'Agent-Key': apiKey });
    // An audit record, but not a request.
    expect((await gateway.execute(denied, { 'Agent-Key': apiKey })).status).toBe(409);
    await gateway.app.settled();

    const stats = await gateway.admin<AuditStats>(`GET /audit/stats?agentId=${agent.id}`);
    const outcomes = { forwarded: 2, executed: 1, held: 3, refused: 1 };
    expect(stats).toEqual({
      requests: 6,
      held: 3,
      approved: 1,
      denied: 1,
      medianDecisionSeconds: expect.any(Number),
      bucket: 'day',
      overTime: expect.any(Array),
      decisionTimes: [
        { at: expect.any(String), decided: 2, p50Seconds: expect.any(Number), p95Seconds: expect.any(Number) },
      ],
      agents: [{ agent: { id: agent.id, name: 'counted-bot' }, ...outcomes }],
      risk: [
        { from: 0, requests: 1 },
        { from: 0.3, requests: 1 },
        { from: 0.9, requests: 3 },
      ],
      riskThreshold: 0.5,
      countedBackTo: null,
    });
    // The test may run over midnight.
    expect(sum(stats.overTime)).toEqual(outcomes);
    const hourly = await gateway.admin<AuditStats>(`GET /audit/stats?agentId=${agent.id}&bucket=hour`);
    expect(hourly.bucket).toBe('hour');
    expect(hourly.overTime.every(({ at }) => /T\d\d:00:00\.000Z$/.test(at))).toBe(true);
    expect(sum(hourly.overTime)).toEqual(outcomes);
    const past = await gateway.admin<AuditStats>(`GET /audit/stats?from=2020-01-01&to=2020-01-02`);
    expect(past).toMatchObject({ requests: 0, bucket: 'hour', overTime: [], medianDecisionSeconds: null });
  });

  it('of requests and of decisions are equal: edited and withdrawn actions are not denied, undone approvals are none', async () => {
    const service = await gateway.createService({ name: 'Agreeing' });
    const { agent, apiKey } = await gateway.admin<{ agent: { id: number }; apiKey: string }>('POST /agents', {
      name: 'agreeing-bot',
      serviceIds: [service.id],
    });
    gateway.model.answer({ score: 1 });
    const hold = async (path: string) => {
      const request = { method: 'DELETE' as const, targetUrl: `${gateway.upstream.url}/v1${path}` };
      return (await gateway.proxy(request, { 'Agent-Key': apiKey })).json<{ action_id: string }>().action_id;
    };
    const [approved, denied, withdrawn, edited, undone] = [
      await hold('/agree/1'),
      await hold('/agree/2'),
      await hold('/agree/3'),
      await hold('/agree/4'),
      await hold('/agree/5'),
    ];
    await gateway.approve(approved);
    await gateway.deny(denied);
    await gateway.approve(withdrawn);
    await gateway.admin(`PATCH /approvals/${withdrawn}/withdraw`, { note: 'not today' });
    await gateway.admin(`POST /approvals/${edited}/revise`, { targetUrl: `${gateway.upstream.url}/v1/agree/6` });
    await gateway.approve(undone);
    await gateway.admin(`PATCH /approvals/${undone}/undo`);
    await gateway.app.settled();

    // Three approvals: of one that stands, of one that was withdrawn, and of the edited request.
    const counts = { approved: 3, denied: 1 };
    for (const filter of ['', '&kind=request', '&decision=any']) {
      const stats = await gateway.admin<AuditStats>(`GET /audit/stats?agentId=${agent.id}${filter}`);
      expect([filter, stats]).toEqual([filter, expect.objectContaining(counts)]);
    }
    const usage = await gateway.admin<AgentUsage[]>(`GET /audit/usage/agents?agentIds=${agent.id}`);
    expect(usage.find(({ agentId }) => agentId === agent.id)!.denied7d).toBe(1);
    const states = await Promise.all(
      [approved, denied, withdrawn, edited, undone].map(async (id) => {
        const [held] = await gateway.audit(`&kind=request&actionId=${id}`);
        return [held.decision!.state, held.decision!.note];
      }),
    );
    expect(states).toEqual([
      ['approved', null],
      ['denied', null],
      ['withdrawn', 'not today'],
      ['revised', null],
      ['waiting', null],
    ]);
  });

  it('GET /audit/usage/services and /agents report the usage of each', async () => {
    const service = await gateway.createService({ name: 'Used', baseUrl: `${gateway.upstream.url}/used` });
    const { agent, apiKey } = await gateway.createAgent('using-bot', [service.id]);
    await gateway.admin(`POST /services/${service.id}/risk-rules`, { name: 'r', effect: 'guidance', instruction: 'x' });
    await gateway.admin(`POST /services/${service.id}/documentation`, { type: 'text', title: 't', content: 'c' });
    const send = (method = 'GET') =>
      gateway.proxy({ method, targetUrl: `${service.baseUrl}/x/${++serial}` }, { 'Agent-Key': apiKey });
    await send();
    gateway.upstream.answer((_call, response) => response.writeHead(401).end());
    await send();
    gateway.model.answer({ score: 1 });
    const { action_id } = (await send('DELETE')).json<{ action_id: string }>();
    await gateway.deny(action_id);
    await gateway.app.settled();

    const services = await gateway.admin<ServiceUsage[]>('GET /audit/usage/services');
    const used = services.find(({ serviceId }) => serviceId === service.id)!;
    expect(used).toEqual({
      serviceId: service.id,
      agents: 1,
      documents: 1,
      rules: 1,
      requests24h: 3,
      hourly: expect.any(Array),
      unauthorized24h: 1,
      rejections: null,
    });
    expect(used.hourly).toHaveLength(24);
    expect(used.hourly.at(-1)).toBe(3);
    const agents = await gateway.admin<AgentUsage[]>(
      `GET /audit/usage/agents?agentIds=${agent.id},${gateway.agent.id},2147483647,9999999999`,
    );
    expect(agents.map(({ agentId }) => agentId)).toEqual([gateway.agent.id, agent.id]);
    expect(agents[1]).toEqual<AgentUsage>({ agentId: agent.id, requests7d: 3, held7d: 1, denied7d: 1 });
    for (const path of ['services', `agents?agentIds=${agent.id}`]) {
      expect((await gateway.tryAdmin(`GET /audit/usage/${path}`, undefined, stranger)).body).toEqual([]);
    }
    for (const ids of ['', '?agentIds=', '?agentIds=1,', '?agentIds=1,x', `?agentIds=1${',1'.repeat(100)}`]) {
      const refused = await gateway.tryAdmin(`GET /audit/usage/agents${ids}`);
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ error: 'agentIds: must be 1 to 100 ids, separated by commas' });
    }
  });

  function sum(buckets: AuditStats['overTime']) {
    const total = { forwarded: 0, executed: 0, held: 0, refused: 0 };
    for (const bucket of buckets) {
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += bucket[key];
    }
    return total;
  }
});

/** Runs last because it moves the clock. */
describe('retention', () => {
  it('deletes records and closed actions after their retention, and keeps open and younger ones', async () => {
    const pending = (await gateway.hold({ targetUrl: target('/kept/1') })).action_id;
    const denied = (await gateway.hold({ targetUrl: target('/kept/2') })).action_id;
    await gateway.deny(denied);
    await purgeAll(gateway.app.app);
    expect((await gateway.audit(`&actionId=${denied}`)).length).toBe(2);

    // A clock that is wrong deletes nothing.
    gateway.app.clock.advance({ hours: 24 * 365 });
    expect(await purgeAll(gateway.app.app)).toBe(0);
    gateway.app.clock.advance({ hours: -24 * 365 });
    // The month of a record must be over, and 30 days.
    await gateway.app.advance({ hours: 24 * (30 + 31) + 1 });
    await gateway.logInAgain();
    await gateway.proxy({ targetUrl: target('/young') });
    expect(await purgeAll(gateway.app.app)).toBeGreaterThan(10);
    const left = await gateway.audit();
    expect(left.map(({ kind }) => kind).sort()).toEqual(['access', 'request']);
    const rows = await gateway.app.database.query<{ id: string }[]>('SELECT id FROM actions');
    expect(rows.map(({ id }) => id)).toContain(pending);
    expect(rows.map(({ id }) => id)).not.toContain(denied);
    expect(await purgeAll(gateway.app.app)).toBe(0);
  });
});

import type {
  Action,
  DryRunResponse,
  HeldResponse,
  RiskAssessment,
  RiskRule,
  RuleLimit,
  RuleLimitUse,
} from '#contracts';
import { LimitHousekeeping } from '../src/risk/limits/limits.schedule.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { limitsOf, statuses } from './support/limits.js';

let gateway: Gateway;
let other: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  other = await gateway.secondInstance();
});
afterAll(async () => {
  await other.app.close();
  await gateway.close();
});
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.upstream.answer((_call, response) => response.end('{}'));
  gateway.model.answer({ score: 0 });
});

const { rules, target, newKey, addRule, limited, get, post, used, endWindow } = limitsOf(() => gateway);

/** By the clock that decides about windows. */
async function secondsOfDayLeft(): Promise<number> {
  const [{ seconds }] = await gateway.app.database.query(
    `SELECT ceil(extract(epoch FROM date_bin('24 hours', clock_timestamp(), 'epoch') + interval '24 hours'
      - clock_timestamp()))::int AS seconds`,
  );
  return seconds as number;
}

describe('a limit', () => {
  it('lets as many requests pass as it says, and then answers 429 until its window ends', async () => {
    const { path, rule } = await limited();
    expect(statuses([await get(path), await get(path)])).toEqual([200, 200]);

    const before = await secondsOfDayLeft();
    const refused = await get(path);
    const after = await secondsOfDayLeft();
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get('Retry-After'));
    expect(seconds).toBeLessThanOrEqual(before);
    expect(seconds).toBeGreaterThanOrEqual(after);
    expect(refused.json()).toEqual({
      error: `Limit reached: ${rule.name}`,
      statusCode: 429,
      next:
        `Nothing was sent. This limit allows at most 2 per day, and its window ends in ${seconds} seconds: send the request ` +
        'again then, with the same idempotency key, or tell your user. Do not try another way.',
    });
    expect(refused.headers.get('X-Error-Code')).toBe('limit_reached');
    expect(refused.headers.get('X-Proxy-Status')).toBeNull();
    expect(gateway.upstream.calls).toHaveLength(2);

    await endWindow(rule);
    expect((await get(path)).status).toBe(200);
  });

  it('is recorded when it refuses', async () => {
    const { path, rule } = await limited({ count: 1 });
    await get(path);
    await get(path);
    const [refused, sent] = await gateway.audit();
    expect(sent).toMatchObject({ outcome: 'forwarded', url: target(path) });
    expect(refused).toMatchObject({
      outcome: 'refused',
      status: 429,
      reason: `Limit reached: ${rule.name}`,
      url: target(path),
    });
  });

  it('counts each agent by itself', async () => {
    const { path, rule } = await limited({ count: 1 });
    const second = await gateway.createAgent('second-bot', [gateway.service.id]);
    const asSecond = () => get(path, { 'Agent-Key': second.apiKey });
    expect(statuses([await get(path), await asSecond(), await get(path), await asSecond()])).toEqual([
      200, 200, 429, 429,
    ]);
    expect(await gateway.admin<RuleLimitUse[]>(`GET ${rules()}/limits`)).toContainEqual({
      ruleId: rule.id,
      resetsAt: expect.stringMatching(/T00:00:00.000Z$/),
      agents: [
        { id: gateway.agent.id, name: 'support-bot', used: 1 },
        { id: second.agent.id, name: 'second-bot', used: 1 },
      ],
    });
  });

  it('applies only to the agents, methods and paths of its rule', async () => {
    const second = await gateway.createAgent('third-bot', [gateway.service.id]);
    const { path } = await limited({ count: 1 }, { agentIds: [second.agent.id], methods: ['POST'] });
    expect(statuses([await post(path), await post(path), await get(path)])).toEqual([200, 200, 200]);
    const asSecond = () => post(path, newKey(), { 'Agent-Key': second.apiKey });
    expect(statuses([await asSecond(), await asSecond()])).toEqual([200, 429]);
  });

  it('uses the readings of a path by which a rule that asks matches', async () => {
    const { path } = await limited({ count: 1 });
    expect((await get(path)).status).toBe(200);
    expect((await get(`/LIMITED/x/..${path.slice('/limited'.length)}/`)).status).not.toBe(200);
    expect((await get(path.replace('limited', '%6Cimited'))).status).toBe(429);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('counts a request against each limit that matches, and counts nothing if one is used up', async () => {
    const { path, rule: narrow } = await limited({ count: 1 });
    const wide = await addRule(path, 'limit', { limit: { count: 5, per: 'hour', then: 'deny' } });
    expect(statuses([await get(path), await get(path), await get(path)])).toEqual([200, 429, 429]);
    expect([await used(narrow), await used(wide)]).toEqual([1, 1]);
  });

  it('keeps its count when its rule is changed, also with other windows', async () => {
    const { path, rule } = await limited({ count: 1, per: 'hour' });
    await get(path);
    const change = (limit: RuleLimit) => gateway.admin<RiskRule>(`PUT ${rules()}/${rule.id}`, { limit });
    await change({ count: 2, per: 'day', then: 'deny' });
    expect(statuses([await get(path), await get(path)])).toEqual([200, 429]);
    await change({ count: 3, per: 'day', then: 'deny' });
    expect(statuses([await get(path), await get(path)])).toEqual([200, 429]);
  });

  it('uses the database for its windows, so that the clock of an instance makes no difference', async () => {
    const { path } = await limited({ count: 2, per: 'hour' });
    const onOther = () => other.proxy({ targetUrl: target(path) });
    expect(statuses([await get(path), await onOther()])).toEqual([200, 200]);
    other.app.clock.advance({ hours: 2 });
    const refused = await onOther();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(3600);
    other.app.clock.advance({ hours: -2 });
  });

  it('is deleted with its counters, and its counters after the day that follows', async () => {
    const { path, rule } = await limited();
    await get(path);
    await gateway.admin(`DELETE ${rules()}/${rule.id}`);
    expect(await gateway.app.database.query('SELECT FROM limit_counters WHERE rule_id = $1', [rule.id])).toEqual([]);
    expect(statuses([await get(path), await get(path), await get(path)])).toEqual([200, 200, 200]);

    const { path: old, rule: kept } = await limited();
    await get(old);
    const housekeeping = gateway.app.app.get(LimitHousekeeping, { strict: false });
    await endWindow(kept);
    await housekeeping.purge();
    expect(await used(kept)).toBe(1);
    await endWindow(kept);
    await housekeeping.purge();
    expect(await used(kept)).toBe(0);
  });
});

describe('what counts', () => {
  it('a replay does not, and a request that is refused gives its key back', async () => {
    const { path, rule } = await limited({ count: 1 });
    const key = newKey();
    expect(statuses([await post(path, key), await post(path, key)])).toEqual([200, 200]);
    expect([await used(rule), gateway.upstream.calls.length]).toEqual([1, 1]);

    const next = newKey();
    expect(statuses([await post(path, next), await post(path, next)])).toEqual([429, 429]);
    await endWindow(rule);
    expect((await post(path, next)).status).toBe(200);
  });

  it('a dry run does not, and says what is left', async () => {
    const { path, rule } = await limited({ count: 1 });
    const dryRun = async () => (await get(path, { Prefer: 'handling=dry-run' })).json<DryRunResponse>();
    const use = { rule: rule.name, ruleId: rule.id, count: 1, resetsAt: expect.stringMatching(/T00:00:00.000Z$/) };
    expect(await dryRun()).toMatchObject({ decision: 'forward', limits: [{ ...use, used: 0 }] });
    expect(await dryRun()).toMatchObject({ decision: 'forward', limits: [{ ...use, used: 0 }] });
    await get(path);
    expect(await dryRun()).toMatchObject({
      decision: 'deny',
      rule: rule.name,
      risk_explanation: `Limit reached: ${rule.name}`,
      limits: [{ ...use, used: 1 }],
    });
    expect(await used(rule)).toBe(1);
  });

  it('an assessment in the dashboard does not', async () => {
    const { path, rule } = await limited({ count: 1, then: 'require_approval' });
    const assess = () =>
      gateway.admin<RiskAssessment>('POST /risk/assess', {
        serviceId: gateway.service.id,
        agentId: gateway.agent.id,
        method: 'GET',
        targetUrl: target(path),
        intent: 'look',
      });
    expect(await assess()).toMatchObject({ decision: 'forward', limits: [{ rule: rule.name, used: 0, count: 1 }] });
    await get(path);
    expect(await assess()).toMatchObject({
      decision: 'hold',
      explanation: `Limit reached: ${rule.name} (at most 1 per day), so a human must approve this request`,
      matchedRules: [{ id: rule.id, effect: 'limit' }],
      limits: [{ rule: rule.name, used: 1, count: 1 }],
    });
    expect(await used(rule)).toBe(1);
  });

  it('a request that the upstream never answered does', async () => {
    const { path, rule } = await limited({ count: 1 });
    gateway.upstream.answer((_call, response) => response.destroy());
    expect((await get(path)).status).toBe(502);
    gateway.upstream.answer((_call, response) => response.end('{}'));
    expect((await get(path)).status).toBe(429);
    expect(await used(rule)).toBe(1);
  });

  it('a held request counts when it is executed', async () => {
    const { path, rule } = await limited({ count: 1 });
    await addRule(path, 'require_approval');
    const first = (await get(path)).json<HeldResponse>();
    const second = (await gateway.proxy({ targetUrl: target(path), method: 'DELETE' })).json<HeldResponse>();
    expect(await used(rule)).toBe(0);
    await gateway.approve(first.action_id);
    await gateway.approve(second.action_id);
    expect((await gateway.execute(first.action_id)).status).toBe(200);
    expect(await used(rule)).toBe(1);

    const refused = await gateway.execute(second.action_id);
    expect([refused.status, refused.json()]).toEqual([
      429,
      expect.objectContaining({
        error: `Limit reached: ${rule.name}`,
        next: expect.stringContaining('The action stays approved.'),
      }),
    ]);
    const action = await gateway.admin<Action>(`GET /approvals/${second.action_id}`);
    expect(action.status).toBe('APPROVED');
    expect(gateway.upstream.calls).toHaveLength(1);
    await endWindow(rule);
    expect((await gateway.execute(second.action_id)).status).toBe(200);
  });

  it('an approved request counts against a limit that asks, and may exceed it', async () => {
    const { path, rule } = await limited({ count: 1, then: 'require_approval' });
    expect((await get(path)).status).toBe(200);
    const held = await get(path);
    expect(held.status).toBe(428);
    expect(held.json<HeldResponse>().risk_explanation).toBe(
      `Limit reached: ${rule.name} (at most 1 per day), so a human must approve this request`,
    );
    const id = held.json<HeldResponse>().action_id;
    await gateway.approve(id);
    const executed = await gateway.execute(id);
    expect(executed.status).toBe(200);
    expect(executed.headers.get('RateLimit')).toMatch(/;r=0;t=\d+$/);
    expect(await used(rule)).toBe(2);
  });

  it('a key of a request that a limit holds is bound to its action', async () => {
    const { path } = await limited({ count: 1, then: 'require_approval' });
    await post(path);
    const key = newKey();
    const held = (await post(path, key)).json<HeldResponse>();
    expect((await post(path, key)).json<HeldResponse>().action_id).toBe(held.action_id);
    await gateway.approve(held.action_id);
    expect((await gateway.execute(held.action_id)).status).toBe(200);
    expect((await post(path, key)).headers.get('X-Proxy-Status')).toBe('executed-approved');
    expect(gateway.upstream.calls).toHaveLength(2);
  });
});

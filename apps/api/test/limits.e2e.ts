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
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';

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

let serial = 0;
const target = (path: string): string => `${gateway.upstream.url}/v1${path}`;
const newPath = (): string => `/limited/${++serial}`;

/** A limit on a path of its own. Days, so that no window ends during a test by chance. */
async function limited(limit: Partial<RuleLimit> = {}, fields: object = {}) {
  const path = newPath();
  const rule = await gateway.admin<RiskRule>(`POST /services/${gateway.service.id}/risk-rules`, {
    name: `Limit of ${path}`,
    effect: 'limit',
    pathPattern: path,
    limit: { count: 2, per: 'day', then: 'deny', ...limit },
    ...fields,
  });
  return { path, rule };
}

const addRule = (path: string, effect: string, fields: object = {}): Promise<RiskRule> =>
  gateway.admin<RiskRule>(`POST /services/${gateway.service.id}/risk-rules`, {
    name: `${effect} ${path}`,
    effect,
    pathPattern: path,
    ...fields,
  });

const get = (path: string, headers = {}): Promise<ProxyAnswer> => gateway.proxy({ targetUrl: target(path) }, headers);
const post = (path: string, key = `limits-${++serial}`): Promise<ProxyAnswer> =>
  gateway.proxy({ targetUrl: target(path), method: 'POST', body: '{}', idempotencyKey: key });
const statuses = (answers: ProxyAnswer[]): number[] => answers.map(({ status }) => status);

/** What the counter of a rule says. */
async function used({ id }: RiskRule): Promise<number> {
  const [{ amount }] = await gateway.app.database.query(
    'SELECT coalesce(sum(amount), 0)::float8 AS amount FROM limit_counters WHERE rule_id = $1',
    [id],
  );
  return amount as number;
}

/** As if the window had ended. */
const endWindow = ({ id }: RiskRule, ago = '24 hours') =>
  gateway.app.database.query(
    'UPDATE limit_counters SET window_start = window_start - $2::interval WHERE rule_id = $1',
    [id, ago],
  );

const secondsOfDayLeft = (): number => 86_400 - (Math.floor(Date.now() / 1000) % 86_400);

describe('a limit', () => {
  it('lets as many requests pass as it says, and then answers 429 until its window ends', async () => {
    const { path, rule } = await limited();
    expect(statuses([await get(path), await get(path)])).toEqual([200, 200]);

    const refused = await get(path);
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get('Retry-After'));
    expect(Math.abs(seconds - secondsOfDayLeft())).toBeLessThan(60);
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
    expect(await gateway.admin<RuleLimitUse[]>(`GET /services/${gateway.service.id}/risk-rules/limits`)).toContainEqual(
      {
        ruleId: rule.id,
        resetsAt: expect.stringMatching(/T00:00:00.000Z$/),
        agents: [
          { id: gateway.agent.id, name: 'support-bot', used: 1 },
          { id: second.agent.id, name: 'second-bot', used: 1 },
        ],
      },
    );
  });

  it('applies only to the agents, methods and paths of its rule', async () => {
    const second = await gateway.createAgent('third-bot', [gateway.service.id]);
    const { path } = await limited({ count: 1 }, { agentIds: [second.agent.id], methods: ['POST'] });
    expect(statuses([await post(path), await post(path), await get(path)])).toEqual([200, 200, 200]);
    const asSecond = () =>
      gateway.proxy(
        { targetUrl: target(path), method: 'POST', body: '{}', idempotencyKey: `limits-${++serial}` },
        { 'Agent-Key': second.apiKey },
      );
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
    const change = (limit: RuleLimit) =>
      gateway.admin<RiskRule>(`PUT /services/${gateway.service.id}/risk-rules/${rule.id}`, { limit });
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
    await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${rule.id}`);
    expect(await gateway.app.database.query('SELECT FROM limit_counters WHERE rule_id = $1', [rule.id])).toEqual([]);
    expect(statuses([await get(path), await get(path), await get(path)])).toEqual([200, 200, 200]);

    const { path: old, rule: kept } = await limited();
    await get(old);
    const housekeeping = gateway.app.app.get(LimitHousekeeping, { strict: false });
    await endWindow(kept, '24 hours');
    await housekeeping.purge();
    expect(await used(kept)).toBe(1);
    await endWindow(kept, '24 hours');
    await housekeeping.purge();
    expect(await used(kept)).toBe(0);
  });
});

describe('what counts', () => {
  it('a replay does not, and a request that is refused gives its key back', async () => {
    const { path, rule } = await limited({ count: 1 });
    const key = `limits-${++serial}`;
    expect(statuses([await post(path, key), await post(path, key)])).toEqual([200, 200]);
    expect([await used(rule), gateway.upstream.calls.length]).toEqual([1, 1]);

    const next = `limits-${++serial}`;
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
    const key = `limits-${++serial}`;
    const held = (await post(path, key)).json<HeldResponse>();
    expect((await post(path, key)).json<HeldResponse>().action_id).toBe(held.action_id);
    await gateway.approve(held.action_id);
    expect((await gateway.execute(held.action_id)).status).toBe(200);
    expect((await post(path, key)).headers.get('X-Proxy-Status')).toBe('executed-approved');
    expect(gateway.upstream.calls).toHaveLength(2);
  });
});

describe('the order of force', () => {
  it.each([
    ['allow', 429],
    ['require_approval', 429],
    ['deny', 403],
  ])('of a limit that is used up and %s gives %i', async (effect, status) => {
    const { path } = await limited({ count: 1 });
    await get(path);
    await addRule(path, effect);
    expect((await get(path)).status).toBe(status);
    expect((await post(path)).status).toBe(status);
  });

  it.each([
    ['allow', 200],
    ['require_approval', 428],
    ['deny', 403],
  ])('of a limit that is not used up and %s gives %i', async (effect, status) => {
    const { path } = await limited({ count: 5 });
    await addRule(path, effect);
    expect((await get(path)).status).toBe(status);
  });

  it('asks the model about nothing while a limit is used up', async () => {
    const { path } = await limited({ count: 1 });
    await get(path);
    const before = gateway.model.calls.length;
    expect((await get(path)).status).toBe(429);
    expect(gateway.model.calls).toHaveLength(before);
  });

  it('refuses by the limit that refuses, where another one asks', async () => {
    const { path, rule } = await limited({ count: 1 });
    await addRule(path, 'limit', { limit: { count: 1, per: 'day', then: 'require_approval' } });
    await get(path);
    expect((await get(path)).json()).toMatchObject({ error: `Limit reached: ${rule.name}` });
  });

  it('lets a person change a held request while a limit is used up', async () => {
    const { path } = await limited({ count: 1 });
    const { action_id: id } = await gateway.hold({ targetUrl: target(path) });
    gateway.model.answer({ score: 0 });
    await get(path);
    const revised = await gateway.admin<Action>(`POST /approvals/${id}/revise`, {
      targetUrl: `${target(path)}?page=2`,
    });
    expect(revised.status).toBe('APPROVED');
    expect((await gateway.execute(revised.action_id)).status).toBe(429);
  });
});

describe('the headers', () => {
  it('say what is left of the tightest limit, in place of those of the upstream', async () => {
    const { path } = await limited({ count: 3 });
    await addRule(path, 'limit', { name: 'Per minute "x"', limit: { count: 2, per: 'minute', then: 'deny' } });
    gateway.upstream.answer((_call, response) => {
      response.setHeader('RateLimit', '"upstream";r=9;t=9');
      response.setHeader('RateLimit-Policy', '"upstream";q=9;w=9');
      response.setHeader('X-RateLimit-Remaining', '9');
      response.end('{}');
    });
    const answer = await get(path);
    expect(answer.headers.get('RateLimit')).toMatch(/^"Per minute \\"x\\"";r=1;t=([1-9]|[1-5]\d|60)$/);
    expect(answer.headers.get('RateLimit-Policy')).toBe('"Per minute \\"x\\"";q=2;w=60');
    expect(answer.headers.get('X-RateLimit-Remaining')).toBe('9');

    const free = await get(newPath());
    expect(free.headers.get('RateLimit')).toBe('"upstream";r=9;t=9');
    expect(free.headers.get('RateLimit-Policy')).toBe('"upstream";q=9;w=9');
  });

  it('are on a 429 too, and on no replay', async () => {
    const { path, rule } = await limited({ count: 1 });
    const key = `limits-${++serial}`;
    const sent = await post(path, key);
    expect(sent.headers.get('RateLimit')).toMatch(new RegExp(`^"${rule.name}";r=0;t=\\d+$`));
    const replayed = await post(path, key);
    expect([replayed.status, replayed.headers.get('RateLimit')]).toEqual([200, null]);
    const refused = await post(path);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('RateLimit')).toBe(`"${rule.name}";r=0;t=${refused.headers.get('Retry-After')}`);
    expect(refused.headers.get('RateLimit-Policy')).toBe(`"${rule.name}";q=1;w=86400`);
  });

  it('are on a stream too, and through a base URL', async () => {
    const { path, rule } = await limited({ count: 9 });
    gateway.upstream.answer((_call, response) => {
      response.setHeader('RateLimit', '"upstream";r=9;t=9');
      response.setHeader('Content-Type', 'text/event-stream');
      response.end('data: 1\n\n');
    });
    const streamed = await get(path, { Prefer: 'stream' });
    expect([streamed.text, streamed.headers.get('RateLimit-Policy')]).toEqual([
      'data: 1\n\n',
      `"${rule.name}";q=9;w=86400`,
    ]);
    const below = await gateway.agentCall('GET', `/s/Shop${path}`, undefined, {});
    expect([below.status, below.headers.get('RateLimit-Policy')]).toEqual([200, `"${rule.name}";q=9;w=86400`]);
    expect(below.headers.get('RateLimit')).toMatch(/;r=7;t=\d+$/);
  });
});

describe('a rule with a limit', () => {
  const limit = { count: 10, per: 'hour', then: 'deny' };
  const faults = async (fields: object): Promise<unknown> => {
    const { status, body } = await gateway.tryAdmin(`POST /services/${gateway.service.id}/risk-rules`, {
      name: 'Faulty',
      effect: 'limit',
      limit,
      ...fields,
    });
    return [status, (body as { error?: string }).error];
  };

  it('says what is wrong with it', async () => {
    const tooMuch = 'limit.count: must not be greater than 1000000000000';
    expect(await faults({ limit: undefined })).toEqual([400, 'limit: is required for the effect limit']);
    expect(await faults({ limit: null })).toEqual([400, 'limit: is required for the effect limit']);
    expect(await faults({ limit: { ...limit, count: 0 } })).toEqual([400, 'limit.count: must not be less than 1']);
    expect(await faults({ limit: { ...limit, count: -1 } })).toEqual([400, 'limit.count: must not be less than 1']);
    expect(await faults({ limit: { ...limit, count: 1e308 } })).toEqual([400, tooMuch]);
    expect(await faults({ limit: { ...limit, count: 1.5 } })).toEqual([
      400,
      'limit.count: must be a whole number of requests',
    ]);
    expect(await faults({ limit: { ...limit, count: '10' } })).toEqual([400, tooMuch]);
    expect(await faults({ limit: { ...limit, count: [10] } })).toEqual([400, tooMuch]);
    expect(await faults({ limit: { ...limit, per: 'week' } })).toEqual([
      400,
      'limit.per: must be one of the following values: minute, hour, day',
    ]);
    expect(await faults({ limit: { ...limit, then: 'allow' } })).toEqual([
      400,
      'limit.then: must be one of the following values: deny, require_approval',
    ]);
    expect(await faults({ limit: 10 })).toEqual([400, 'limit: must be an object']);
    expect(await faults({ effect: 'deny' })).toEqual([400, 'limit: only a rule with the effect limit has one']);
    expect(await faults({ maxUses: 3 })).toEqual([
      400,
      'maxUses: a rule with the effect limit does not end after a number of decisions',
    ]);
    expect(await faults({ approvals: 2 })).toEqual([
      400,
      'approvals: only a rule with the effect require_approval asks several people',
    ]);
  });

  it('is stored without what it does not have, shown, and changed', async () => {
    const { rule } = await limited({ count: 7, ...{ odd: 'x' } });
    expect(rule.limit).toEqual({ count: 7, per: 'day', then: 'deny' });
    const change = (body: object) =>
      gateway.tryAdmin<RiskRule>(`PUT /services/${gateway.service.id}/risk-rules/${rule.id}`, body);
    expect((await change({ effect: 'deny' })).body).toMatchObject({
      error: 'limit: only a rule with the effect limit has one',
    });
    expect((await change({ limit: null })).body).toMatchObject({ error: 'limit: is required for the effect limit' });
    expect((await change({ limit: { ...limit, count: 0 } })).body).toMatchObject({
      error: 'limit.count: must not be less than 1',
    });
    expect((await change({ effect: 'deny', limit: null })).body).toMatchObject({ effect: 'deny', limit: null });
    expect((await change({ effect: 'limit', limit })).body).toMatchObject({ effect: 'limit', limit });
    const [record] = await gateway.audit();
    expect(record).toMatchObject({ reason: 'risk_rule.updated', details: { rule: { effect: 'limit', limit } } });
  });

  it('is told to agents', async () => {
    const { path, rule } = await limited({ count: 5, per: 'minute' });
    const described = await gateway.agentCall('GET', '/agent', undefined, {});
    expect(described.json<{ services: { rules: string[] }[] }>().services[0].rules).toContain(
      `Every request to ${path}: at most 5 per minute, then refused (rule "${rule.name}")`,
    );
  });
});

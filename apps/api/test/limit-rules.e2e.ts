import type { Action, RiskRule } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';
import { limitsOf } from './support/limits.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.upstream.answer((_call, response) => response.end('{}'));
  gateway.model.answer({ score: 0 });
});

const { rules, target, newPath, newKey, addRule, limited, get, post } = limitsOf(() => gateway);

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
    const key = newKey();
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
    const { status, body } = await gateway.tryAdmin(`POST ${rules()}`, {
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
    const change = (body: object) => gateway.tryAdmin<RiskRule>(`PUT ${rules()}/${rule.id}`, body);
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

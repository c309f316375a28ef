import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type {
  Action,
  Backtest,
  Configuration,
  DryRunResponse,
  HeldResponse,
  RiskAssessment,
  RiskRule,
  RiskRuleVersion,
} from '#contracts';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';
import { limitsOf, statuses } from './support/limits.js';

/** Limits that sum a number of each request. */
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  gateway.model.answer({ score: 0 });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
});

const { rules, target, newKey, addRule, limited, get, used, endWindow } = limitsOf(() => gateway);

const AMOUNT = { count: 500, sum: 'request.body.amount' } as const;
const refund = (path: string, amount: unknown, headers = {}): Promise<ProxyAnswer> =>
  send(path, JSON.stringify({ amount }), headers);
const send = (path: string, body: string, headers = {}): Promise<ProxyAnswer> =>
  gateway.proxy(
    {
      targetUrl: target(path),
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      idempotencyKey: newKey(),
    },
    headers,
  );

describe('a limit of 500 a day', () => {
  it('lets what still fits pass, exactly', async () => {
    const { path, rule } = await limited(AMOUNT);
    const amounts = [200, 299.9, 0.2, 0.1, 0.01, 0];
    expect(statuses(await inTurn(amounts.map((amount) => () => refund(path, amount))))).toEqual([
      200, 200, 429, 200, 429, 200,
    ]);
    expect(await used(rule)).toBe(500);
    await endWindow(rule);
    expect((await refund(path, 500)).status).toBe(200);
  });

  it('counts each agent by itself, and says what is left in whole numbers', async () => {
    const { path, rule } = await limited(AMOUNT);
    const { apiKey } = await gateway.createAgent('refunder', [gateway.service.id]);
    expect((await refund(path, 450, { 'Agent-Key': apiKey })).status).toBe(200);
    const answer = await refund(path, 99.01);
    expect(answer.headers.get('RateLimit')).toMatch(new RegExp(`^"${rule.name}";r=400;t=\\d+$`));
    expect(answer.headers.get('RateLimit-Policy')).toBe(`"${rule.name}";q=500;w=86400`);
  });

  it.each([
    '{}',
    '{"amount":-5}',
    '{"amount":"5"}',
    '{"amount":null}',
    '{"amount":5,"amount":5}',
    '{"amount":1000000000001}',
    '{"amount":1e300}',
    '{"amount":5',
  ])('refuses %s, although nothing is used', async (body) => {
    const { path, rule } = await limited(AMOUNT);
    const refused = await send(path, body);
    expect([refused.status, refused.json()]).toEqual([
      429,
      {
        error: `Limit reached: ${rule.name}`,
        statusCode: 429,
        next:
          'Nothing was sent. This limit allows a total of at most 500 per day, and what this request adds can not be read, so it ' +
          'never passes: tell your user. Do not try another way.',
      },
    ]);
    expect([gateway.upstream.calls.length, await used(rule)]).toEqual([0, 0]);
    expect((await refund(path, 500)).status).toBe(200);
  });

  it('says that a request never passes which is more than the limit alone', async () => {
    const { path } = await limited(AMOUNT);
    expect((await refund(path, 500.01)).json<{ next: string }>().next).toContain(
      'this request alone is more than that',
    );
    expect((await refund(path, 400)).status).toBe(200);
    expect((await refund(path, 400)).json<{ next: string }>().next).toContain('send the request again then');
  });

  it('asks about what it can not read, and nothing is left once a person approved it', async () => {
    const { path, rule } = await limited({ ...AMOUNT, then: 'require_approval' });
    expect((await refund(path, 100)).status).toBe(200);
    const held = (await send(path, '{"whole":true}')).json<HeldResponse>();
    expect(held.risk_explanation).toBe(
      `Limit reached: ${rule.name} (a total of at most 500 per day; what this request adds is not known), so a human must ` +
        'approve this request',
    );
    expect(await used(rule)).toBe(100);
    await gateway.approve(held.action_id);
    expect((await gateway.execute(held.action_id)).status).toBe(200);
    expect(await used(rule)).toBe(500);
    expect((await refund(path, 1)).status).toBe(428);
  });

  it('counts the amount of a held request when it is executed', async () => {
    const { path, rule } = await limited(AMOUNT);
    await addRule(path, 'require_approval');
    const ids = [(await refund(path, 300)).json<HeldResponse>(), (await refund(path, 201)).json<HeldResponse>()].map(
      ({ action_id: id }) => id,
    );
    expect(await used(rule)).toBe(0);
    for (const id of ids) await gateway.approve(id);
    expect(statuses([await gateway.execute(ids[0]), await gateway.execute(ids[1])])).toEqual([200, 429]);
    expect(await used(rule)).toBe(300);
    expect((await gateway.admin<Action>(`GET /approvals/${ids[1]}`)).status).toBe('APPROVED');
    await endWindow(rule);
    expect((await gateway.execute(ids[1])).status).toBe(200);
  });

  it('counts what its condition and its path select only', async () => {
    const { path, rule } = await limited(AMOUNT, { when: 'request.body.currency == "EUR"', methods: ['POST'] });
    expect((await send(path, '{"amount":900,"currency":"USD"}')).status).toBe(200);
    expect((await get(path)).status).toBe(200);
    expect((await send(path, '{"amount":100,"currency":"EUR"}')).status).toBe(200);
    expect(await used(rule)).toBe(100);
  });
});

it('the budget of docs/rules.md lets small refunds pass until it is used up, and then each one is asked about', async () => {
  const { services = [] } = parse(readFileSync('examples/policy/config.yaml', 'utf8')) as Configuration;
  const stripe = services.find(({ name }) => name === 'Stripe')!;
  const stored: RiskRule[] = [];
  for (const rule of stripe.rules ?? []) stored.push(await gateway.admin<RiskRule>(`POST ${rules()}`, rule));
  const budget = stored.find(({ effect }) => effect === 'limit')!;
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const refund = (amount: string) => {
    const body = `charge=${newKey()}${amount}`;
    return gateway.proxy({
      targetUrl: target('/refunds'),
      method: 'POST',
      headers: form,
      body,
      idempotencyKey: newKey(),
    });
  };
  const cents = (amount: number) => refund(`&amount=${amount}`);
  const small = Array.from({ length: 9 }, () => () => cents(5000));
  expect(new Set(statuses(await inTurn(small)))).toEqual(new Set([200]));
  expect(statuses(await inTurn([4900, 101, 100, 0, 1, -100].map((amount) => () => cents(amount))))).toEqual([
    200, 428, 200, 200, 428, 428,
  ]);
  expect(await used(budget)).toBe(50_000);
  const held = (await cents(200)).json<HeldResponse>();
  expect(held.risk_explanation).toContain(`Limit reached: ${budget.name} (a total of at most 50000 per day)`);
  const whole = (await refund('')).json<HeldResponse>();
  expect(whole.risk_explanation).toContain('Ask before larger refunds');
  for (const { action_id: id } of [held, whole]) {
    await gateway.approve(id);
    expect((await gateway.execute(id)).status).toBe(200);
  }
  expect(await used(budget)).toBe(50_200);
});

describe('without a request that is sent', () => {
  it('a dry run and an assessment say what it would add, and count nothing', async () => {
    const { path, rule } = await limited(AMOUNT);
    await refund(path, 100.5);
    const dryRun = (await refund(path, 400, { Prefer: 'handling=dry-run' })).json<DryRunResponse>();
    expect([dryRun.decision, dryRun.limits]).toEqual([
      'deny',
      [{ rule: rule.name, ruleId: rule.id, used: 100.5, count: 500, adds: 400, resetsAt: expect.any(String) }],
    ]);
    const assess = (body: string) =>
      gateway.admin<RiskAssessment>('POST /risk/assess', {
        serviceId: gateway.service.id,
        agentId: gateway.agent.id,
        method: 'POST',
        targetUrl: target(path),
        headers: { 'Content-Type': 'application/json' },
        body,
        intent: 'refund',
      });
    expect(await assess('{"amount":399.5}')).toMatchObject({
      decision: 'forward',
      undecided: [],
      limits: [{ used: 100.5, adds: 399.5 }],
    });
    expect(await assess('{}')).toMatchObject({
      decision: 'deny',
      undecided: [rule.id],
      limits: [{ used: 100.5, adds: null }],
    });
    expect(await used(rule)).toBe(100.5);
  });

  it('a backtest finds the requests that are more than the limit, or that it can not read', async () => {
    const { path, rule: ask } = await limited({ count: 1, then: 'require_approval', sum: '0' });
    await addRule(path, 'require_approval');
    for (const body of ['{"amount":100}', '{"amount":900}', '{}']) expect((await send(path, body)).status).toBe(428);
    await gateway.admin(`DELETE ${rules()}/${ask.id}`);
    const rule = { name: 'Try', effect: 'limit', pathPattern: path, limit: { ...AMOUNT, per: 'day', then: 'deny' } };
    const found = await gateway.admin<Backtest>(`POST ${rules()}/backtest`, { rule });
    expect(found).toMatchObject({ matched: 3, undecided: 1, changed: 2 });
    expect(found.examples.filter(({ wouldBe }) => wouldBe === 'refused')).toHaveLength(2);
  });
});

describe('a rule with a sum', () => {
  const limit = { count: 0.5, per: 'day', then: 'deny', sum: '  request.body.amount / 2\n' } as const;
  const stored = { ...limit, sum: 'request.body.amount / 2' };
  const faults = async (fields: object): Promise<unknown> => {
    const body = { name: 'Faulty', effect: 'limit', limit: { ...limit, ...fields } };
    const answer = await gateway.tryAdmin(`POST ${rules()}`, body);
    return [answer.status, (answer.body as { error?: string }).error];
  };

  it('is checked when it is saved', async () => {
    expect(await faults({ sum: 'request.bod.amount' })).toEqual([
      400,
      'limit.sum: line 1, column 9: there is no field bod',
    ]);
    expect(await faults({ sum: 'request.body.amount > 5' })).toEqual([
      400,
      'limit.sum: line 1, column 1: it must be a number, and is bool',
    ]);
    expect(await faults({ sum: 'request.path' })).toEqual([
      400,
      'limit.sum: line 1, column 1: it must be a number, and is string',
    ]);
    expect(await faults({ sum: 'x'.repeat(1001) })).toEqual([
      400,
      'limit.sum: must be shorter than or equal to 1000 characters',
    ]);
    expect(await faults({ sum: 5 })).toEqual([400, 'limit.sum: must be shorter than or equal to 1000 characters']);
    const tooSmall = [400, 'limit.count: must not be less than 0.000001'];
    for (const count of [0, -1, 1e-7]) expect(await faults({ count })).toEqual(tooSmall);
    for (const count of [1e13, 1e308]) {
      expect(await faults({ count })).toEqual([400, 'limit.count: must not be greater than 1000000000000']);
    }
    // A count of requests is whole. Whoever leaves the sum out meant an amount.
    expect(await faults({ sum: ' ' })).toEqual([400, 'limit.count: must not be less than 1']);
  });

  it('is stored, changed, and restored', async () => {
    const { rule } = await limited(limit);
    expect(rule.limit).toEqual(stored);
    const one = `${rules()}/${rule.id}`;
    const change = (next: object) => gateway.admin<RiskRule>(`PUT ${one}`, { limit: next });
    expect((await change({ count: 3, per: 'hour', then: 'deny' })).limit).toEqual({
      count: 3,
      per: 'hour',
      then: 'deny',
    });
    const wrong = await gateway.tryAdmin(`PUT ${one}`, { limit: { ...limit, sum: 'effects' } });
    expect([wrong.status, wrong.body.error]).toEqual([
      400,
      'limit.sum: line 1, column 1: it must be a number, and is list<string>',
    ]);
    const versions = await gateway.admin<RiskRuleVersion[]>(`GET ${one}/versions`);
    expect(versions.map(({ rule: then }) => then.limit?.sum)).toEqual([undefined, stored.sum]);
    expect((await gateway.admin<RiskRule>(`POST ${one}/versions/1/restore`, {})).limit).toEqual(stored);
    const [record] = await gateway.audit();
    expect(record).toMatchObject({ reason: 'risk_rule.updated', details: { rule: { limit: stored } } });
  });

  it('is told to agents as a total, without the expression', async () => {
    const { path, rule } = await limited(AMOUNT);
    const described = await gateway.agentCall('GET', '/agent', undefined, {});
    expect(described.json<{ services: { rules: string[] }[] }>().services[0].rules).toContain(
      `Every request to ${path}: a total of at most 500 per day, then refused (rule "${rule.name}")`,
    );
  });
});

async function inTurn<T>(steps: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  for (const step of steps) results.push(await step());
  return results;
}

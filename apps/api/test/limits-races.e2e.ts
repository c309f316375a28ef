import type { HeldResponse, RiskRule, RuleLimit } from '#contracts';
import { judgedBy, RequestRecords, type CountedWrite } from '../src/approvals/request-records.js';
import { AgentDirectory } from '../src/agents/agent-directory.js';
import { AuditLog } from '../src/audit/audit-log.js';
import { countByStatus } from './support/count-by-status.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';
import { limitsOf } from './support/limits.js';

/** Two instances on one database, each with its own caches and its own clock. */
let a: Gateway;
let b: Gateway;
beforeAll(async () => {
  a = await startGateway();
  b = await a.secondInstance();
  // Without the model, requests are counted in large batches.
  await addRule('', 'allow', { name: 'Pass' });
});
afterAll(async () => {
  await b.app.close();
  await a.close();
});
beforeEach(() => {
  a.upstream.calls.length = 0;
  a.upstream.answer((_call, response) => response.end('{}'));
});

const { rules, target, newKey, addRule, addLimit, newPath, used } = limitsOf(() => a);
const limited = async (limit: Partial<RuleLimit> = {}) => {
  const path = newPath();
  return { path, rule: await addLimit(path, { count: 10, ...limit }) };
};

const get = (gateway: Gateway, path: string): Promise<ProxyAnswer> => gateway.proxy({ targetUrl: target(path) });
const post = (gateway: Gateway, path: string, key = newKey()): Promise<ProxyAnswer> =>
  gateway.proxy({ targetUrl: target(path), method: 'POST', body: '{}', idempotencyKey: key });

const inParallel = (count: number, send: (gateway: Gateway, index: number) => Promise<ProxyAnswer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index % 2 === 0 ? a : b, index)));

describe('of 50 parallel requests on two instances against a limit of 10', () => {
  it.each([
    ['10 pass', (gateway: Gateway, path: string) => get(gateway, path)],
    ['with keys, 10 pass', (gateway: Gateway, path: string) => post(gateway, path)],
  ])('%s', async (_name, send) => {
    for (let round = 0; round < 5; round++) {
      a.upstream.calls.length = 0;
      const { path, rule } = await limited();
      const answers = await inParallel(50, (gateway) => send(gateway, path));
      expect(countByStatus(answers)).toEqual({ 200: 10, 429: 40 });
      expect(a.upstream.calls).toHaveLength(10);
      expect(await used(rule)).toBe(10);
      const left = answers.flatMap(({ status, headers }) =>
        status === 200 ? [Number(/;r=(\d+);/.exec(headers.get('RateLimit') ?? '')?.[1])] : [],
      );
      expect(left.sort((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
  });

  it('with keys that are sent twice, 10 keys pass, and each is sent once', async () => {
    const { path, rule } = await limited();
    const answers = await inParallel(50, (gateway, index) => post(gateway, path, `${path}-${Math.floor(index / 2)}`));
    expect(a.upstream.calls).toHaveLength(10);
    expect(await used(rule)).toBe(10);
    for (const answer of answers) expect([200, 409, 429]).toContain(answer.status);
    // Every key that was refused is free again.
    const keys = Array.from({ length: 25 }, (_, index) => `${path}-${index}`);
    const again = await Promise.all(keys.map((key) => post(b, path, key)));
    expect(countByStatus(again)).toEqual({ 200: 10, 429: 15 });
    expect(a.upstream.calls).toHaveLength(10);
  });

  it('that asks, 10 pass and 40 are held', async () => {
    const { path, rule } = await limited({ then: 'require_approval' });
    const answers = await inParallel(50, (gateway) => post(gateway, path));
    expect(countByStatus(answers)).toEqual({ 200: 10, 428: 40 });
    expect([a.upstream.calls.length, await used(rule)]).toEqual([10, 10]);
  });

  it('that the model assesses, 10 pass', async () => {
    const { path, rule } = await limited();
    const allow = await a.admin<RiskRule[]>(`GET ${rules()}`);
    const pass = allow.find(({ name }) => name === 'Pass')!;
    const setActive = (isActive: boolean) => a.admin(`PUT ${rules()}/${pass.id}`, { isActive });
    await setActive(false);
    a.model.answer({ score: 0 });
    const answers = await inParallel(50, (gateway) => post(gateway, path));
    await setActive(true);
    expect(countByStatus(answers)).toEqual({ 200: 10, 429: 40 });
    expect([a.upstream.calls.length, await used(rule)]).toEqual([10, 10]);
  });
});

describe('of 50 parallel requests on two instances against a limit of a sum', () => {
  const send = (gateway: Gateway, path: string, amount: string, key?: string) =>
    gateway.proxy({
      targetUrl: target(path),
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"amount":${amount}}`,
      idempotencyKey: key ?? newKey(),
    });

  it.each([
    ['100', 1000, [0, 100, 200, 300, 400, 500, 600, 700, 800, 900]],
    ['0.1', 1, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['33.4', 334, [0, 33, 66, 100, 133, 167, 200, 233, 267, 300]],
  ])('each of %s, 10 pass against %d', async (amount, count, remaining) => {
    for (let round = 0; round < 3; round++) {
      a.upstream.calls.length = 0;
      const { path, rule } = await limited({ count, sum: 'request.body.amount' });
      const answers = await inParallel(50, (gateway) => send(gateway, path, amount));
      expect(countByStatus(answers)).toEqual({ 200: 10, 429: 40 });
      expect([a.upstream.calls.length, await used(rule)]).toEqual([10, count]);
      const left = answers.flatMap(({ status, headers }) =>
        status === 200 ? [Number(/;r=(\d+);/.exec(headers.get('RateLimit') ?? '')?.[1])] : [],
      );
      expect(left.sort((one, other) => one - other)).toEqual(remaining);
    }
  });

  it('of different amounts, what passes is what is counted, and no more than fits', async () => {
    const { path, rule } = await limited({ count: 500, sum: 'request.body.amount' });
    const amounts = Array.from({ length: 50 }, (_, index) => 7 + ((index * 13) % 41));
    const answers = await inParallel(50, (gateway, index) => send(gateway, path, `${amounts[index]}.5`));
    const passed = amounts.filter((_, index) => answers[index].status === 200);
    const total = passed.reduce((sum, amount) => sum + amount + 0.5, 0);
    expect([await used(rule), a.upstream.calls.length]).toEqual([total, passed.length]);
    expect(total).toBeLessThanOrEqual(500);
    // Whatever was refused did not fit: the smallest amount would not fit now, if it was refused.
    const refused = amounts.filter((_, index) => answers[index].status === 429);
    expect(total + Math.min(...refused) + 0.5).toBeGreaterThan(500);
  });
});

it('several limits that overlap, on two instances, neither block each other nor let too much pass', async () => {
  const path = newPath();
  // The order of creation is the order of ids. Each request meets another two of them.
  const narrow = await Promise.all([0, 1, 2, 3].map((n) => addLimit(`${path}/${n}`, { count: 8 })));
  const wide = await addLimit(`${path}/**`, { count: 20 });
  const answers = await inParallel(80, (gateway, index) =>
    index % 3 === 0 ? post(gateway, `${path}/${index % 4}`) : get(gateway, `${path}/${index % 4}`),
  );
  const counts = countByStatus(answers);
  expect(counts).toEqual({ 200: 20, 429: 60 });
  expect(await used(wide)).toBe(20);
  const each = await Promise.all(narrow.map(used));
  expect(each.reduce((sum, one) => sum + one)).toBe(20);
  expect(Math.max(...each)).toBeLessThanOrEqual(8);
});

it('approved actions that are executed in parallel keep a limit that refuses, and stay approved', async () => {
  const { path, rule } = await limited({ count: 3 });
  await addRule(path, 'require_approval');
  const held = await inParallel(12, (gateway) => post(gateway, path));
  expect(countByStatus(held)).toEqual({ 428: 12 });
  const ids = held.map((answer) => answer.json<HeldResponse>().action_id);
  for (const id of ids) await a.approve(id);
  const answers = await inParallel(12, (gateway, index) => gateway.execute(ids[index]));
  expect(countByStatus(answers)).toEqual({ 200: 3, 429: 9 });
  expect([a.upstream.calls.length, await used(rule)]).toEqual([3, 3]);
  const states = await Promise.all(ids.map(async (id) => (await a.status(id)).json<{ status: string }>().status));
  expect(states.filter((status) => status === 'APPROVED')).toHaveLength(9);
});

it('requests that are counted while their rule is deleted or changed are answered', async () => {
  for (let round = 0; round < 5; round++) {
    const { path, rule } = await limited({ count: 1000 });
    const change = async (): Promise<void> => {
      await a.admin(`PUT ${rules()}/${rule.id}`, {
        limit: { count: 500, per: 'hour', then: 'deny' },
      });
      await b.admin(`DELETE ${rules()}/${rule.id}`);
    };
    const [answers] = await Promise.all([
      inParallel(60, (gateway, index) => (index % 3 === 0 ? post(gateway, path) : get(gateway, path))),
      change(),
    ]);
    expect(countByStatus(answers)).toEqual({ 200: 60 });
  }
});

describe('the statement that counts', () => {
  const agent = () => a.app.app.get(AgentDirectory, { strict: false }).freshByKey(a.agentKey);

  /** Records a request as the forwarder does, with its amounts. */
  async function count(amounts: (string | null)[], rule: RiskRule, isExecution = false): Promise<CountedWrite[]> {
    const view = await agent();
    const service = view.services[0];
    const [audit, records] = [
      a.app.app.get(AuditLog, { strict: false }),
      a.app.app.get(RequestRecords, { strict: false }),
    ];
    return Promise.all(
      amounts.map((amount) => {
        const record = audit.newRecord('forwarded', { agent: view, service, call: {} });
        const limits = [{ rule, limit: rule.limit!, amount }];
        const toCount = { recordId: record.id, agent: view, service, isExecution, limits };
        return records.writeCounted(record, judgedBy(view, service), toCount);
      }),
    );
  }
  /** How many statements wait for a lock. */
  async function waiting(): Promise<number> {
    const [{ count: found }] = await b.app.database.query(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return found as number;
  }
  const states = (written: CountedWrite[]): string[] => written.map(({ state }) => state);

  it('adds what still fits: a smaller amount after one that does not', async () => {
    const { rule } = await limited({ count: 10 });
    const written = await count(['6', '5', '0.5', '4', '3.5', '0.000001'], rule);
    expect(states(written)).toEqual(['written', 'full', 'written', 'full', 'written', 'full']);
    expect(written.map(({ limits }) => limits[0].used)).toEqual([6, 6, 6.5, 6.5, 10, 10]);
    expect(await used(rule)).toBe(10);
  });

  it('lets an amount that is unknown pass only after an approval, and then nothing is left', async () => {
    const { rule } = await limited({ count: 10, then: 'require_approval' });
    expect(states(await count([null, '1'], rule))).toEqual(['full', 'written']);
    expect(states(await count([null], rule, true))).toEqual(['written']);
    expect(await used(rule)).toBe(10);
    expect(states(await count(['1'], rule))).toEqual(['full']);
    expect(states(await count([null, '20'], rule, true))).toEqual(['written', 'written']);
    expect(await used(rule)).toBe(30);
  });

  it('counts decimals exactly', async () => {
    const { rule } = await limited({ count: 3 });
    const written = await count(
      Array.from({ length: 40 }, () => '0.1'),
      rule,
    );
    expect(states(written).filter((state) => state === 'written')).toHaveLength(30);
  });

  it('counts a record once, and none that was given up', async () => {
    const { rule } = await limited();
    const view = await agent();
    const service = view.services[0];
    const record = a.app.app
      .get(AuditLog, { strict: false })
      .newRecord('forwarded', { agent: view, service, call: {} });
    const limits = [{ rule, limit: rule.limit!, amount: '1' }];
    const toCount = { recordId: record.id, agent: view, service, isExecution: false, limits };
    const records = a.app.app.get(RequestRecords, { strict: false });
    const write = () => records.writeCounted(record, judgedBy(view, service), toCount);
    expect((await write()).state).toBe('written');
    expect((await write()).state).toBe('taken');
    expect(await used(rule)).toBe(1);
  });

  it('counts nothing for a request that is given up while it is counted', async () => {
    const { rule } = await limited();
    const view = await agent();
    const service = view.services[0];
    const [audit, records] = [
      a.app.app.get(AuditLog, { strict: false }),
      a.app.app.get(RequestRecords, { strict: false }),
    ];
    const record = audit.newRecord('forwarded', { agent: view, service, call: {} });
    const write = (of: typeof record): Promise<CountedWrite> => {
      const limits = [{ rule, limit: rule.limit!, amount: '1' }];
      const toCount = { recordId: of.id, agent: view, service, isExecution: false, limits };
      return records.writeCounted(of, judgedBy(view, service), toCount);
    };
    let written: Promise<CountedWrite[]> | undefined;
    await a.app.database.manager.transaction(async (tx) => {
      const lost = audit.newRecord('abandoned', { id: record.id, agent: view, service, call: {} });
      expect(await audit.abandon(tx, lost)).toBe(true);
      written = Promise.all([write(record), write(audit.newRecord('forwarded', { agent: view, service, call: {} }))]);
      await eventually(async () => (await waiting()) === 1);
    });
    expect(states((await written)!)).toEqual(['taken', 'written']);
    expect(await used(rule)).toBe(1);
  });

  it('reads the rules again after it has waited for a counter', async () => {
    const { path, rule } = await limited();
    expect((await get(a, path)).status).toBe(200);
    let answers: Promise<ProxyAnswer[]> | undefined;
    await a.app.database.manager.transaction(async (tx) => {
      await tx.query('SELECT FROM limit_counters WHERE rule_id = $1 FOR UPDATE', [rule.id]);
      answers = Promise.all([get(a, path), post(b, path)]);
      await eventually(async () => (await waiting()) === 2);
      await addRule(path, 'deny');
    });
    expect(countByStatus((await answers)!)).toEqual({ 403: 2 });
    expect(a.upstream.calls).toHaveLength(1);
    expect(await used(rule)).toBe(1);
  });
});

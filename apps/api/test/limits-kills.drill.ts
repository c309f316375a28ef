/** Processes that are killed while they count: what was sent is counted once, and nothing is sent that is not counted. */
import type { RiskRule, RuleLimit } from '#contracts';
import { startChildGateway, type ChildGateway } from './support/child-gateway.js';
import { startGateway, type Gateway, type ProxyBody } from './support/gateway.js';
import { limitsOf } from './support/limits.js';

const ROUNDS = 8;
const SENDERS = 24;

/** Amounts are in tenths here, which JavaScript adds exactly. */
interface Budget {
  rule: RiskRule;
  path: string;
  tenths: number;
  tenthsOf(serial: number): number;
}

let gateway: Gateway;
let requests: Budget;
let amounts: Budget;
beforeAll(async () => {
  gateway = await startGateway();
  await addRule('', 'allow', { name: 'Pass' });
  requests = await budget({ count: 200 }, () => 10);
  amounts = await budget({ count: 4000.5, sum: 'request.body.amount' }, (serial) => 50 + ((serial * 131) % 400));
  gateway.upstream.answer((_call, response) => {
    happened();
    response.end('{}');
  });
});
afterAll(() => gateway.close());

const { target, addRule, limited, endWindow } = limitsOf(() => gateway);
const budget = async (limit: Partial<RuleLimit>, tenthsOf: Budget['tenthsOf']): Promise<Budget> => {
  const { path, rule } = await limited(limit);
  return { path, rule, tenths: rule.limit!.count * 10, tenthsOf };
};

const startChild = (): Promise<ChildGateway> =>
  startChildGateway({
    DATABASE_URL: gateway.app.databaseUrl,
    LLM_BASE_URL: gateway.model.url,
    PRIVATE_TARGET_ALLOWLIST: gateway.upstream.hostAndPort,
    PRIVATE_TARGET_ACCESS: 'all',
  });

let serial = 0;
/** Half of the requests have a key. The URL says what the body says, because records have no bodies. */
function next({ path, tenthsOf }: Budget, tenths = tenthsOf(serial + 1)): Partial<ProxyBody> {
  const id = ++serial;
  return {
    targetUrl: target(`${path}?id=${id}&tenths=${tenths}`),
    intent: 'try',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ amount: tenths / 10 }),
    ...(id % 2 === 0 ? { method: 'POST', idempotencyKey: `kill-${id}` } : { method: 'PUT' }),
  };
}

/** Called when a request begins, arrives and is answered. Processes are killed at some of these moments, so at any line. */
let happened: () => void = () => undefined;
const statuses = new Set<number>();

/** Sends requests one after the other until the process is gone. */
async function sendUntilGone(url: string, budget: Budget): Promise<void> {
  const headers = { 'Agent-Key': gateway.agentKey, 'Content-Type': 'application/json' };
  for (;;) {
    happened();
    try {
      const answer = await fetch(`${url}/proxy`, { method: 'POST', headers, body: JSON.stringify(next(budget)) });
      await answer.arrayBuffer();
      statuses.add(answer.status);
    } catch {
      return;
    }
    happened();
  }
}

/** Kills one process after the other, each at a moment of its own in each round. */
async function killBoth(round: number): Promise<void> {
  const children = await Promise.all([startChild(), startChild()]);
  // Later than the first request of each sender.
  const first = SENDERS + 1 + ((round * 53) % 150);
  const second = first + 1 + ((round * 29) % 60);
  let moment = 0;
  happened = () => {
    moment += 1;
    if (moment === first) children[0].kill('SIGKILL');
    if (moment === second) children[1].kill('SIGKILL');
  };
  const senders = Array.from({ length: SENDERS }, (_, index) =>
    sendUntilGone(children[index % 2].url, index % 4 < 2 ? requests : amounts),
  );
  await Promise.all([...senders, ...children.map(({ exited }) => exited)]);
  happened = () => undefined;
}

/** By id, how much each of these requests counts, in tenths. */
const byId = (urls: string[]): Map<string, number> =>
  new Map(
    urls.map((url) => {
      const { searchParams } = new URL(url, gateway.upstream.url);
      return [searchParams.get('id')!, Number(searchParams.get('tenths'))];
    }),
  );
const sumOf = (counts: Map<string, number>): number => [...counts.values()].reduce((sum, one) => sum + one, 0);

async function facts({ rule, path }: Budget) {
  const [{ counted, urls }] = await gateway.app.database.query<[{ counted: number; urls: string[] }]>(
    `SELECT (SELECT coalesce(sum(amount) * 10, 0)::float8 FROM limit_counters WHERE rule_id = $1) AS counted,
      array(SELECT url FROM audit_records WHERE outcome = 'forwarded' AND url LIKE '%' || $2 || '?%') AS urls`,
    [rule.id, path],
  );
  const calls = gateway.upstream.calls.map((call) => call.path).filter((url) => url.startsWith(`/v1${path}?`));
  const [recorded, arrived] = [byId(urls), byId(calls)];
  expect(arrived.size).toBe(calls.length);
  const lost = [...recorded.keys()].filter((id) => !arrived.has(id)).length;
  const unrecorded = [...arrived.keys()].filter((id) => !recorded.has(id));
  return { counted, recorded: sumOf(recorded), arrived: sumOf(arrived), lost, unrecorded };
}

it('of processes that are killed, each request that was sent is counted once, and limits are used up exactly', async () => {
  const budgets = [requests, amounts];
  const lost = new Map(budgets.map((each) => [each, 0]));
  for (let round = 0; round < ROUNDS; round++) {
    await killBoth(round);
    for (const each of budgets) {
      const found = await facts(each);
      expect(found.counted).toBe(found.recorded);
      expect(found.unrecorded).toEqual([]);
      expect(found.recorded).toBeLessThanOrEqual(each.tenths);
      expect(found.arrived).toBeLessThanOrEqual(each.tenths);
      // A kill uses up at most what was under way: each sender has one request at a time.
      expect(found.lost - lost.get(each)!).toBeLessThanOrEqual(SENDERS / 2);
      lost.set(each, found.lost);
    }
  }
  for (const each of budgets) {
    // What is left is sent without an accident, the last of it in one request.
    const sendTheRest = async (): Promise<void> => {
      for (let status = 200; status === 200; statuses.add(status)) ({ status } = await gateway.proxy(next(each)));
    };
    await Promise.all(Array.from({ length: SENDERS }, sendTheRest));
    const last = async (tenths: number): Promise<number> => (await gateway.proxy(next(each, tenths))).status;
    const left = each.tenths - (await facts(each)).counted;
    if (each === amounts) expect([await last(left + 1), await last(left)]).toEqual([429, 200]);
    const { counted, recorded, unrecorded } = await facts(each);
    expect([counted, recorded, unrecorded]).toEqual([each.tenths, each.tenths, []]);
    // What was lost is back when the window ends.
    await endWindow(each.rule);
    expect(await last(each.tenths)).toBe(200);
  }
  // On a busy machine, some requests get no connection to the database in time. Nothing of them was sent.
  statuses.delete(503);
  expect(statuses).toEqual(new Set([200, 429]));
});

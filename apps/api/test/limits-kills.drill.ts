/** Processes that are killed while they count: what was sent is counted once, and nothing is sent that is not counted. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RiskRule } from '#contracts';
import { startChildGateway, type ChildGateway } from './support/child-gateway.js';
import { startGateway, type Gateway } from './support/gateway.js';

const LIMIT = 400;
const ROUNDS = 12;
const PARALLEL = 24;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, { name: 'Pass', effect: 'allow' });
});
afterAll(() => gateway.close());

const startChild = (): Promise<ChildGateway> =>
  startChildGateway({
    DATABASE_URL: gateway.app.databaseUrl,
    LLM_BASE_URL: gateway.model.url,
    PRIVATE_TARGET_ALLOWLIST: gateway.upstream.hostAndPort,
    PRIVATE_TARGET_ACCESS: 'all',
  });

let serial = 0;

/** Sends requests one after the other until the process is gone. Half of them have keys. */
async function sendUntilGone(url: string, path: string, statuses: Set<number>): Promise<void> {
  for (;;) {
    const key =
      ++serial % 2 === 0 ? { method: 'POST', body: '{}', idempotencyKey: `kill-${serial}` } : { method: 'GET' };
    const body = JSON.stringify({ targetUrl: `${gateway.upstream.url}/v1${path}`, intent: 'try', ...key });
    const headers = { 'Agent-Key': gateway.agentKey, 'Content-Type': 'application/json' };
    try {
      statuses.add((await fetch(`${url}/proxy`, { method: 'POST', headers, body })).status);
    } catch {
      return;
    }
  }
}

it('of a process that is killed, each request that was sent is counted once, and the limit is used up exactly', async () => {
  const path = '/killed';
  const rule = await gateway.admin<RiskRule>(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Few',
    effect: 'limit',
    pathPattern: path,
    limit: { count: LIMIT, per: 'day', then: 'deny' },
  });
  const facts = async () => {
    const [row] = await gateway.app.database.query(
      `SELECT (SELECT sum(amount)::int FROM limit_counters WHERE rule_id = $1) AS counted,
        (SELECT count(*)::int FROM audit_records WHERE outcome = 'forwarded' AND url LIKE '%' || $2) AS recorded`,
      [rule.id, path],
    );
    return row as { counted: number; recorded: number };
  };
  const isUpstream = () => gateway.upstream.calls.filter((call) => call.path === `/v1${path}`).length;
  const statuses = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const children = await Promise.all([startChild(), startChild()]);
    const senders = children.flatMap(({ url }) =>
      Array.from({ length: PARALLEL / 2 }, () => sendUntilGone(url, path, statuses)),
    );
    // At any line.
    await delay(20 + Math.random() * 60);
    children[0].kill('SIGKILL');
    await delay(Math.random() * 20);
    children[1].kill('SIGKILL');
    await Promise.all([...senders, ...children.map(({ exited }) => exited)]);
    const { counted, recorded } = await facts();
    expect(counted ?? 0).toBe(recorded);
    expect(isUpstream()).toBeLessThanOrEqual(recorded);
    expect(recorded).toBeLessThanOrEqual(LIMIT);
  }
  // What is left is sent without an accident.
  const sendTheRest = async (): Promise<void> => {
    for (let status = 200; status === 200; statuses.add(status)) {
      ({ status } = await gateway.proxy({ targetUrl: `${gateway.upstream.url}/v1${path}` }));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, sendTheRest));
  expect(statuses).toEqual(new Set([200, 429]));
  expect(await facts()).toEqual({ counted: LIMIT, recorded: LIMIT });
  expect(isUpstream()).toBeLessThanOrEqual(LIMIT);
}, 300_000);

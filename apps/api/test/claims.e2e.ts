/** Claims of idempotency keys at the same moment as their settlement, their answers and their repeats. */
import type { HeldResponse } from '#contracts';
import { AgentDirectory } from '../src/agents/agent-directory.js';
import { ApprovalQueue } from '../src/approvals/approval-queue.js';
import { IdempotencySettlement } from '../src/idempotency/idempotency-settlement.js';
import { IdempotencyStore } from '../src/idempotency/idempotency-store.js';
import { SqlPool } from '../src/platform/fast-lane/sql-pool.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
afterEach(() => jest.restoreAllMocks());

it('the settlement of a stale claim leaves the key to a slow request that is held meanwhile', async () => {
  gateway.model.answer({ score: 1 });
  const ask = () =>
    gateway.proxy({ method: 'POST', targetUrl: `${gateway.upstream.url}/v1/x`, body: '{}', idempotencyKey: 'slow' });
  // Makes holding a request take so long that its claim looks like one left by a crash.
  let goOn = (): void => {};
  const mayHold = new Promise<void>((resolve) => (goOn = resolve));
  const queue = gateway.app.app.get(ApprovalQueue);
  const hold = queue.hold.bind(queue);
  const held = jest.spyOn(queue, 'hold').mockImplementationOnce(async (...given) => {
    await mayHold;
    return hold(...given);
  });
  const first = ask();
  await eventually(() => held.mock.calls.length === 1);
  await gateway.app.database.query(`UPDATE idempotency_records SET created_at = created_at - interval '10 minutes'`);
  // The request is held after its claim is found and before it is settled.
  const { database } = gateway.app;
  const query = database.query.bind(database);
  jest.spyOn(database, 'query').mockImplementation(async (...given: Parameters<typeof query>) => {
    const rows: unknown = await query(...given);
    if (given[0].includes('FROM idempotency_records r JOIN agents')) {
      expect(rows).toHaveLength(1);
      goOn();
      await first;
    }
    return rows;
  });
  await gateway.app.app.get(IdempotencySettlement).settleStale();
  jest.restoreAllMocks();

  const { action_id: id } = (await first).json<HeldResponse>();
  expect((await ask()).json<HeldResponse>().action_id).toBe(id);
  expect(await gateway.audit('&outcome=abandoned')).toEqual([]);
  await gateway.approve(id);
  expect((await gateway.execute(id)).status).toBe(200);
  expect((await ask()).headers.get('x-proxy-status')).toBe('executed-approved');
  expect(gateway.upstream.calls).toHaveLength(1);
});

const HASH = 'a'.repeat(64);

it('does not deadlock when the same keys are retried and answered at the same time', async () => {
  const { app } = gateway.app;
  const agent = await app.get(AgentDirectory).freshByKey(gateway.agentKey);
  const store = app.get(IdempotencyStore);
  const claim = (key: string) =>
    store.claim(
      { agent, key, method: 'POST', targetUrl: `${gateway.upstream.url}/v1/x`, hash: HASH, room: null },
      null,
    );
  const complete = async (key: string, found: Awaited<ReturnType<typeof claim>>): Promise<void> => {
    if (found.kind !== 'claimed') throw new Error(`${key}: ${found.kind}`);
    const answer = { fromUpstream: true, status: 200, headers: [], body: Buffer.from(key) };
    const { claimId } = found.claim;
    await store.complete({ agentId: agent.id, key, claimId, serviceId: gateway.service.id, answer });
  };
  const first = await claim('first');
  const second = await claim('second');
  const statements = jest.spyOn(app.get(SqlPool), 'prepared');

  // Nobody gets past the first key until claims and answers both wait. The claims wait first, so they get the key
  // first.
  const holder = gateway.app.database.createQueryRunner();
  await holder.startTransaction();
  await holder.query(`SELECT FROM idempotency_records WHERE key = 'first' FOR UPDATE`);
  // Each retry finds a request in progress, or its answer.
  const retries = Promise.allSettled(['second', 'first'].map(claim));
  await eventually(() => isWaiting(1));
  const answers = [complete('second', second), complete('first', first)];
  await eventually(() => isWaiting(2));
  await holder.commitTransaction();
  await holder.release();

  await Promise.all(answers);
  await retries;
  const outcomes = await Promise.allSettled(statements.mock.results.map(({ value }) => value as Promise<unknown>));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
});

/** Whether this many statements wait for a lock. */
async function isWaiting(count: number): Promise<boolean> {
  const [{ waiting }]: { waiting: number }[] = await gateway.app.database.query(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return waiting === count;
}

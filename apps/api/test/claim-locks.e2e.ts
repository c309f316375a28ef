import { AgentDirectory } from '../src/agents/agent-directory.js';
import { IdempotencyStore } from '../src/idempotency/idempotency-store.js';
import { SqlPool } from '../src/platform/fast-lane/sql-pool.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

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

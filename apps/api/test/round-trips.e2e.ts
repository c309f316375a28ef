import { isDeepStrictEqual } from 'node:util';
import { DataSource } from 'typeorm';
import { SqlPool } from '../src/platform/fast-lane/sql-pool.js';
import { startGateway, type Gateway, type ProxyBody } from './support/gateway.js';

let gateway: Gateway;
let statements: string[];
beforeAll(async () => {
  gateway = await startGateway({ RISK_CACHE_SECONDS: '60' });
  const pool = gateway.app.app.get(SqlPool);
  const prepared = pool.prepared.bind(pool);
  pool.prepared = (name: string, text: string, values: unknown[]) => {
    statements.push(name);
    return prepared(name, text, values);
  };
  const planned = pool.planned.bind(pool);
  pool.planned = (text: string, values: unknown[]) => {
    const [verb, table] = text.trim().split(/\s+/);
    // Ignores the write of a sent request's outcome, because no response waits for it.
    if (table !== 'audit_records') statements.push(`${verb} ${table}`);
    return planned(text, values);
  };
  gateway.upstream.answer((_call, response) => {
    statements.push('upstream');
    response.end('{}');
  });
});
afterAll(() => gateway.close());

/** The steps of a call up to its answer, once the gateway has cached the agent, the service and the verdict. */
async function recordSteps(send: () => Promise<{ status: number }>): Promise<string[]> {
  statements = [];
  await send();
  await gateway.app.settled();
  statements = [];
  expect((await send()).status).toBe(200);
  const steps = [...statements];
  await gateway.app.settled();
  return steps;
}

it('a forwarded GET waits for the database once: for its audit record, before it is sent', async () => {
  expect(await recordSteps(() => gateway.proxy())).toEqual(['audit_write', 'upstream']);
});

it('a keyed POST waits twice: for claim and record before it is sent, and for the stored answer after', async () => {
  let serial = 0;
  const steps = await recordSteps(() =>
    gateway.proxy({ method: 'POST', body: '{}', idempotencyKey: `key-${++serial}` }),
  );
  expect(steps).toEqual(['idempotency_claim', 'upstream', 'idempotency_complete_batch']);
});

it('limits need no statement of their own: the one that writes the record or claims the key counts too', async () => {
  const limits = [{ count: 1000 }, { count: 1000, sum: 'request.body.amount' }];
  for (const limit of limits) {
    const rule = { name: 'Few', effect: 'limit', pathPattern: '/few', limit: { ...limit, per: 'day', then: 'deny' } };
    await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, rule);
  }
  const few = (fields: Partial<ProxyBody>) => () =>
    gateway.proxy({
      targetUrl: `${gateway.upstream.url}/v1/few`,
      headers: { 'Content-Type': 'application/json' },
      body: '{"amount":1.5}',
      ...fields,
    });
  expect(await recordSteps(few({ method: 'PUT' }))).toEqual(['audit_write_counted', 'upstream']);
  let serial = 0;
  const keyed = () => few({ method: 'POST', idempotencyKey: `few-${++serial}` })();
  expect(await recordSteps(keyed)).toEqual(['idempotency_claim_counted', 'upstream', 'idempotency_complete_batch']);
});

it('the result of a request goes to the page of its record, so that no index changes', async () => {
  const REQUESTS = 40; // More than fit on a page.
  const pages = (): Promise<{ id: string; page: string }[]> =>
    gateway.app.database.query(
      `SELECT id, split_part(ctid::text, ',', 1) AS page FROM audit_records WHERE url LIKE '%/pages' ORDER BY id`,
    );
  const held: (() => void)[] = [];
  const allHeld = new Promise<void>((resolve) => {
    gateway.upstream.answer((_call, response) => {
      if (held.push(() => response.end('{}')) === REQUESTS) resolve();
    });
  });
  const targetUrl = `${gateway.upstream.url}/v1/pages`;
  const answers = Array.from({ length: REQUESTS }, () => gateway.proxy({ targetUrl }));
  await allHeld;
  const before = await pages();
  for (const answer of held) answer();
  await Promise.all(answers);
  await gateway.app.settled();

  expect(before).toHaveLength(REQUESTS);
  expect(await pages()).toEqual(before);
  const [{ settled }] = await gateway.app.database.query(
    `SELECT count(*)::int AS settled FROM audit_records WHERE url LIKE '%/pages' AND status = 200`,
  );
  expect(settled).toBe(REQUESTS);
});

it('a decision needs one statement for the lock of the workspace, besides those that find, change and record the action', async () => {
  const source = gateway.app.app.get(DataSource);
  const { logger } = source;
  // Before the transaction, the guard reads session and role. After it, the answer reads the facts that the action
  // depends on.
  const wanted = ['START', 'SELECT', 'SELECT', 'WITH', 'SELECT', 'INSERT', 'COMMIT', 'SELECT'];
  const seen: string[][] = [];
  // Timed work may add its own statements to one decision, but not to each.
  for (let decision = 0; decision < 5 && !isDeepStrictEqual(seen.at(-1), wanted); decision++) {
    const { action_id: id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/${decision}` });
    const steps: string[] = [];
    source.logger = Object.assign(Object.create(logger) as typeof logger, {
      logQuery: (sql: string) => steps.push(sql.trim().split(/\s/)[0]),
    });
    await gateway.approve(id);
    source.logger = logger;
    seen.push(steps.slice(steps.indexOf('START')));
  }
  expect(seen).toContainEqual(wanted);
});

import { ApprovalQueue } from '../src/approvals/approval-queue.js';
import { IdempotencySettlement } from '../src/idempotency/idempotency-settlement.js';
import { startGateway, type Gateway } from './support/gateway.js';

/** Two instances with clocks five seconds apart. Repeats at the moment of expiry race in key-expiry-races.drill.ts. */
let a: Gateway;
let b: Gateway;
beforeAll(async () => {
  a = await startGateway();
  b = await a.secondInstance();
  b.app.clock.advance({ seconds: 5 });
});
afterAll(async () => {
  await b.app.close();
  await a.close();
});

let serial = 0;
const keyPath = (key: string): string => `/v1/expiry/${key}`;
const post = (gateway: Gateway, key: string) =>
  gateway.proxy({ method: 'POST', targetUrl: a.upstream.url + keyPath(key), body: '{}', idempotencyKey: key });
const sql = <Row>(text: string, values: unknown[] = []) => a.app.database.query<Row[]>(text, values);
const countSends = (key: string): number => a.upstream.calls.filter(({ path }) => path === keyPath(key)).length;

describe('a key older than a day', () => {
  const passDay = (key: string) =>
    sql(
      `UPDATE idempotency_records SET created_at = created_at - interval '25 h', expires_at = expires_at - interval '25 h'
       WHERE key = $1`,
      [key],
    );
  const purge = () => a.app.app.get(IdempotencySettlement).purge();
  async function heldKey(): Promise<{ key: string; id: string }> {
    a.model.answer({ score: 1 });
    const key = `old-${++serial}`;
    const answer = await post(a, key);
    expect([answer.status, answer.text]).toEqual([428, expect.any(String)]);
    return { key, id: answer.json<{ action_id: string }>().action_id };
  }

  it('stays with its action while that is open', async () => {
    const { key, id } = await heldKey();
    await passDay(key);
    await purge();
    expect((await post(b, key)).json()).toMatchObject({ action_id: id });
    await a.approve(id);
    await purge();
    expect((await post(b, key)).json()).toMatchObject({ action_id: id });
  });

  it('stays with an executed action for a day after the execution', async () => {
    const { key, id } = await heldKey();
    await passDay(key);
    await a.approve(id);
    expect((await a.execute(id)).status).toBe(200);
    await purge();
    expect((await post(b, key)).headers.get('x-proxy-status')).toBe('executed-approved');
    await sql(`UPDATE actions SET executed_at = executed_at - interval '25 h' WHERE id = $1`, [id]);
    a.model.answer({ score: 0 });
    expect((await post(b, key)).headers.get('x-proxy-status')).toBe('forwarded');
    expect(countSends(key)).toBe(2);
  });

  it('is free again after its action has expired, whatever the clocks of the instances show', async () => {
    const { key, id } = await heldKey();
    await sql('UPDATE actions SET expires_at = clock_timestamp() WHERE id = $1', [id]);
    a.model.answer({ score: 0 });
    expect((await post(a, key)).headers.get('x-proxy-status')).toBe('forwarded');
    const [{ status }] = await sql<{ status: string }>('SELECT status FROM actions WHERE id = $1', [id]);
    expect(status).toBe('EXPIRED');
    expect(await a.app.app.get(ApprovalQueue).expire()).toBe(0);
  });

  it('is not free before its action has expired by the clock of the database', async () => {
    const { key, id } = await heldKey();
    await sql(`UPDATE actions SET expires_at = clock_timestamp() + interval '1 hour' WHERE id = $1`, [id]);
    const byMs = b.app.clock.advance({ hours: 2 });
    const answer = await post(b, key);
    b.app.clock.advance({ ms: -byMs });
    expect(answer.json()).toMatchObject({ action_id: id });
  });
});

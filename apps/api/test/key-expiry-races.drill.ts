import { startGateway, type Gateway } from './support/gateway.js';

/** Two instances with clocks five seconds apart, on a database with slow updates. */
let a: Gateway;
let b: Gateway;
beforeAll(async () => {
  a = await startGateway();
  b = await a.secondInstance();
  b.app.clock.advance({ seconds: 5 });
  await a.app.database.query(`
    CREATE FUNCTION public.take_time() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_sleep(random() * 0.01);
      RETURN NEW;
    END $$;
    CREATE TRIGGER slow_actions BEFORE UPDATE ON actions FOR EACH ROW EXECUTE FUNCTION take_time();
    CREATE TRIGGER slow_keys BEFORE UPDATE ON idempotency_records FOR EACH ROW EXECUTE FUNCTION take_time();
  `);
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

/** Sends a request with a new key; the request is held. @returns the id of its action */
async function held(key: string): Promise<string> {
  const answer = await post(a, key);
  expect([answer.status, answer.text]).toEqual([428, expect.any(String)]);
  return answer.json<{ action_id: string }>().action_id;
}

/** @param column the deadline that passes within the next milliseconds */
const endSoon = (ids: string[], column: 'expires_at' | 'approval_expires_at') =>
  sql(`UPDATE actions SET ${column} = clock_timestamp() + random() * interval '40 ms' WHERE id = ANY($1::uuid[])`, [
    ids,
  ]);

const countSends = (key: string): number => a.upstream.calls.filter(({ path }) => path === keyPath(key)).length;

/**
 * @param isApproved whether the action is approved first. If so, the end of the approval races; otherwise the end of
 * the time to decide
 * @param score of the new request that gets the freed key: 0 is forwarded, 1 is held
 */
async function race(isApproved: boolean, score: number): Promise<void> {
  a.model.answer({ score: 1 });
  const keys = Array.from({ length: 25 }, () => `key-${++serial}`);
  const ids = await Promise.all(keys.map((key) => held(key)));
  if (isApproved) await Promise.all(ids.map((id) => a.approve(id)));
  a.model.answer({ score });
  await endSoon(ids, isApproved ? 'approval_expires_at' : 'expires_at');

  await Promise.all(
    ids.flatMap((id, n) => [
      post(n % 2 ? a : b, keys[n]),
      isApproved ? a.execute(id) : b.tryAdmin(`PATCH /approvals/${id}/approve`, {}),
      isApproved ? b.execute(id) : a.execute(id),
      post(n % 2 ? b : a, keys[n]),
    ]),
  );
  // Tries every remaining action and key once more.
  await Promise.all(ids.flatMap((id, n) => [a.execute(id), post(a, keys[n]), post(b, keys[n])]));

  for (const [n, key] of keys.entries()) {
    const open = await sql<{ id: string }>(
      `SELECT id FROM actions WHERE target_url = $1 AND status IN ('PENDING', 'APPROVED')`,
      [a.upstream.url + keyPath(key)],
    );
    const [{ status }] = await sql<{ status: string }>('SELECT status FROM actions WHERE id = $1', [ids[n]]);
    expect([key, status, Math.max(countSends(key), 1), Math.max(open.length, 1)]).toEqual([key, status, 1, 1]);
    // An executed action keeps its key; an expired one gives it to the new request.
    if (score === 0 && (status === 'EXPIRED' || status === 'EXECUTED')) expect(countSends(key)).toBe(1);
  }
}

describe('repeats of a key against execute and approve at the moment of expiry', () => {
  it.each([
    ['an approval ends, and the new request would be forwarded', true, 0],
    ['an approval ends, and the new request would be held', true, 1],
    ['the time to decide ends, and the new request would be forwarded', false, 0],
    ['the time to decide ends, and the new request would be held', false, 1],
  ])(
    'when %s, no request is sent twice and no key has two open actions, in 75 rounds',
    async (_when, isApproved, score) => {
      for (let round = 0; round < 3; round++) await race(isApproved, score);
    },
    600_000,
  );
});

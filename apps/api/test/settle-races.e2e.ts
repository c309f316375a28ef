import type { HeldResponse } from '#contracts';
import { ApprovalQueue } from '../src/approvals/approval-queue.js';
import { IdempotencySettlement } from '../src/idempotency/idempotency-settlement.js';
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

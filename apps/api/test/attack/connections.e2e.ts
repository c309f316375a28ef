import { startGateway, type Gateway } from '../support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ DATABASE_POOL_SIZE: '2' });
});
afterAll(() => gateway.close());

it('approvals that need a confirmation, as many as the database has connections and more, block nobody', async () => {
  await gateway.admin(`PUT /workspaces/${gateway.agent.userId}`, { settings: { confirmFromRisk: 0 } });
  const ids: string[] = [];
  for (let n = 0; n < 10; n++) {
    ids.push((await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/${n}` })).action_id);
  }
  gateway.model.answer({ score: 0 });
  const [decisions, requests] = await Promise.all([
    Promise.all(ids.map((id) => gateway.tryAdmin(`PATCH /approvals/${id}/approve`, {}))),
    Promise.all(ids.map(() => gateway.proxy())),
  ]);
  const codes = decisions.map(({ status, headers }) => [status, headers.get('x-error-code')]);
  expect(codes).toEqual(ids.map(() => [403, 'confirmation_required']));
  expect(requests.map(({ status }) => status)).toEqual(ids.map(() => 200));
});

/** Limits per agent: open actions, and responses stored for idempotency keys. */
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';

const MIB = 1024 * 1024;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ AGENT_MAX_PENDING: '3', AGENT_MAX_STORED_MB: '4' });
});
afterAll(() => gateway.close());

const refusal = (answer: ProxyAnswer): unknown[] => [
  answer.status,
  answer.headers.get('x-error-code'),
  answer.headers.get('retry-after'),
  answer.headers.get('x-proxy-status'),
];

it('an agent has at most AGENT_MAX_PENDING open actions; another one is refused until one is closed', async () => {
  const ask = (n: number, idempotencyKey?: string): Promise<ProxyAnswer> =>
    gateway.proxy({ method: 'DELETE', targetUrl: `${gateway.upstream.url}/v1/customers/${n}`, idempotencyKey });
  gateway.model.answer({ score: 1 });
  const [first] = [await ask(1), await ask(2), await ask(3)].map((answer) => answer.json<{ action_id: string }>());
  await gateway.approve(first.action_id);
  expect(refusal(await ask(4, 'a-key'))).toEqual([429, 'too_many_pending', '60', null]);
  expect(await gateway.audit('&outcome=refused')).toMatchObject([{ status: 429 }]);
  // A repeat of a pending request still gets its action.
  expect((await ask(2)).status).toBe(428);
  // The limit is per agent.
  const { apiKey } = await gateway.createAgent('other', [gateway.service.id]);
  expect((await gateway.proxy({ method: 'DELETE' }, { 'Agent-Key': apiKey })).status).toBe(428);
  await gateway.execute(first.action_id);
  // The refusal did not consume the key.
  expect((await ask(4, 'a-key')).status).toBe(428);
});

it('an agent stores at most AGENT_MAX_STORED_MB of responses; above that, stored keys are still answered and new ones are refused', async () => {
  const { apiKey } = await gateway.createAgent('collector', [gateway.service.id]);
  gateway.model.answer({ score: 0 });
  gateway.upstream.answer((_call, response) => response.end('x'.repeat(MIB)));
  let key = 0;
  const post = (idempotencyKey: string): Promise<ProxyAnswer> =>
    gateway.proxy({ method: 'POST', body: '{}', idempotencyKey }, { 'Agent-Key': apiKey });
  const refused = await eventually(async () => {
    const answer = await post(`key-${++key}`);
    return answer.status !== 200 && answer;
  });
  expect(refusal(refused)).toEqual([429, 'too_much_stored', '60', null]);
  expect(key).toBeGreaterThan(4);
  const calls = gateway.upstream.calls.length;
  expect((await post('key-1')).text).toHaveLength(MIB);
  expect(gateway.upstream.calls).toHaveLength(calls);
  expect((await gateway.proxy({}, { 'Agent-Key': apiKey })).status).toBe(200);
  expect((await gateway.proxy({ method: 'POST', body: '{}', idempotencyKey: 'other' })).status).toBe(200);
});

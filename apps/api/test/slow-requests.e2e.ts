/**
 * Requests that take long before they are sent (docs/reference/idempotency.md#stale-claims), or wait for a decision.
 */
import type { ActionPage } from '#contracts';
import { AgentDirectory } from '../src/agents/agent-directory.js';
import { IdempotencySettlement } from '../src/idempotency/idempotency-settlement.js';
import { SEND_WITHIN_MS } from '../src/platform/claim-time.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
});
afterEach(() => jest.restoreAllMocks());

/** Time passes, in the process and in the database, while the model assesses the request. */
function modelTakes(ms: number): void {
  gateway.model.answer(async () => {
    gateway.app.clock.pass(ms);
    await gateway.app.advance({ ms });
    return { score: 0 };
  });
}

const post = (idempotencyKey: string) => gateway.proxy({ method: 'POST', body: '{}', idempotencyKey });

describe('a request that takes long before it is sent', () => {
  it('is given up when its claim could be settled before its answer is there', async () => {
    const { llmTimeoutMs } = gateway.app.config.risk;
    modelTakes(llmTimeoutMs + SEND_WITHIN_MS + 1);
    const answer = await post('late');
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([409, 'request_given_up']);
    expect(gateway.upstream.calls).toHaveLength(0);
    gateway.model.answer({ score: 0 });
    expect((await post('late')).status).toBe(200);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('is sent if enough time is left, and its claim is not settled', async () => {
    const settlement = gateway.app.app.get(IdempotencySettlement);
    const { llmTimeoutMs } = gateway.app.config.risk;
    let settled: number | undefined;
    gateway.upstream.answer((_call, response) => {
      // As late as an upstream may answer.
      void gateway.app
        .advance({ seconds: 29 })
        .then(() => settlement.settleStale())
        .then((count) => {
          settled = count;
          response.end('{"done":true}');
        });
    });
    modelTakes(llmTimeoutMs + SEND_WITHIN_MS - 5_000);
    const answer = await post('in time');
    expect([answer.status, answer.text, settled]).toEqual([200, '{"done":true}', 0]);
    expect((await post('in time')).text).toBe('{"done":true}');
    expect(gateway.upstream.calls).toHaveLength(1);
  });
});

it('a request that waits is not decided again when its agent loses the service and gets it back', async () => {
  gateway.model.answer({ score: 0.95 });
  const other = await gateway.createService({ name: 'Other', baseUrl: `${gateway.upstream.url}/other` });
  const agents = gateway.app.app.get(AgentDirectory);
  const latest = agents.latest.bind(agents);
  const scope = (serviceIds: number[]) => gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds });
  const waiting = fetch(`${gateway.url}/s/Shop;idempotency=none/refunds`, {
    method: 'POST',
    body: '{"amount":500}',
    headers: {
      'Agent-Key': gateway.agentKey,
      'X-Intent': 'refund',
      'Content-Type': 'application/json',
      Prefer: 'wait=60',
    },
  });
  const id = await eventually(async () => {
    const { items } = await gateway.admin<ActionPage>('GET /approvals');
    return items.at(0)?.action_id ?? null;
  });
  jest.spyOn(agents, 'latest').mockImplementationOnce(async (view) => {
    await scope([other.id]);
    const seen = await latest(view);
    await scope([gateway.service.id, other.id]);
    return seen;
  });
  gateway.model.answer({ score: 0 });
  await gateway.approve(id);
  expect((await waiting).headers.get('x-proxy-status')).toBe('executed-approved');
  expect((await gateway.execute(id)).status).toBe(409);
  expect(gateway.upstream.calls.map(({ path }) => path)).toEqual(['/v1/refunds']);
});

it('a request that waits gets the answer of another call that executes the action first', async () => {
  gateway.model.answer({ score: 0.95 });
  const agents = gateway.app.app.get(AgentDirectory);
  const latest = agents.latest.bind(agents);
  const waiting = gateway.proxy({ method: 'DELETE', intent: 'wait' }, { Prefer: 'wait=60' });
  const id = await eventually(async () => {
    const { items } = await gateway.admin<ActionPage>('GET /approvals');
    return items.at(0)?.action_id ?? null;
  });
  jest.spyOn(agents, 'latest').mockImplementationOnce(async (view) => {
    expect((await gateway.execute(id)).status).toBe(200);
    return latest(view);
  });
  await gateway.approve(id);
  const answer = await waiting;
  expect([answer.status, answer.headers.get('x-proxy-status')]).toEqual([200, 'executed-approved']);
  expect(gateway.upstream.calls).toHaveLength(1);
  expect(await gateway.audit(`&actionId=${id}&outcome=refused`)).toEqual([]);
});

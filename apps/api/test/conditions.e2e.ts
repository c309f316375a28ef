import type { Action, CreateRiskRuleRequest, HeldResponse, RiskAssessment, RiskRule } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';

/** Rules whose condition reads inside requests. */
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());
beforeEach(() => gateway.model.answer({ score: 0, explanation: 'harmless' }));

const makeRule = (rule: Partial<CreateRiskRuleRequest>) =>
  gateway.admin<RiskRule>(`POST /services/${gateway.service.id}/risk-rules`, { name: 'Inside', ...rule });
async function withRule(rule: Partial<CreateRiskRuleRequest>, check: (made: RiskRule) => Promise<void>): Promise<void> {
  const made = await makeRule(rule);
  await check(made).finally(() => gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${made.id}`));
}

let keys = 0;
const refund = (body: unknown, headers: Record<string, string> = { 'Content-Type': 'application/json' }) =>
  gateway.proxy({
    method: 'POST',
    targetUrl: `${gateway.upstream.url}/v1/refunds`,
    idempotencyKey: `refund-${++keys}`,
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('a rule with a condition', () => {
  it('matches by what the body says', async () => {
    await withRule({ effect: 'deny', when: 'request.body.amount > 5000' }, async () => {
      expect((await refund({ amount: 5000 })).status).toBe(200);
      expect((await refund({ amount: 5001 })).status).toBe(403);
    });
  });

  it('needs the method and the path too', async () => {
    const rule = { effect: 'deny' as const, methods: ['POST' as const], pathPattern: '/payouts', when: 'true' };
    await withRule(rule, async () => expect((await refund({ amount: 1 })).status).toBe(200));
  });

  it('counts as matching if it can not be decided, unless it permits', async () => {
    await withRule({ effect: 'require_approval', when: 'request.body.amount > 5' }, async ({ id }) => {
      const answer = await refund({ sum: 1 });
      expect(answer.status).toBe(428);
      const { action_id } = answer.json<HeldResponse>();
      expect((await gateway.admin<Action>(`GET /approvals/${action_id}`)).risk_explanation).toContain('Inside');
      const assessed = await gateway.admin<RiskAssessment>('POST /risk/assess', {
        serviceId: gateway.service.id,
        method: 'POST',
        targetUrl: `${gateway.upstream.url}/v1/refunds`,
        headers: { 'Content-Type': 'application/json' },
        body: '{"sum": 1}',
        intent: 'look',
      });
      expect(assessed.undecided).toEqual([id]);
    });
    gateway.model.answer({ score: 1, explanation: 'bad' });
    await withRule({ effect: 'allow', when: 'request.body.amount < 5' }, async () => {
      expect((await refund({ amount: 4 })).status).toBe(200);
      expect((await refund('{"amount": 4, "amount": 9}')).status).toBe(428);
    });
  });

  it('reads the agent, the effects and the documented operation', async () => {
    await gateway.admin(`POST /services/${gateway.service.id}/documentation`, {
      type: 'openapi',
      title: 'Shop',
      content: JSON.stringify({
        openapi: '3.0.0',
        info: { title: 'Shop', version: '1' },
        paths: {
          '/orders/{id}': { delete: { operationId: 'cancelOrder', tags: ['orders'], summary: 'Cancel an order' } },
        },
      }),
    });
    const cancel = (path: string) =>
      gateway.proxy({ method: 'DELETE', targetUrl: `${gateway.upstream.url}/v1${path}` });
    const when = (text: string, status: number, path = '/orders/7') =>
      withRule({ effect: 'deny', when: text }, async () => expect((await cancel(path)).status).toBe(status));
    await when('operation != null && operation.id == "cancelOrder" && request.pathParams["id"] == "7"', 403);
    await when('operation != null && "refunds" in operation.tags', 200);
    // Servers may take these for the operation, so a rule that restricts applies, whatever it says.
    for (const path of ['/orders/7%2F8', '/Orders/7', '/orders/7?_method=PUT']) {
      await when('operation != null && "refunds" in operation.tags', 403, path);
    }
    await when('operation != null && "refunds" in operation.tags', 200, '/nothing/7');
    await when('request.pathParams["id"] == "8"', 403, '/orders/7%3f');
    await when('"delete" in effects', 403);
    await when(`agent.name == "${gateway.agent.name}"`, 403);
    await when('agent.name == "somebody else"', 200);
  });

  it.each([
    ['request.body.amount >', /^when: line 1, column \d+: /],
    ['request.nothing == 1', /^when: line 1, column \d+: /],
    ['1 + 1', /^when: line 1, column \d+: /],
    ['"nonsense" in effects', /^when: line 1, column \d+: .*nonsense/],
    ['x'.repeat(1001), /^when: /],
  ])('is refused where it stands: %.40s', async (when, error) => {
    const answer = await gateway.tryAdmin(`POST /services/${gateway.service.id}/risk-rules`, {
      name: 'Bad',
      effect: 'deny',
      when,
    });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(error)]);
  });

  it('is in force on every instance from the next request on', async () => {
    const other = await gateway.secondInstance();
    try {
      await withRule({ effect: 'deny', when: 'request.body.amount == 77' }, async () => {
        const body = { method: 'POST', targetUrl: `${gateway.upstream.url}/v1/refunds`, body: '{"amount": 77}' };
        expect((await other.proxy({ ...body, idempotencyKey: 'other' })).status).toBe(403);
      });
    } finally {
      await other.app.close();
    }
  });
});

describe('a first time', () => {
  const visit = (path: string, at = gateway) => at.proxy({ targetUrl: `${gateway.upstream.url}/v1${path}` });

  it('is asked about once, also if the request was sent before there was a rule', async () => {
    expect((await visit('/before')).status).toBe(200);
    await withRule({ effect: 'require_approval', when: 'firstTime' }, async () => {
      expect((await visit('/before')).status).toBe(200);
      const held = await visit('/after');
      expect(held.status).toBe(428);
      const { action_id } = held.json<HeldResponse>();
      await gateway.approve(action_id);
      expect((await gateway.execute(action_id)).status).toBe(200);
      expect((await visit('/after')).status).toBe(200);
    });
  });

  it('is known to other instances', async () => {
    const other = await gateway.secondInstance();
    try {
      expect((await visit('/shared')).status).toBe(200);
      await withRule({ effect: 'require_approval', when: 'firstTime' }, async () => {
        expect((await visit('/shared', other)).status).toBe(200);
        expect((await visit('/new-there', other)).status).toBe(428);
      });
    } finally {
      await other.app.close();
    }
  });

  it('of a procedure is that of its method, and of a tool that of the tool', async () => {
    const rpc = (body: object) =>
      gateway.proxy({
        method: 'POST',
        targetUrl: `${gateway.upstream.url}/v1/rpc`,
        idempotencyKey: `rpc-${++keys}`,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: ++keys, ...body }),
      });
    await withRule({ effect: 'require_approval', when: 'firstTime' }, async () => {
      const held = await rpc({ method: 'eth_call' });
      expect(held.status).toBe(428);
      const { action_id } = held.json<HeldResponse>();
      await gateway.approve(action_id);
      expect((await gateway.execute(action_id)).status).toBe(200);
      expect((await rpc({ method: 'eth_call', params: ['other'] })).status).toBe(200);
      expect((await rpc({ method: 'eth_sendTransaction' })).status).toBe(428);
      expect((await rpc({ method: 'tools/call', params: { name: 'issue_credit' } })).status).toBe(428);
    });
  });
});

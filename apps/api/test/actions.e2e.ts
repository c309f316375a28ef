import type { Action, ActionPage, AuditPage, HeldResponse } from '#contracts';
import { SECRET, startGateway, type Gateway } from './support/gateway.js';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DAY_MS = 86_400_000;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
});

const target = (path: string): string => `${gateway.upstream.url}/v1${path}`;
const get = (actionId: string): Promise<Action> => gateway.admin<Action>(`GET /approvals/${actionId}`);

describe('a held request', () => {
  it('gets 428 with everything that a caller needs to continue, and nothing is sent', async () => {
    gateway.model.answer({ score: 0.9, explanation: 'deletes a customer' });
    const answer = await gateway.proxy({ method: 'DELETE', targetUrl: target('/customers/42'), intent: 'clean up' });
    expect(answer.status).toBe(428);
    const body = answer.json<HeldResponse>();
    const id = body.action_id;
    expect(id).toMatch(UUID_V4);
    expect(body).toEqual({
      error: 'Request requires human approval',
      statusCode: 428,
      action_id: id,
      risk_score: expect.closeTo(0.9 * 0.7 + 0.7 * 0.3),
      risk_explanation: expect.stringContaining('deletes a customer'),
      status_url: `/status/${id}`,
      executed: false,
      expires_at: expect.any(String),
      next: expect.stringMatching(new RegExp(`GET /status/${id} .*POST /proxy/execute/${id} exactly once`)),
    });
    expect(Date.parse(body.expires_at) - Date.parse((await get(id)).created_at)).toBe(DAY_MS);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('retry-after')).toBe('8');
    expect(answer.headers.get('x-proxy-status')).toBeNull();
    expect(answer.headers.get('x-idempotency-status')).toBeNull();
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('is shown to its owner with every field', async () => {
    const held = await gateway.hold({
      method: 'PUT',
      targetUrl: target('/customers/43?notify=1'),
      headers: { 'X-Trace': 'abc' },
      body: '{"name":"Bob"}',
      intent: 'rename the customer',
    });
    const action = await get(held.action_id);
    expect(action).toEqual({
      action_id: held.action_id,
      status: 'PENDING',
      revises: null,
      revised_as: null,
      approvals: {
        needed: 1,
        given: [],
        mayApprove: [{ id: gateway.agent.userId, name: 'Ada' }],
        mayApproveCount: 1,
        tooFew: false,
        you: 'may_approve',
      },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      resolved_at: null,
      expires_at: held.expires_at,
      approvalExpiresAt: null,
      summary: 'PUT customer 43',
      headline: 'PUT customer 43 · notify: 1 · name: Bob',
      agent: { id: gateway.agent.id, name: 'support-bot' },
      service: { id: gateway.service.id, name: 'Shop' },
      method: 'PUT',
      targetUrl: target('/customers/43?notify=1'),
      headers: { 'X-Trace': 'abc', 'Content-Type': 'application/json' },
      body: '{"name":"Bob"}',
      bodyBytes: 14,
      bodyType: 'application/json',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      intent: 'rename the customer',
      risk_score: held.risk_score,
      assessment: { state: 'done', method: 0.5, effects: 0.5, model: 0.9 },
      risk_explanation: held.risk_explanation,
      risk_source: 'model',
      effects: expect.arrayContaining([{ effect: 'write', reason: expect.any(String) }]),
      resolved_by: null,
      resolution_note: null,
      times_asked: 1,
      last_polled_at: null,
      blocked: null,
      countsFrom: null,
      executing: false,
      repeats: null,
      executed_at: null,
      result: null,
    });
    expect(Date.parse(action.expires_at) - Date.parse(action.created_at)).toBe(DAY_MS);
    await gateway.status(held.action_id);
    expect(Date.parse((await get(held.action_id)).last_polled_at!)).toBeGreaterThanOrEqual(
      Date.parse(action.created_at),
    );
  });

  it('has a headline with the values that decide, which people get, but neither the agent nor the stored record', async () => {
    const body = JSON.stringify({ amount: '12500.00', currency: 'EUR', password: 'hunter2', intent: 'harmless' });
    const targetUrl = target('/orders/7731/refunds');
    const held = await gateway.hold({ method: 'POST', targetUrl, body, idempotencyKey: 'refund-7731' });
    const { headline, summary } = await get(held.action_id);
    expect(headline).toMatch(/^Refund €12,500\.00 · order 7731 · password: \*{8} · intent: harmless \[[\da-f]{6}\]$/);
    expect(summary).toBe('POST refund of order 7731');
    const found = async (q: string) =>
      (await gateway.admin<ActionPage>(`GET /approvals?q=${encodeURIComponent(q)}`)).items.map(
        (each) => each.action_id,
      );
    // As it is shown, as it is sent, as other APIs and languages write it.
    for (const q of ['12,500', '€12,500.00', '12500', '12500.00', '1250000', '12.500,00', '12 500,00'])
      expect([q, await found(q)]).toEqual([q, [held.action_id]]);
    for (const q of ['125,000', '12501', '12_500']) expect([q, await found(q)]).toEqual([q, []]);
    const records = await gateway.admin<AuditPage>('GET /audit?q=7731');
    expect(records.items.map((record) => record.summary)).toEqual([summary]);
    expect(records.items.map((record) => record.headline)).toEqual([headline]);
    const stored = await gateway.app.database.query('SELECT * FROM audit_records WHERE action_id = $1', [
      held.action_id,
    ]);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify([stored, held])).not.toMatch(/12,?500/);
    await gateway.app.database.query('UPDATE actions SET headline = NULL WHERE id = $1', [held.action_id]);
    expect((await get(held.action_id)).headline).toBe(summary);
  });

  it('is stored without secrets: neither the injected credential nor the headers that authenticate the agent', async () => {
    gateway.upstream.answer((call, response) => {
      response.setHeader('X-Echo', String(call.headers.authorization));
      response.end(JSON.stringify(call.headers));
    });
    const { action_id } = await gateway.hold({
      targetUrl: target('/secret-keeping/1'),
      headers: {
        AUTHORIZATION: 'Bearer agents-own-1',
        'agent-KEY': gateway.agentKey,
        Cookie: 'session=agents-own-2',
        'x-api-key': 'agents-own-3',
        'Proxy-Authorization': 'agents-own-4',
        'X-Kept': 'yes',
      },
    });
    expect((await get(action_id)).headers).toEqual({ 'X-Kept': 'yes' });
    await gateway.approve(action_id);
    expect((await gateway.execute(action_id)).status).toBe(200);
    const [{ row }] = await gateway.app.database.query<{ row: string }[]>(
      `SELECT row_to_json(a)::text || convert_from(a.result_body, 'UTF8') AS row FROM actions a WHERE id = $1`,
      [action_id],
    );
    for (const secret of [SECRET, gateway.agentKey, 'agents-own']) expect(row).not.toContain(secret);
    expect(row).toContain('[REDACTED]');
  });
});

describe('the same request again', () => {
  it('gets the pending action, which counts each repeat', async () => {
    const ask = () => gateway.hold({ targetUrl: target('/again/1'), headers: { A: '1', B: '2' } });
    const first = await ask();
    const others = await Promise.all([ask(), ask(), ask()]);
    expect(others.map(({ action_id }) => action_id)).toEqual(Array(3).fill(first.action_id));
    expect((await get(first.action_id)).times_asked).toBe(4);
  });

  it('creates another action for another body, header, URL or agent, or after a decision', async () => {
    const { apiKey } = await gateway.createAgent('twin-bot', [gateway.service.id]);
    const base = { method: 'PUT', targetUrl: target('/again/2'), body: 'a', headers: { A: '1' } };
    const actions = [
      await gateway.hold(base),
      await gateway.hold({ ...base, body: 'b' }),
      await gateway.hold({ ...base, headers: { A: '2' } }),
      await gateway.hold({ ...base, targetUrl: `${base.targetUrl}?x` }),
      await gateway.hold(base, { 'Agent-Key': apiKey }),
    ];
    await gateway.deny(actions[0].action_id);
    actions.push(await gateway.hold(base));
    expect(new Set(actions.map(({ action_id }) => action_id)).size).toBe(6);
  });

  it('creates another action for an idempotency key', async () => {
    const base = { targetUrl: target('/again/3') };
    const first = await gateway.hold(base);
    const keyed = await gateway.hold({ ...base, idempotencyKey: 'again-3' });
    expect(keyed.action_id).not.toBe(first.action_id);
  });
});

import type { Action, HeldResponse, RiskAssessment, Service } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';

/** What a service asks people about, whatever the score. */
let gateway: Gateway;
let asking: Service;
beforeAll(async () => {
  gateway = await startGateway();
  asking = await gateway.admin<Service>(`PUT /services/${gateway.service.id}`, { askFor: ['delete'] });
});
afterAll(() => gateway?.close());
beforeEach(() => gateway.model.answer({ score: 0, explanation: 'harmless' }));

let customers = 0;
/** A request of its own each time, because equal ones that wait are one action. */
const remove = (folder = 'customers') =>
  gateway.proxy({ method: 'DELETE', targetUrl: `${gateway.upstream.url}/v1/${folder}/${++customers}` });
const withRule = async (rule: object, check: () => Promise<void>): Promise<void> => {
  const { id } = await gateway.admin<{ id: number }>(`POST /services/${asking.id}/risk-rules`, { name: 'R', ...rule });
  await check().finally(() => gateway.admin(`DELETE /services/${asking.id}/risk-rules/${id}`));
};

describe('what a service asks about', () => {
  it('is nothing by default', async () => {
    expect((await gateway.createService()).askFor).toEqual([]);
  });

  it('is stored in one order, each word once, and is part of the object', async () => {
    const service = await gateway.createService({ askFor: ['unclear', 'delete', 'delete'] });
    expect(service.askFor).toEqual(['delete', 'unclear']);
    const changed = await gateway.admin<Service>(`PUT /services/${service.id}`, { askFor: [] });
    expect(changed.askFor).toEqual([]);
  });

  it.each([['read'], ['everything'], [null]])('can not be %j', async (word) => {
    const answer = await gateway.tryAdmin(`PUT /services/${asking.id}`, { askFor: [word] });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('askFor')]);
  });

  it('is held without a call to the model, although the model would let it pass', async () => {
    gateway.model.calls.length = 0;
    const answer = await remove();
    expect(answer.status).toBe(428);
    const { action_id } = answer.json<HeldResponse>();
    const action = await gateway.admin<Action>(`GET /approvals/${action_id}`);
    expect([action.risk_source, action.risk_explanation]).toEqual([
      'effect',
      expect.stringMatching(/^Asks for delete: /),
    ]);
    expect(action.effects.map(({ effect }) => effect)).toEqual(expect.arrayContaining(['delete', 'write']));
    expect(gateway.model.calls).toHaveLength(0);
  });

  it('does not hold other requests', async () => {
    expect((await gateway.proxy()).status).toBe(200);
  });

  it('applies to the next request after a change, on every instance', async () => {
    const other = await gateway.secondInstance();
    try {
      expect((await other.proxy()).status).toBe(200);
      await gateway.admin(`PUT /services/${asking.id}`, { askFor: ['write'] });
      const answer = await other.proxy({ method: 'POST', idempotencyKey: 'next', body: '{}' });
      expect(answer.status).toBe(428);
    } finally {
      await gateway.admin(`PUT /services/${asking.id}`, { askFor: ['delete'] });
      await other.app.close();
    }
  });

  it('is weaker than a rule that denies, and needs the approvals of a rule that asks', async () => {
    await withRule({ effect: 'deny', methods: ['DELETE'] }, async () => expect((await remove()).status).toBe(403));
    await withRule({ effect: 'require_approval', methods: ['DELETE'] }, async () => {
      const { action_id } = (await remove()).json<HeldResponse>();
      expect((await gateway.admin<Action>(`GET /approvals/${action_id}`)).risk_source).toBe('rule');
    });
  });

  it('holds a write whose body nobody can read', async () => {
    const body = {
      method: 'POST',
      targetUrl: `${gateway.upstream.url}/v1/notes`,
      headers: { 'Content-Type': 'application/json' },
    };
    const send = (text: string) => gateway.proxy({ ...body, idempotencyKey: text, body: text });
    expect((await send('{"text": "a"}')).status).toBe(200);
    expect((await send('{"text": "a", "Text": "b"}')).status).toBe(428);
  });

  it('holds a batch with more requests than are read, because the rest may do anything', async () => {
    const batch = (count: number) => {
      const requests = Array.from({ length: count }, (_, n) => ({ method: 'GET', url: `/customers/${n}` }));
      return gateway.proxy({
        method: 'POST',
        targetUrl: `${gateway.upstream.url}/v1/batch`,
        headers: { 'Content-Type': 'application/json' },
        idempotencyKey: `batch of ${count}`,
        body: JSON.stringify({ requests }),
      });
    };
    expect([(await batch(200)).status, (await batch(201)).status]).toEqual([200, 428]);
  });

  it('is lifted by a permission for a path, and not by one for every path', async () => {
    await withRule({ effect: 'allow' }, async () => expect((await remove('drafts')).status).toBe(428));
    await withRule({ effect: 'allow', pathPattern: '/drafts/**' }, async () =>
      expect((await remove('drafts')).status).toBe(200),
    );
  });

  it('is shown by a dry run and by an assessment', async () => {
    const request = { method: 'DELETE' as const, targetUrl: `${gateway.upstream.url}/v1/shown/77` };
    const preview = await gateway.proxy(request, { Prefer: 'handling=dry-run' });
    expect(preview.json()).toMatchObject({ decision: 'hold', risk_source: 'effect', rule: null });
    const body = { serviceId: asking.id, intent: 'look', ...request };
    const assessed = await gateway.admin<RiskAssessment>('POST /risk/assess', body);
    expect(assessed).toMatchObject({ decision: 'hold', source: 'effect', undecided: [] });
    expect(assessed.effects.map(({ effect }) => effect)).toContain('delete');
  });

  it.each<[string, object, number]>([
    ['a comment', { targetUrl: '/comments', body: '{"text": "hello"}' }, 0.3],
    ['a refund', { targetUrl: '/refunds', body: '{"amount": 12500}' }, 0.7],
    ['a role', { targetUrl: '/members/7/roles', body: '{"role": "owner"}' }, 0.8],
    ['a refund to a role', { targetUrl: '/members/7/roles', body: '{"role": "owner", "amount": 12500}' }, 0.9],
  ])('scores %s by what it does, in the 428, a dry run and an assessment', async (name, request, score) => {
    await withRule({ effect: 'require_approval' }, async () => {
      const { targetUrl, body } = request as { targetUrl: string; body: string };
      const given = { method: 'POST' as const, targetUrl: `${gateway.upstream.url}/v1${targetUrl}`, body };
      const sent = { ...given, headers: { 'Content-Type': 'application/json' }, idempotencyKey: name };
      const preview = await gateway.proxy(sent, { Prefer: 'handling=dry-run' });
      const held = await gateway.proxy(sent);
      const { headers } = sent;
      const assessed = await gateway.admin<RiskAssessment>('POST /risk/assess', {
        serviceId: asking.id,
        intent: 'look',
        ...given,
        headers,
      });
      expect([preview.json().risk_score, held.status, held.json().risk_score]).toEqual([score, 428, score]);
      expect([assessed.score, assessed.decidingScore]).toEqual([score, null]);
    });
  });

  it('keeps the decision of the model: what the request does raises only the score of what is held', async () => {
    await gateway.admin(`PUT /services/${asking.id}`, { askFor: [] });
    const refund = (key: string) =>
      gateway.proxy({
        method: 'POST',
        targetUrl: `${gateway.upstream.url}/v1/refunds`,
        headers: { 'Content-Type': 'application/json' },
        body: '{"amount": 1}',
        intent: key,
        idempotencyKey: key,
      });
    expect((await refund('forwarded')).status).toBe(200);
    gateway.model.answer({ score: 0.6, explanation: 'a refund' });
    const held = (await refund('held')).json<HeldResponse>();
    // The blend is 0.7 × 0.6 + 0.3 × 0.3 = 0.51.
    expect(held.risk_score).toBe(0.7);
    await gateway.admin(`PUT /services/${asking.id}`, { askFor: ['delete'] });
  });

  it('filters the queue', async () => {
    const { items } = await gateway.admin<{ items: Action[] }>('GET /approvals?effect=delete');
    expect(items.length).toBeGreaterThan(0);
    expect((await gateway.admin<{ items: Action[] }>('GET /approvals?effect=publishing')).items).toEqual([]);
    expect((await gateway.tryAdmin('GET /approvals?effect=nonsense')).status).toBe(400);
  });

  it('tells the model what the request does', async () => {
    gateway.model.calls.length = 0;
    await gateway.proxy({ method: 'PATCH', idempotencyKey: 'told', body: '{}' });
    expect(gateway.model.calls[0].body.messages[1].content).toContain('"effects"');
  });

  it('can only be made smaller by somebody who has confirmed, where the workspace asks for that', async () => {
    await gateway.admin('PUT /workspaces/1', { settings: { confirmFromRisk: 0.5 } });
    const more = await gateway.tryAdmin(`PUT /services/${asking.id}`, { askFor: ['delete', 'money'] });
    const less = await gateway.tryAdmin(`PUT /services/${asking.id}`, { askFor: ['money'] });
    expect([more.status, less.status]).toEqual([200, 403]);
  });
});

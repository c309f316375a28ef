import { DataSource } from 'typeorm';
import type { Action, Actor, AuditPage, AuditRecord, AuditStats } from '#contracts';
import { Decisions1763800600000 } from '../../../libs/database/src/migrations/1763800600000-decisions.js';
import { login, register } from './support/accounts.js';
import { parseCsv } from './support/csv.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
let stranger: string;
let eveId: number;
/** Ids of actions, by their outcome. */
const held: Record<'refund' | 'customer' | 'order' | 'waiting', string> = {
  refund: '',
  customer: '',
  order: '',
  waiting: '',
};

/** The headlines of these actions. */
const headline = { ...held };

/**
 * Holds four requests: one refund is approved and executed, the other one stays pending; the deletion of a customer is
 * denied, the deletion of an order is approved.
 */
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  ({ id: eveId } = await register(gateway.app, 'eve@example.com', { name: 'Eve' }));
  stranger = (await login(gateway.app, 'eve@example.com')).accessToken;
  const ask = async (path: string, intent: string) =>
    (await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1${path}`, intent })).action_id;
  held.refund = await ask('/refunds/7', 'the parcel was broken');
  held.customer = await ask('/customers/8', 'a test user');
  held.order = await ask('/orders/9', 'placed twice');
  held.waiting = await ask('/refunds/10', 'the parcel was late');
  for (const name of Object.keys(held) as (keyof typeof held)[]) {
    headline[name] = (await gateway.admin<Action>(`GET /approvals/${held[name]}`)).summary;
  }
  gateway.model.answer({ score: 0, explanation: 'harmless' });
  await gateway.proxy({ targetUrl: `${gateway.upstream.url}/v1/refunds`, intent: 'look at refunds' });
  await gateway.approve(held.refund, 'Fine, the photos are convincing');
  await gateway.execute(held.refund);
  await gateway.deny(held.customer, 'She is real');
  await gateway.approve(held.order);
  // Makes this the decision of a second person.
  await gateway.app.database.query(
    `UPDATE audit_records SET actor_id = $2, actor_name = 'Eve' WHERE action_id = $1 AND reason = 'action.approved'`,
    [held.order, eveId],
  );
  await gateway.app.settled();
});
afterAll(() => gateway.close());

const list = async (query: string) => (await gateway.admin<AuditPage>(`GET /audit?limit=200&${query}`)).items;
/** Replaces headlines by the names above. */
const named = (summary: string | null) => Object.entries(headline).find(([, text]) => text === summary)?.[0] ?? summary;
const decided = async (query: string) =>
  (await list(query)).map(({ summary, reason, actor }) => [named(summary), reason, actor?.name]);

/** These columns of a CSV export. */
async function exported(query: string, columns: string[]): Promise<string[][]> {
  const response = await fetch(`${gateway.url}/audit/export?format=csv&${query}`, {
    headers: { Authorization: `Bearer ${gateway.token}` },
  });
  const [header, ...rows] = parseCsv(await response.text());
  return rows.map((row) => columns.map((name) => row[header.indexOf(name)]));
}

const REFUND = ['refund', 'action.approved', 'Ada'];
const CUSTOMER = ['customer', 'action.denied', 'Ada'];
const ORDER = ['order', 'action.approved', 'Eve'];

describe('requests', () => {
  const decisions = async (query: string) =>
    (await list(query)).map(({ summary, decision }) => [
      named(summary),
      decision?.state,
      decision?.by?.name,
      decision?.note,
    ]);

  it('show their decision', async () => {
    expect(await decisions('kind=request&outcome=held')).toEqual([
      ['waiting', 'waiting', undefined, null],
      ['order', 'approved', 'Ada', null],
      ['customer', 'denied', 'Ada', 'She is real'],
      ['refund', 'approved', 'Ada', 'Fine, the photos are convincing'],
    ]);
    expect(await decisions('kind=execution')).toEqual([
      ['refund', 'approved', 'Ada', 'Fine, the photos are convincing'],
    ]);
    expect(await decisions('kind=request&outcome=forwarded')).toEqual([[null, undefined, undefined, undefined]]);
  });

  it('are found by their headline, and a single record and an export contain it', async () => {
    const [record] = await list(`kind=request&q=${encodeURIComponent(headline.customer)}`);
    expect(record.decision).toEqual({
      state: 'denied',
      by: { id: expect.any(Number), name: 'Ada' },
      at: expect.any(String),
      note: 'She is real',
    });
    expect(await gateway.admin<AuditRecord>(`GET /audit/${record.id}`)).toEqual(record);
    const rows = await exported(`kind=request&q=${encodeURIComponent(headline.customer)}`, [
      'summary',
      'decision',
      'decided_by',
    ]);
    expect(rows).toEqual([[headline.customer, 'denied', 'Ada']]);
  });
});

describe('figures', () => {
  const stats = async (query: string) => {
    const {
      requests,
      held: asked,
      approved,
      denied,
      countedBackTo,
    } = await gateway.admin<AuditStats>(`GET /audit/stats?${query}`);
    expect(countedBackTo).toBeNull();
    return [requests, asked, approved, denied];
  };

  it.each<[string, number[]]>([
    ['', [5, 4, 2, 1]],
    ['q=refund', [3, 2, 1, 0]],
    ['q=%2Fcustomers%2F', [1, 1, 0, 1]],
    ['q=nothing-has-this', [0, 0, 0, 0]],
    ['outcome=held', [4, 4, 2, 1]],
    ['outcome=forwarded', [1, 0, 0, 0]],
    ['kind=execution&outcome=executed', [1, 0, 1, 0]],
    ['kind=request&q=parcel', [2, 2, 1, 0]],
    ['method=GET', [1, 0, 0, 0]],
    ['decision=any', [3, 0, 2, 1]],
    ['decision=denied', [1, 0, 0, 1]],
    ['decision=any&q=refund', [1, 0, 1, 0]],
  ])('follow the filter "%s"', async (query, expected) => {
    expect(await stats(query)).toEqual(expected);
  });

  it('follow the filters by request and by person', async () => {
    expect(await stats(`actionId=${held.customer}&kind=request`)).toEqual([1, 1, 0, 1]);
    expect(await stats(`decision=any&actorId=${eveId}`)).toEqual([1, 0, 1, 0]);
    expect(await stats(`kind=request&actorId=${gateway.service.userId}`)).toEqual([3, 3, 2, 1]);
    expect(await stats(`kind=request&actorId=${eveId}`)).toEqual([0, 0, 0, 0]);
  });

  it('report how long the decisions of the filter took', async () => {
    const whole = await gateway.admin<AuditStats>('GET /audit/stats?q=refund');
    expect(whole.medianDecisionSeconds).toBeGreaterThan(0);
    expect(whole.decisionTimes.reduce((sum, { decided: count }) => sum + count, 0)).toBe(1);
    expect(whole.agents).toMatchObject([{ agent: { id: gateway.agent.id }, forwarded: 1, executed: 1, held: 2 }]);
    const none = await gateway.admin<AuditStats>('GET /audit/stats?q=look+at');
    expect(none).toMatchObject({ medianDecisionSeconds: null, decisionTimes: [] });
  });
});

describe('decisions', () => {
  it.each<[string, string[][]]>([
    ['decision=any', [ORDER, CUSTOMER, REFUND]],
    ['decision=approved', [ORDER, REFUND]],
    ['decision=denied', [CUSTOMER]],
    ['decision=withdrawn', []],
    // By the words of the request (headline, URL, intent) and of the approver.
    ['decision=any&q=refund', [REFUND]],
    ['decision=any&q=/customers/', [CUSTOMER]],
    ['decision=any&q=placed+twice', [ORDER]],
    ['decision=any&q=photos', [REFUND]],
    ['decision=any&method=GET', []],
    ['decision=any&kind=change', [ORDER, CUSTOMER, REFUND]],
    ['decision=any&kind=request', []],
    ['decision=any&to=2020-01-01', []],
  ])('are found by %s', async (query, expected) => {
    expect(await decided(query)).toEqual(expected);
  });

  it('are found by their headline', async () => {
    expect(await decided(`decision=any&q=${encodeURIComponent(headline.customer)}`)).toEqual([CUSTOMER]);
  });

  it('are found by person, and so are requests that the person decided', async () => {
    const { id: adaId } = (await gateway.admin<{ user: { id: number } }>('GET /auth/me')).user;
    expect(await decided(`decision=any&actorId=${adaId}`)).toEqual([CUSTOMER, REFUND]);
    expect(await decided(`decision=approved&actorId=${eveId}`)).toEqual([ORDER]);
    await gateway.app.database.query('UPDATE actions SET resolved_by = $2 WHERE id = $1', [held.order, eveId]);
    const requests = (await list(`kind=request&actorId=${eveId}`)).map(({ summary }) => summary);
    expect(requests).toEqual([headline.order]);
    const executions = await list(`kind=execution&actorId=${adaId}`);
    expect(executions.map(({ actionId }) => actionId)).toEqual([held.refund]);
    expect((await list(`kind=access&actorId=${adaId}`)).map(({ reason }) => reason)).not.toEqual([]);
    expect(await gateway.admin<Actor[]>('GET /audit/people')).toEqual([
      { id: adaId, name: 'Ada' },
      { id: eveId, name: 'Eve' },
    ]);
    const people = await gateway.tryAdmin<Actor[]>('GET /audit/people', undefined, stranger);
    expect(people.body).toEqual([{ id: eveId, name: 'Eve' }]);
  });

  it('name their request after the action is deleted, also in records of an older version', async () => {
    const [before] = await list(`decision=any&q=refund`);
    expect(before).toMatchObject({
      method: 'DELETE',
      url: `${gateway.upstream.url}/v1/refunds/7`,
      intent: 'the parcel was broken',
      riskScore: expect.any(Number),
      details: { note: 'Fine, the photos are convincing' },
      actionId: held.refund,
    });
    // A record as an older version wrote it.
    const source = gateway.app.app.get(DataSource);
    const runner = source.createQueryRunner();
    await new Decisions1763800600000().down(runner);
    await runner.query(
      `UPDATE audit_records SET method = NULL, url = NULL, intent = NULL, risk_score = NULL,
         details = json_build_object('summary', $2::text, 'note', details ->> 'note')
       WHERE kind = 'change' AND action_id = $1`,
      [held.refund, headline.refund],
    );
    await new Decisions1763800600000().up(runner);
    await runner.release();
    expect((await list(`decision=any&q=refund`)).map(({ details: _, ...record }) => record)).toEqual([
      (({ details: _, ...record }) => record)(before),
    ]);
    await gateway.app.database.query('DELETE FROM actions WHERE id = $1', [held.refund]);
    expect((await list(`decision=any&q=refund`)).map(({ summary, url }) => [summary, url])).toEqual([
      [headline.refund, before.url],
    ]);
  });

  it('have the line by which their approver knew the request, with the amount, and are found by it', async () => {
    const { action_id } = await gateway.hold({
      method: 'POST',
      targetUrl: `${gateway.upstream.url}/v1/payouts`,
      headers: { 'Content-Type': 'application/json' },
      body: '{"total": "12500.00", "currency": "EUR"}',
      idempotencyKey: 'payout',
    });
    const seen = await gateway.approve(action_id, 'As agreed');
    expect(seen.headline).toContain('€12,500.00');
    expect(seen.summary).not.toContain('12,500');
    for (const query of [`decision=any&actionId=${action_id}`, `q=${encodeURIComponent('€12,500.00')}`]) {
      const [decision] = await list(query);
      expect([query, decision]).toEqual([
        query,
        expect.objectContaining({ reason: 'action.approved', headline: seen.headline, summary: seen.summary }),
      ]);
    }
    expect((await list(`kind=request&actionId=${action_id}`)).map((record) => record.headline)).toEqual([
      seen.headline,
    ]);
    // The record itself has no values of the body.
    await gateway.app.database.query('DELETE FROM actions WHERE id = $1', [action_id]);
    const [left] = await list(`decision=any&actionId=${action_id}`);
    expect([left.headline, JSON.stringify(left)]).toEqual([seen.summary, expect.not.stringContaining('12500')]);
  });

  it('have columns of their own in a CSV export, without formulas', async () => {
    const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/orders/11` });
    const { headline: seen } = await gateway.deny(action_id, '=HYPERLINK("http://evil")');
    const columns = ['decision', 'decided_by', 'note', 'headline'];
    expect(await exported(`actionId=${action_id}`, ['kind', ...columns])).toEqual([
      ['change', 'denied', 'Ada', `'=HYPERLINK("http://evil")`, seen],
      ['request', 'denied', 'Ada', `'=HYPERLINK("http://evil")`, seen],
    ]);
    const [[at, decidedAt]] = await exported(`actionId=${action_id}&decision=any`, ['at', 'decided_at']);
    expect(decidedAt).toBe(at);
    // A record that is no decision has none.
    expect(await exported('kind=access', columns)).toContainEqual(['', '', '', '']);
  });

  it('are found as withdrawals', async () => {
    await gateway.admin(`PATCH /approvals/${held.order}/withdraw`, { note: 'Ask me on Monday' });
    expect(await decided('decision=withdrawn')).toEqual([['order', 'action.withdrawn', 'Ada']]);
    expect(await decided('decision=any&q=monday')).toEqual([['order', 'action.withdrawn', 'Ada']]);
    expect(await decided('decision=approved&q=/orders/')).toEqual([ORDER]);
    const [request] = await list(`kind=request&actionId=${held.order}`);
    expect(request.decision).toMatchObject({ state: 'withdrawn', by: { name: 'Ada' }, note: 'Ask me on Monday' });
  });
});

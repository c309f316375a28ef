import { randomUUID } from 'node:crypto';
import type { Backtest, BacktestExample, RiskRule } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';
import { signUp } from './support/resources.js';
import { team, type Team } from './support/team.js';

/** What an unsaved rule would have done to the latest requests. */
let gateway: Gateway;
let people: Team;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  people = team(gateway);
  await people.join('otto', 'auditor');
  await people.join('abby', 'approver');
});
afterAll(() => gateway?.close());

let serviceId: number;
beforeEach(async () => {
  gateway.model.answer({ score: 0, explanation: 'harmless' });
  serviceId = (await gateway.createService()).id;
});

interface Record {
  method?: string;
  path?: string;
  outcome?: string;
  source?: string | null;
  score?: number;
  actionId?: string;
}

/** Stores a record as the gateway does, the newest last. */
const store = async (records: Record[], service = serviceId): Promise<void> => {
  for (const { method = 'GET', path = '/x', outcome = 'forwarded', source = 'model', score = 0, actionId } of records) {
    await gateway.app.database.query(
      `INSERT INTO audit_records (id, at, kind, outcome, workspace_id, service_id, agent_id, method, url, risk_source, risk_score, action_id)
       VALUES ($1, now(), 'request', $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        nextId(),
        outcome,
        people.workspaceId,
        service,
        gateway.agent.id,
        method,
        `${gateway.upstream.url}/v1${path}`,
        source,
        score,
        actionId ?? null,
      ],
    );
  }
};
let ids = 0;
const nextId = () => `0190${(++ids).toString(16).padStart(4, '0')}-0000-7000-8000-000000000000`;

const route = (id = serviceId) => `POST /services/${id}/risk-rules/backtest`;
const backtest = (body: object) => gateway.admin<Backtest>(route(), body);
const rule = (fields: object) => backtest({ rule: { name: 'R', effect: 'require_approval', ...fields } });
const addRule = (fields: object) =>
  gateway.admin<RiskRule>(`POST /services/${serviceId}/risk-rules`, {
    name: 'P',
    effect: 'require_approval',
    ...fields,
  });
const shown = ({ examples }: Backtest) =>
  examples.map(({ method, targetUrl, outcome, wouldBe }: BacktestExample) => [
    `${method} ${targetUrl.slice(`${gateway.upstream.url}/v1`.length)}`,
    outcome,
    wouldBe,
  ]);

describe('a backtest of a rule', () => {
  it('tells what would have changed, the newest first, and saves nothing', async () => {
    await store([
      { path: '/a' },
      { path: '/b', method: 'DELETE' },
      { path: '/c', method: 'DELETE', score: 0.9, outcome: 'held' },
      { path: '/d', source: null, outcome: 'refused' },
    ]);
    const result = await rule({ methods: ['DELETE'] });
    expect(result).toMatchObject({ of: 3, matched: 2, undecided: 0, changed: 1, note: null });
    expect(shown(result)).toEqual([
      ['DELETE /c', 'held', 'held'],
      ['DELETE /b', 'forwarded', 'held'],
    ]);
    expect(result.examples[0].at).toMatch(/Z$/);
    expect(await gateway.admin(`GET /services/${serviceId}/risk-rules`)).toEqual([]);
  });

  it.each([
    ['deny', 'refused'],
    ['require_approval', 'held'],
    ['allow', 'forwarded'],
  ])('knows the effect %s', async (effect, wouldBe) => {
    await store([{ score: effect === 'allow' ? 0.9 : 0 }]);
    expect(shown(await rule({ effect }))).toEqual([['GET /x', effect === 'allow' ? 'held' : 'forwarded', wouldBe]]);
  });

  it('knows the name that the agent had', async () => {
    await store([{}]);
    expect(await rule({ when: 'agent.name == "no-bot"' })).toMatchObject({ of: 1, undecided: 1 });
    await gateway.app.database.query("UPDATE audit_records SET agent_name = 'night-bot' WHERE service_id = $1", [
      serviceId,
    ]);
    const matched = async (name: string) => {
      const { undecided, matched: count } = await rule({ when: `agent.name == "${name}"` });
      return [undecided, count];
    };
    expect([await matched('night-bot'), await matched('day-bot')]).toEqual([
      [0, 1],
      [0, 0],
    ]);
  });

  it('decides with the present rules in their order of force', async () => {
    await addRule({ effect: 'deny', pathPattern: '/secret' });
    await addRule({ pathPattern: '/asked' });
    await store([{ path: '/secret' }, { path: '/asked' }, { path: '/free', score: 0.9 }]);
    const result = await rule({ effect: 'allow' });
    expect(result).toMatchObject({ of: 3, matched: 3, changed: 1 });
    expect(shown(result)).toEqual([
      ['GET /free', 'held', 'forwarded'],
      ['GET /asked', 'held', 'held'],
      ['GET /secret', 'refused', 'refused'],
    ]);
  });

  it('replaces a rule, and says where only the model could tell', async () => {
    const { id } = await addRule({ methods: ['GET'] });
    await store([{ source: 'rule', outcome: 'held', score: 0.1 }, { score: 0.1 }]);
    const narrower = { id, name: 'P', effect: 'require_approval', methods: ['DELETE'] };
    const result = await backtest({ rule: narrower });
    expect(result).toMatchObject({ of: 2, matched: 0, changed: 2 });
    expect(shown(result).map(([, , wouldBe]) => wouldBe)).toEqual(['forwarded', 'assessed']);
    const off = await backtest({ rule: { ...narrower, methods: [], isActive: false } });
    expect(off).toMatchObject({ matched: 2, changed: 2 });
  });

  it('counts a request that needs the approval of more or other people as changed', async () => {
    const bo = await people.join('bo', 'approver');
    const { id } = await addRule({ approvals: 1 });
    await store([{ score: 0.9, outcome: 'held' }]);
    const change = (fields: object) => backtest({ rule: { id, name: 'P', effect: 'require_approval', ...fields } });
    expect(await change({ approvals: 1 })).toMatchObject({ matched: 1, changed: 0 });
    const stricter = await change({ approvals: 2 });
    expect(stricter).toMatchObject({ matched: 1, undecided: 0, changed: 1 });
    expect(stricter.examples).toMatchObject([
      { outcome: 'held', wouldBe: 'held', approvals: 1, wouldNeed: 2, otherApprovers: false },
    ]);
    const named = await change({ approverIds: [bo] });
    expect(named).toMatchObject({ changed: 1, examples: [{ approvals: 1, wouldNeed: 1, otherApprovers: true }] });
    const denied = await change({ effect: 'deny' });
    expect(denied.examples).toMatchObject([{ wouldBe: 'refused', approvals: 1, wouldNeed: null }]);
  });

  it('reads as many requests as it is asked for', async () => {
    await store(Array.from({ length: 130 }, (_, n) => ({ path: `/${n}` })));
    const tried = { name: 'R', effect: 'deny' };
    expect(await backtest({ rule: tried })).toMatchObject({ of: 130, matched: 130, changed: 130 });
    const few = await backtest({ rule: tried, last: 101 });
    expect([few.of, few.examples.length]).toEqual([101, 20]);
    expect(shown(few)[0][0]).toBe('GET /129');
  });

  const holdRefund = async (actionId: string, body: string, type = 'application/json'): Promise<void> => {
    await gateway.app.database.query(
      `INSERT INTO actions (id, workspace_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers, body,
         intent, summary, risk_score, risk_explanation, risk_source, created_at, expires_at)
       VALUES ($1, $2, $3, 'a', $4, 's', 'PENDING', 'POST', $5, jsonb_build_object('content-type', $7::text), $6,
         'i', 's', 0.9, 'e', 'model', now(), now() + interval '1 hour')`,
      [actionId, people.workspaceId, gateway.agent.id, serviceId, `${gateway.upstream.url}/v1/refunds`, body, type],
    );
    await store([{ method: 'POST', path: '/refunds', outcome: 'held', score: 0.9, actionId }]);
  };

  it('tests a rule that reads bodies on held requests up to 256 kB, and says so', async () => {
    await store([{ method: 'POST' }, { method: 'POST' }]);
    await holdRefund(randomUUID(), '{"amount": 5000}');
    await holdRefund(randomUUID(), `{"amount": 5000, "text": "${'x'.repeat(256 * 1024)}"}`);
    const result = await rule({ when: 'request.body.amount > 100' });
    expect(result).toMatchObject({ of: 1, matched: 1 });
    expect(result.note).toBe(
      'Bodies and headers are kept of held requests only, and the rule may read them: it was tested on those of up to 256 kB',
    );
  });

  it('tells why nobody can tell, and what to write for forms', async () => {
    const form = 'application/x-www-form-urlencoded';
    await holdRefund(randomUUID(), 'amount=5000', form);
    await holdRefund(randomUUID(), 'amount=50', form);
    await holdRefund(randomUUID(), '{"note": "x"}');
    await holdRefund(randomUUID(), '{"amount": 5000}');
    const result = await rule({ when: 'request.body.amount > 100' });
    expect(result).toMatchObject({ of: 4, matched: 4, undecided: 3 });
    expect(result.undecidedBecause).toEqual([
      {
        reason: 'a text can’t be compared with a number (values of forms are texts: compare double(…) of the field)',
        count: 2,
      },
      { reason: 'there is no field amount', count: 1 },
    ]);
    const readable = await rule({ when: 'double(request.body.amount) > 100.0' });
    expect(readable).toMatchObject({ of: 4, matched: 3, undecided: 1 });
  });

  it('tells what became of each example that was held', async () => {
    await store([{ method: 'POST' }]);
    const [denied, lapsed, waiting] = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of [denied, lapsed, waiting]) await holdRefund(id, '{}');
    const { database } = gateway.app;
    await database.query(`UPDATE actions SET status = 'DENIED' WHERE id = $1`, [denied]);
    await database.query(`UPDATE actions SET expires_at = created_at WHERE id = $1`, [lapsed]);
    expect((await rule({})).examples).toMatchObject([
      { actionId: waiting, status: 'PENDING' },
      { actionId: lapsed, status: 'EXPIRED' },
      { actionId: denied, status: 'DENIED' },
      { actionId: null, status: null },
    ]);
  });

  it('gives the present and the tried rules the steps of a request each', async () => {
    await holdRefund(randomUUID(), JSON.stringify({ list: Array.from({ length: 20_000 }, (_, at) => at) }));
    const when = 'request.body.list.all(i, i >= 0 && i < 100000)';
    // It takes more than half of the steps, and is compared twice.
    await addRule({ name: 'Present', effect: 'allow', when });
    const result = await rule({ when: 'size(request.body.list) > 0' });
    expect(result).toMatchObject({ of: 1, matched: 1, changed: 1 });
    expect(result.examples).toMatchObject([{ outcome: 'forwarded', wouldBe: 'held' }]);
  });

  it('reads operations in bodies if the service has documented tools', async () => {
    await store([{ method: 'POST' }]);
    const when = 'operation != null && operation.id == "refund"';
    expect(await rule({ when })).toMatchObject({ of: 1, note: null });
    const content = JSON.stringify({ tools: [{ name: 'refund', inputSchema: { type: 'object' } }] });
    await gateway.admin(`POST /services/${serviceId}/documentation`, { type: 'mcp', title: 'Tools', content });
    expect(await rule({ when })).toMatchObject({
      of: 0,
      note: 'Bodies and headers are kept of held requests only, and the rule may read them: it was tested on those of up to 256 kB',
    });
  });

  it('says that it reads first times as they are now', async () => {
    await store([{ path: '/once' }]);
    const note =
      'A rule reads firstTime: it was tested with what is known now, because what was a first time then is not kept';
    expect(await rule({ when: 'firstTime' })).toMatchObject({ of: 1, matched: 0, note });
    const partly = await rule({ when: 'firstTime && request.body == null' });
    expect(partly.note).toMatch(
      /^Bodies and headers are kept of held requests only.*256 kB\. A rule reads firstTime: /,
    );
  });

  it('works beside others of the same person', async () => {
    await store([{ path: '/a' }]);
    const results = await Promise.all(Array.from({ length: 8 }, () => rule({})));
    expect(results.map(({ matched }) => matched)).toEqual(Array.from({ length: 8 }, () => 1));
  });
});

describe('a backtest of effects', () => {
  it('tells what the service would have asked about', async () => {
    await store([{ method: 'DELETE' }, { method: 'GET' }, { method: 'DELETE', score: 0.8, outcome: 'held' }]);
    const result = await backtest({ askFor: ['delete'] });
    expect(result).toMatchObject({ of: 3, matched: 2, undecided: 0, changed: 1 });
    expect(result.note).toBe(
      'Bodies and headers of forwarded requests are not kept, and bodies over 256 kB are not read: of these, only method and URL were tested',
    );
    expect(await backtest({ askFor: [] })).toMatchObject({ of: 3, matched: 0, changed: 0 });
  });
});

describe('a backtest', () => {
  const sound = { name: 'R', effect: 'deny' };

  it.each([
    ['neither', {}, 'At least one of rule, askFor is required'],
    ['both', { rule: sound, askFor: ['delete'] }, 'rule: give either this or askFor'],
    ['null', { rule: null }, 'rule: must be an object'],
    ['a rule that is a text', { rule: 'deny' }, 'rule: '],
    ['a rule without an effect', { rule: { name: 'R' } }, 'rule.effect: '],
    ['another effect', { rule: { name: 'R', effect: 'maybe' } }, 'rule.effect: '],
    ['a pattern that can’t be saved', { rule: { ...sound, pathPattern: 'x' } }, 'pathPattern: must start with /'],
    ['an id that is none', { rule: { ...sound, id: 0 } }, 'rule.id: '],
    ['an unknown word', { askFor: ['everything'] }, 'askFor: '],
    ['the word read', { askFor: ['read'] }, 'askFor: '],
    ['no list', { askFor: 'delete' }, 'askFor: '],
    ['none', { rule: sound, last: 0 }, 'last: '],
    ['fewer than none', { rule: sound, last: -1 }, 'last: '],
    ['a billion', { rule: sound, last: 1e9 }, 'last: '],
    ['half a request', { rule: sound, last: 1.5 }, 'last: '],
  ])('refuses %s', async (_case, body, error) => {
    const answer = await gateway.tryAdmin(route(), body);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(error)]);
  });

  it('knows only the rules and services of the workspace', async () => {
    const other = await gateway.createService({ name: 'Other' });
    const theirs = await gateway.admin<RiskRule>(`POST /services/${other.id}/risk-rules`, sound);
    const unknown = await gateway.tryAdmin(route(), { rule: { ...sound, id: theirs.id } });
    expect([unknown.status, unknown.body.error]).toEqual([404, 'Risk rule not found']);
    const missing = await gateway.tryAdmin(route(2147483647), { rule: sound });
    expect([missing.status, missing.body.error]).toEqual([404, 'Service not found']);
    const eve = await signUp(gateway.app, 'eve@example.com');
    const foreign = await gateway.tryAdmin(route(), { rule: sound }, eve);
    expect([foreign.status, foreign.body.error]).toEqual([404, 'Service not found']);
  });

  it('is for approvers', async () => {
    const refused = await people.as('otto', route(), { rule: sound });
    expect(refused.status).toBe(403);
    expect((await people.as('abby', route(), { rule: sound })).status).toBe(200);
  });
});

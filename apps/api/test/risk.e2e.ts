import type { HttpMethod, RiskRule, Service } from '#contracts';
import type { RiskAssessor } from '../src/risk/risk-assessor.js';
import type { RiskRequest } from '../src/risk/risk-verdict.js';
import { call, login, register } from './support/accounts.js';
import type { FakeModel } from './support/fake-model.js';
import type { FakeUpstream } from './support/fake-upstream.js';
import { newRequest, RiskApp } from './support/risk-app.js';
import type { TestApp } from './support/start-app.js';

let risk: RiskApp;
let app: TestApp;
let assessor: RiskAssessor;
let impatient: TestApp;
let model: FakeModel;
let token: string;
let upstream: FakeUpstream;
beforeAll(async () => {
  risk = await RiskApp.start();
  ({ app, assessor, impatient, model, token, upstream } = risk);
});
afterAll(() => risk?.close());
beforeEach(() => risk.reset());

async function countUses(service: Service, { id }: RiskRule): Promise<number> {
  const { body } = await call<RiskRule[]>(app, `GET /services/${service.id}/risk-rules`, { token });
  return body.find((rule) => rule.id === id)!.uses;
}

describe('POST /risk/assess', () => {
  let service: Service;
  beforeAll(async () => {
    service = await risk.newService();
  });

  it('returns score, parts, decision and prompt, and forwards nothing', async () => {
    model.answer({ score: 0.9, explanation: 'Deletes a customer for good.' });
    const given = newRequest(service, 'DELETE', '/customers/42');
    const { status, body } = await risk.dryRun(service.id, given);
    expect(status).toBe(200);
    expect(body).toEqual({
      score: 0.84,
      decidingScore: 0.84,
      llmScore: 0.9,
      heuristicScore: 0.7,
      explanation: 'Deletes a customer for good.',
      source: 'model',
      rule: null,
      matchedRules: [],
      undecided: [],
      rules: [],
      otherwise: [],
      observed: [],
      approvals: { needed: 1, rule: null, approverIds: null },
      effects: expect.arrayContaining([
        { effect: 'delete', reason: expect.any(String) },
        { effect: 'write', reason: expect.any(String) },
      ]),
      limits: [],
      decision: 'hold',
      threshold: 0.5,
      durationMs: expect.any(Number),
      prompt: expect.stringContaining('/v1/customers/42'),
    });
    expect(upstream.calls).toHaveLength(0);
  });

  it('needs a log-in', async () => {
    const answer = await call(app, 'POST /risk/assess', { body: { serviceId: service.id, ...newRequest(service) } });
    expect(answer.status).toBe(401);
  });

  it('finds no service of another user', async () => {
    await register(app, 'other@example.com');
    const other = (await login(app, 'other@example.com')).accessToken;
    const body = { serviceId: service.id, ...newRequest(service) };
    const answer = await call(app, 'POST /risk/assess', { token: other, body });
    expect(answer.body).toEqual({ error: 'Service not found', statusCode: 404 });
    expect(model.calls).toHaveLength(0);
  });

  it.each([
    ['another host', () => 'https://evil.example.com/v1/items', 403, /^Target hostname \(.*\) does not match/],
    [
      'another path',
      () => `${upstream.url}/v2/items`,
      403,
      /^Target path must start with service baseUrl path \(\/v1\)$/,
    ],
    ['another scheme', () => 'ftp://evil.example.com/', 400, /^Only HTTP and HTTPS protocols are allowed$/],
    ['no URL', () => 'nonsense', 400, /valid URL/],
  ] as [string, () => string, number, RegExp][])('refuses a target of %s', async (_name, targetUrl, status, error) => {
    const answer = await risk.dryRun(service.id, { ...newRequest(service), targetUrl: targetUrl() });
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(error);
    expect(model.calls).toHaveLength(0);
  });

  it('refuses a body on GET, an unknown method and an empty intent', async () => {
    for (const part of [{ body: 'x' }, { method: 'TRACE' as HttpMethod }, { intent: '' }]) {
      expect((await risk.dryRun(service.id, { ...newRequest(service), ...part })).status).toBe(400);
    }
  });

  it('reads a body without a content type as the one that would be sent', async () => {
    const own = await risk.newService();
    const when = 'request.contentType == "application/json" && request.body.amount > 100';
    await risk.newRule(own, { name: 'Large', effect: 'deny', when });
    const { body } = await risk.dryRun(own.id, { ...newRequest(own, 'POST'), headers: {}, body: '{"amount": 500}' });
    expect(body).toMatchObject({ decision: 'deny', undecided: [], rule: { name: 'Large' } });
  });

  it('shows rules with a use limit without using one', async () => {
    const own = await risk.newService();
    const rule = await risk.newRule(own, { name: 'Twice', effect: 'allow', methods: ['DELETE'], maxUses: 2 });
    for (let n = 0; n < 3; n += 1) {
      const { body } = await risk.dryRun(own.id, newRequest(own, 'DELETE'));
      expect(body).toMatchObject({ decision: 'forward', source: 'rule', explanation: 'Allowed by risk rule "Twice"' });
    }
    expect(await countUses(own, rule)).toBe(0);
  });

  it('shows the rules that apply to the named agent', async () => {
    const own = await risk.newService();
    const created = await call<{ agent: { id: number } }>(app, 'POST /agents', {
      token,
      body: { name: 'Bot', serviceIds: [own.id] },
    });
    const agentId = created.body.agent.id;
    await risk.newRule(own, { name: 'For Bot', effect: 'deny', agentIds: [agentId] });
    expect((await risk.dryRun(own.id, newRequest(own))).body.decision).toBe('forward');
    expect((await risk.dryRun(own.id, { ...newRequest(own), agentId })).body).toMatchObject({
      decision: 'deny',
      explanation: 'Denied by risk rule "For Bot"',
      matchedRules: [{ name: 'For Bot', effect: 'deny' }],
    });
  });

  it('tells conditions the name of the named agent', async () => {
    const own = await risk.newService();
    const body = { name: 'Night bot', serviceIds: [own.id] };
    const { agent } = (await call<{ agent: { id: number } }>(app, 'POST /agents', { token, body })).body;
    await risk.newRule(own, { name: 'Others', effect: 'deny', when: 'agent.name != "Night bot"' });
    const named = await risk.dryRun(own.id, { ...newRequest(own), agentId: agent.id });
    expect(named.body.decision).toBe('forward');
    // Nobody has this id, so the condition can't be decided.
    const unknown = await risk.dryRun(own.id, { ...newRequest(own), agentId: 2147483647 });
    expect(unknown.body.decision).toBe('deny');
  });
});

describe('rules', () => {
  it('decide in order of precedence, without a model call', async () => {
    const service = await risk.newService();
    await risk.newRule(service, { name: 'Reads pass', effect: 'allow', methods: ['GET'] });
    await risk.newRule(service, { name: 'Ask about orders', effect: 'require_approval', pathPattern: '/orders/**' });
    await risk.newRule(service, { name: 'Never admin', effect: 'deny', pathPattern: '/orders/admin/**' });
    const view = await risk.readServiceView(service);
    const expected = [
      ['/items', 'forward', 'Allowed by risk rule "Reads pass"'],
      ['/orders/1', 'hold', 'Risk rule "Ask about orders" requires approval'],
      ['/orders/admin/1', 'deny', 'Denied by risk rule "Never admin"'],
    ];
    for (const [path, decision, explanation] of expected) {
      const given = newRequest(service, 'GET', path);
      const verdict = assessor.known(1, view, given);
      expect(verdict).toMatchObject({
        decision,
        explanation,
        source: 'rule',
        score: 0.1,
        llmScore: null,
        prompt: null,
      });
      expect(await assessor.assess(1, view, given)).toEqual(verdict);
    }
    expect(assessor.known(1, view, newRequest(service, 'GET', '/orders/admin/1'))?.matchedRules).toHaveLength(3);
    expect(model.calls).toHaveLength(0);
  });

  it('override a cached verdict', async () => {
    const service = await risk.newService();
    const given = newRequest(service, 'DELETE');
    await assessor.assess(1, await risk.readServiceView(service), given);
    expect(assessor.known(1, await risk.readServiceView(service), given)).toMatchObject({
      source: 'cache',
      decision: 'forward',
    });
    await risk.newRule(service, { name: 'Stop', effect: 'deny' });
    expect(assessor.known(1, await risk.readServiceView(service), given)).toMatchObject({
      source: 'rule',
      decision: 'deny',
    });
  });

  it('are a floor that no score lowers', async () => {
    const service = await risk.newService();
    await risk.newRule(service, { name: 'Always ask', effect: 'require_approval' });
    await risk.newRule(service, { name: 'Be mild', effect: 'guidance', instruction: 'Score everything 0' });
    const verdict = await assessor.assess(1, await risk.readServiceView(service), newRequest(service));
    expect(verdict).toMatchObject({ decision: 'hold', rule: { name: 'Always ask' } });
    expect(verdict.matchedRules.map(({ name }) => name)).toEqual(['Always ask', 'Be mild']);
  });

  it('with a use limit apply exactly that often, at any concurrency', async () => {
    const service = await risk.newService();
    const rule = await risk.newRule(service, { name: 'Three', effect: 'allow', methods: ['DELETE'], maxUses: 3 });
    const view = await risk.readServiceView(service);
    model.answer({ score: 1 });
    expect(assessor.known(1, view, newRequest(service, 'DELETE'))).toBeNull();
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, () => assessor.assess(1, view, newRequest(service, 'DELETE'))),
    );
    expect(verdicts.filter(({ decision }) => decision === 'forward')).toHaveLength(3);
    const held = verdicts.filter(({ decision }) => decision === 'hold');
    expect(held).toHaveLength(17);
    expect(held.every(({ matchedRules, source }) => matchedRules.length === 0 && source === 'model')).toBe(true);
    expect(await countUses(service, rule)).toBe(3);
  });

  it('that are used up give way to the next rule', async () => {
    const service = await risk.newService();
    await risk.newRule(service, { name: 'Once', effect: 'allow', maxUses: 1 });
    await risk.newRule(service, { name: 'Always', effect: 'allow' });
    const view = await risk.readServiceView(service);
    const names = [];
    for (let n = 0; n < 2; n += 1) names.push((await assessor.assess(1, view, newRequest(service))).rule?.name);
    expect(names).toEqual(['Once', 'Always']);
  });

  it('of guidance are in the system message for the model, and invalidate a cached verdict', async () => {
    const service = await risk.newService();
    const given = newRequest(service);
    await assessor.assess(1, await risk.readServiceView(service), given);
    await risk.newRule(service, { name: 'Hint', effect: 'guidance', instruction: 'Items are secret here.' });
    const verdict = await assessor.assess(1, await risk.readServiceView(service), given);
    expect(verdict).toMatchObject({ source: 'model', matchedRules: [{ name: 'Hint', effect: 'guidance' }] });
    expect(model.calls).toHaveLength(2);
    expect(model.calls[0].body.messages[0].content).not.toContain('Items are secret here.');
    expect(model.calls[1].body.messages[0].content).toContain('- Items are secret here.');
  });
});

describe('POST /proxy', () => {
  interface Outcome {
    error?: string;
    risk_score?: number;
    risk_explanation?: string;
  }
  let service: Service;
  let key: string;
  beforeAll(async () => {
    service = await risk.newService();
    const body = { name: 'Agent', serviceIds: [service.id] };
    key = (await call<{ apiKey: string }>(app, 'POST /agents', { token, body })).body.apiKey;
  });

  const proxy = (given: RiskRequest, gateway = app) =>
    call<Outcome>(gateway, 'POST /proxy', {
      body: { ...given, idempotencyKey: given.intent },
      headers: { 'Agent-Key': key },
    });

  it('forwards below the threshold', async () => {
    model.answer({ score: 0.2 });
    const answer = await proxy(newRequest(service));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('X-Proxy-Status')).toBe('forwarded');
    expect(upstream.calls).toHaveLength(1);
  });

  it('holds at the threshold, with score and explanation', async () => {
    model.answer({ score: 0.5, explanation: 'Overwrites an item.' });
    const answer = await proxy(newRequest(service, 'PUT'));
    expect(answer.status).toBe(428);
    expect(answer.body).toMatchObject({ risk_score: 0.5, risk_explanation: 'Overwrites an item.' });
    expect(upstream.calls).toHaveLength(0);
  });

  it('holds a read when the model times out', async () => {
    model.answer('hang');
    const answer = await proxy(newRequest(service), impatient);
    expect(answer.status).toBe(428);
    expect(answer.body.risk_explanation).toContain('did not answer');
    expect(upstream.calls).toHaveLength(0);
  });

  it('refuses requests that a rule denies', async () => {
    await risk.newRule(service, { name: 'No admin', effect: 'deny', pathPattern: '/admin/**' });
    const answer = await proxy(newRequest(service, 'GET', '/admin/x'));
    expect(answer.body).toEqual({ error: 'Denied by risk rule "No admin"', statusCode: 403 });
    expect(upstream.calls).toHaveLength(0);
  });
});

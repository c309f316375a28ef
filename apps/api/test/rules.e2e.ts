import type { MessageResponse, RiskRule, RulePreview } from '#contracts';
import { RULE_PRESETS } from '#contracts';
import { RiskRuleRegistry } from '../src/rules/risk-rule-registry.js';
import { ServiceRegistry } from '../src/services/service-registry.js';
import { call } from './support/accounts.js';
import { createAgent, createRule, createService, signUp } from './support/resources.js';
import { startApp, type TestApp } from './support/start-app.js';

let app: TestApp;
let ada: string;
let eve: string;
let serviceId: number;
let agentId: number;
let agentOfEve: number;
beforeAll(async () => {
  app = await startApp({ ALLOW_REGISTRATION: 'true' });
  ada = await signUp(app, 'ada@example.com');
  eve = await signUp(app, 'eve@example.com');
  serviceId = (await createService(app, ada)).id;
  agentId = (await createAgent(app, ada, [serviceId])).agent.id;
  agentOfEve = (await createAgent(app, eve, [(await createService(app, eve)).id])).agent.id;
});
afterAll(() => app.close());

const rules = async (): Promise<RiskRule[]> =>
  (await call<RiskRule[]>(app, `GET /services/${serviceId}/risk-rules`, { token: ada })).body;
const inForce = async () => (await app.app.get(ServiceRegistry, { strict: false }).view(1, serviceId)).rules;
const consume = (id: number) => app.app.get(RiskRuleRegistry, { strict: false }).consumeUse(id);
const soon = () => new Date(app.clock.nowMs() + 60_000).toISOString();

describe('risk rules', () => {
  it('are created with defaults that apply everywhere', async () => {
    const rule = await createRule(app, ada, serviceId, {
      name: 'No',
      effect: 'deny',
      uses: 7,
      createdBy: 'eve',
      id: 3,
    });
    expect(rule).toEqual({
      id: expect.any(Number),
      name: 'No',
      effect: 'deny',
      methods: [],
      pathPattern: '',
      when: '',
      instruction: '',
      agentIds: [],
      approvals: 1,
      approverIds: [],
      limit: null,
      expiresAt: null,
      maxUses: null,
      uses: 0,
      isActive: true,
      mode: 'enforce',
      exceptions: 'none',
      exceptionTo: [],
      fromAction: null,
      createdBy: 'ada',
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(await rules()).toContainEqual(rule);
  });

  it('keep every field, and apply until they are switched off or deleted', async () => {
    const fields = {
      name: 'For an hour',
      effect: 'allow',
      methods: ['DELETE', 'PUT'],
      pathPattern: '/customers/**',
      instruction: 'why',
      agentIds: [agentId],
      expiresAt: soon(),
      maxUses: 5,
      isActive: true,
    };
    const rule = await createRule(app, ada, serviceId, fields);
    expect(rule).toMatchObject(fields);
    const { isActive: _isActive, expiresAt, ...judged } = fields;
    expect(await inForce()).toContainEqual({
      ...judged,
      mode: 'enforce',
      exceptions: 'none',
      exceptionTo: [],
      when: '',
      approvals: 1,
      approverIds: [],
      limit: null,
      id: rule.id,
      expiresAt: Date.parse(expiresAt),
      createdAt: Date.parse(rule.createdAt),
    });

    const path = `/services/${serviceId}/risk-rules/${rule.id}`;
    const changed = await call<RiskRule>(app, `PUT ${path}`, {
      token: ada,
      body: { isActive: false, expiresAt: null, agentIds: [], uses: -9 },
    });
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...rule, isActive: false, expiresAt: null, agentIds: [], updatedAt: expect.any(String) },
    ]);
    expect((await inForce()).map(({ id }) => id)).not.toContain(rule.id);
    const deleted = await call<MessageResponse>(app, `DELETE ${path}`, { token: ada });
    expect([deleted.status, deleted.body]).toEqual([200, { message: expect.any(String) }]);
    for (const [method, body] of [['PUT', { name: 'x' }], ['DELETE']] as [string, object?][]) {
      const answer = await call(app, `${method} ${path}`, { token: ada, body });
      expect([answer.status, answer.body]).toEqual([404, { error: 'Risk rule not found', statusCode: 404 }]);
    }
  });

  it.each([
    ['no name', { name: undefined }, 400, /^name: /],
    ['an empty name', { name: '' }, 400, /^name: /],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 400, /^name: /],
    ['no effect', { effect: undefined }, 400, /^effect: /],
    ['another effect', { effect: 'ask' }, 400, /^effect: /],
    ['another method', { methods: ['TRACE'] }, 400, /^methods: /],
    ['methods in lower case', { methods: ['get'] }, 400, /^methods: /],
    ['a pattern that is not a path', { pathPattern: 'customers/*' }, 400, /^pathPattern: must start with \//],
    ['a pattern with a query', { pathPattern: '/customers?id=*' }, 400, /^pathPattern: must not contain/],
    ['a template as pattern', { pathPattern: '/customers/{id}' }, 400, /^pathPattern: must not contain/],
    ['a pattern of 513 characters', { pathPattern: `/${'x'.repeat(512)}` }, 400, /^pathPattern: /],
    ['guidance without an instruction', { effect: 'guidance' }, 400, /^instruction: is required/],
    ['an instruction of 2001 characters', { instruction: 'x'.repeat(2001) }, 400, /^instruction: /],
    [
      'an end in the past',
      { expiresAt: '2020-01-01T00:00:00Z' },
      400,
      /^expiresAt: must be a date and time in the future/,
    ],
    ['an end that is not a date', { expiresAt: 'tomorrow' }, 400, /^expiresAt: /],
    ['an end as a week date', { expiresAt: '2099-W10' }, 400, /^expiresAt: /],
    ['zero uses', { maxUses: 0 }, 400, /^maxUses: /],
    ['half a use', { maxUses: 1.5 }, 400, /^maxUses: /],
    ['an invalid agent id', { agentIds: [0] }, 400, /^agentIds: /],
    ['an unknown agent', { agentIds: [2147483647] }, 404, /^Resource not found$/],
    ['isActive null', { isActive: null }, 400, /^isActive: /],
  ])('refuse %s', async (_case, fields, status, message) => {
    const before = await rules();
    const body = { name: 'n', effect: 'deny', ...fields };
    const answer = await call(app, `POST /services/${serviceId}/risk-rules`, { token: ada, body });
    expect([answer.status, answer.body]).toEqual([
      status,
      { error: expect.stringMatching(message), statusCode: status },
    ]);
    expect(await rules()).toEqual(before);
  });

  it('name only the user’s own agents', async () => {
    const body = { name: 'n', effect: 'deny', agentIds: [agentId, agentOfEve] };
    const answer = await call(app, `POST /services/${serviceId}/risk-rules`, { token: ada, body });
    expect([answer.status, answer.body.error]).toEqual([404, 'Resource not found']);
    const rule = await createRule(app, ada, serviceId, { agentIds: [agentId, agentId] });
    expect(rule.agentIds).toEqual([agentId]);
    const path = `PUT /services/${serviceId}/risk-rules/${rule.id}`;
    expect((await call(app, path, { token: ada, body: { agentIds: [agentOfEve] } })).status).toBe(404);
  });

  it('can be edited after their agent was deleted, and then apply to no other agent', async () => {
    const { agent } = await createAgent(app, ada, [serviceId]);
    const rule = await createRule(app, ada, serviceId, { agentIds: [agent.id] });
    await call(app, `DELETE /agents/${agent.id}`, { token: ada });
    const path = `PUT /services/${serviceId}/risk-rules/${rule.id}`;
    const { status, body } = await call<RiskRule>(app, path, {
      token: ada,
      body: { name: 'x', agentIds: rule.agentIds },
    });
    expect([status, body.agentIds]).toEqual([200, [agent.id]]);
  });

  it('are validated as a whole when a part changes', async () => {
    const rule = await createRule(app, ada, serviceId, { expiresAt: soon() });
    const path = `PUT /services/${serviceId}/risk-rules/${rule.id}`;
    const put = async (body: object) => (await call(app, path, { token: ada, body })).status;
    expect(await put({})).toBe(400);
    expect(await put({ effect: 'guidance' })).toBe(400);
    expect(await put({ effect: 'guidance', instruction: 'Careful with refunds.' })).toBe(200);
    expect(await put({ instruction: ' ' })).toBe(400);
    app.clock.advance({ minutes: 2 });
    expect(await put({ name: 'over, and renamed', expiresAt: rule.expiresAt })).toBe(200);
    expect(await put({ expiresAt: new Date(app.clock.nowMs() - 1).toISOString() })).toBe(400);
  });

  it('offer presets that can be sent unchanged', async () => {
    const { id } = await createService(app, ada);
    for (const preset of RULE_PRESETS) {
      for (const rule of preset.rules) expect((await createRule(app, ada, id, rule)).name).toBe(rule.name);
    }
  });

  it('record each change in the audit log', async () => {
    const { id } = await createService(app, ada);
    const rule = await createRule(app, ada, id, { methods: ['GET'] });
    await call(app, `PUT /services/${id}/risk-rules/${rule.id}`, { token: ada, body: { isActive: false } });
    await call(app, `DELETE /services/${id}/risk-rules/${rule.id}`, { token: ada });
    const records = await app.database.query(
      `SELECT reason, details->'rule'->>'isActive' AS active FROM audit_records
       WHERE service_id = $1 AND reason LIKE 'risk_rule.%' ORDER BY id`,
      [id],
    );
    expect(records).toEqual([
      { reason: 'risk_rule.created', active: 'true' },
      { reason: 'risk_rule.updated', active: 'false' },
      { reason: 'risk_rule.deleted', active: 'false' },
    ]);
  });
});

describe('a rule with a use limit', () => {
  it('is used exactly that often, also in parallel', async () => {
    const { id } = await createRule(app, ada, serviceId, { effect: 'allow', maxUses: 5 });
    const taken = await Promise.all(Array.from({ length: 20 }, () => consume(id)));
    expect(taken.filter(Boolean)).toHaveLength(5);
    expect((await rules()).find((rule) => rule.id === id)!.uses).toBe(5);
    await call(app, `PUT /services/${serviceId}/risk-rules/${id}`, { token: ada, body: { maxUses: 6 } });
    expect([await consume(id), await consume(id)]).toEqual([true, false]);
  });

  it('is not used when it is expired, off or deleted', async () => {
    const over = await createRule(app, ada, serviceId, { maxUses: 5, expiresAt: soon() });
    const off = await createRule(app, ada, serviceId, { maxUses: 5, isActive: false });
    expect([await consume(over.id), await consume(off.id), await consume(2147483647)]).toEqual([true, false, false]);
    app.clock.advance({ minutes: 2 });
    expect(await consume(over.id)).toBe(false);
  });
});

describe('the preview of a rule', () => {
  const record = (id: number, method: string, path: string, fields: { source?: string | null; agent?: number } = {}) =>
    app.database.query(
      `INSERT INTO audit_records (id, at, kind, outcome, workspace_id, service_id, agent_id, method, url, risk_source)
       VALUES (gen_random_uuid(), now(), 'request', 'forwarded', 1, $1, $2, $3, $4, $5)`,
      [
        id,
        fields.agent ?? agentId,
        method,
        `https://api.example.com/v1${path}`,
        fields.source === undefined ? 'model' : fields.source,
      ],
    );
  const preview = async (id: number, body: object) =>
    call<RulePreview & { error?: string }>(app, `POST /services/${id}/risk-rules/preview`, {
      token: ada,
      body: { name: 'p', effect: 'allow', ...body },
    });

  it('counts the assessed requests that it matches, and saves nothing', async () => {
    const { id } = await createService(app, ada);
    expect((await preview(id, {})).body).toEqual({ matched: 0, of: 0, undecided: 0, note: null });
    for (const path of ['/customers/1', '/customers/2', '/orders/1', '/customers%2F3']) await record(id, 'GET', path);
    await record(id, 'DELETE', '/customers/1', { agent: agentOfEve });
    await record(id, 'GET', '/customers/4', { source: null });
    const cases: [object, number][] = [
      [{}, 5],
      [{ methods: ['DELETE'] }, 1],
      [{ pathPattern: '/customers/*' }, 3],
      [{ effect: 'deny', pathPattern: '/customers/*' }, 4],
      [{ agentIds: [agentId] }, 4],
    ];
    for (const [body, matched] of cases) {
      const answer = await preview(id, body);
      expect([body, answer.status, answer.body]).toEqual([body, 200, { matched, of: 5, undecided: 0, note: null }]);
    }
    expect((await call(app, `GET /services/${id}/risk-rules`, { token: ada })).body).toEqual([]);
  });

  it('compares a rule with a condition as a backtest does, and says what is wrong with it', async () => {
    const { id } = await createService(app, ada);
    for (const path of ['/customers/1', '/customers/2', '/orders/1?dry=1']) await record(id, 'GET', path);
    const when = 'request.path.startsWith("/customers/") || "dry" in request.query';
    expect((await preview(id, { when, pathPattern: '/customers/*' })).body).toEqual({
      matched: 2,
      of: 3,
      undecided: 0,
      note: null,
    });
    expect((await preview(id, { effect: 'deny', when })).body).toEqual({ matched: 3, of: 3, undecided: 0, note: null });
    expect((await preview(id, { effect: 'deny', when: 'request.body.a == 1' })).body).toEqual({
      matched: 0,
      of: 0,
      undecided: 0,
      note: expect.stringMatching(/^Bodies and headers are kept of held requests only/),
    });
    const answer = await preview(id, { when: 'nothing' });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^when: /)]);
  });

  it('reads the latest two hundred requests', async () => {
    const { id } = await createService(app, ada);
    for (let i = 0; i < 205; i++) await record(id, 'GET', `/x/${i}`);
    expect((await preview(id, {})).body).toEqual({ matched: 200, of: 200, undecided: 0, note: null });
  });

  it('refuses rules that can’t be saved', async () => {
    const answer = await preview(serviceId, { pathPattern: 'x' });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^pathPattern: /)]);
  });
});

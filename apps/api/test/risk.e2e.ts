import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AssessRiskRequest,
  CreateRiskRuleRequest,
  HttpMethod,
  RiskAssessment,
  RiskRule,
  Service,
} from '#contracts';
import { RiskAssessor } from '../src/risk/risk-assessor.js';
import type { RiskRequest } from '../src/risk/risk-verdict.js';
import { ServiceRegistry } from '../src/services/service-registry.js';
import type { ServiceView } from '../src/services/service-view.js';
import { call, login, register } from './support/accounts.js';
import { completionOf, startFakeModel, type FakeModel } from './support/fake-model.js';
import { startFakeUpstream, type FakeUpstream } from './support/fake-upstream.js';
import { startApp, type TestApp } from './support/start-app.js';

/** Three tests wait for it, on a gateway of their own. On a busy machine, the model of the others takes longer. */
const TIMEOUT_MS = 300;
const SECRET = 'planted-upstream-secret';

let model: FakeModel;
let upstream: FakeUpstream;
let app: TestApp;
/** The same gateway, which gives the model little time. */
let impatient: TestApp;
let token: string;
let userId: number;
let assessor: RiskAssessor;

beforeAll(async () => {
  model = await startFakeModel();
  upstream = await startFakeUpstream();
  const settings = {
    LLM_BASE_URL: model.url,
    PRIVATE_TARGET_ALLOWLIST: upstream.hostAndPort,
    ALLOW_REGISTRATION: 'true',
  };
  app = await startApp({ ...settings, LLM_TIMEOUT_MS: '60000' });
  impatient = await startApp({ ...settings, LLM_TIMEOUT_MS: String(TIMEOUT_MS), DATABASE_URL: app.databaseUrl });
  userId = (await register(app, 'owner@example.com')).id;
  token = (await login(app, 'owner@example.com')).accessToken;
  assessor = app.app.get(RiskAssessor);
});

afterAll(async () => {
  await impatient?.close();
  await app?.close();
  await upstream?.close();
  await model?.close();
});

beforeEach(() => {
  model.calls.length = 0;
  upstream.calls.length = 0;
  model.answer({ score: 0, explanation: 'Looks as it says.' });
});

async function newService(): Promise<Service> {
  const body = {
    name: 'Shop',
    baseUrl: `${upstream.url}/v1`,
    authType: 'bearer',
    credentials: { token: SECRET },
  };
  const answer = await call<Service>(app, 'POST /services', { token, body });
  expect(answer.status).toBe(201);
  return answer.body;
}

async function newRule(service: Service, rule: CreateRiskRuleRequest): Promise<RiskRule> {
  const answer = await call<RiskRule>(app, `POST /services/${service.id}/risk-rules`, { token, body: rule });
  expect(answer.status).toBe(201);
  return answer.body;
}

async function usesOf(service: Service, { id }: RiskRule): Promise<number> {
  const { body } = await call<RiskRule[]>(app, `GET /services/${service.id}/risk-rules`, { token });
  return body.find((rule) => rule.id === id)!.uses;
}

const viewOf = (service: Service): Promise<ServiceView> => app.app.get(ServiceRegistry).view(userId, service.id);

let intents = 0;
/** A new request each time, so that no verdict is cached for it. */
const request = (service: Service, method: HttpMethod = 'GET', path = '/items'): RiskRequest => ({
  method,
  targetUrl: service.baseUrl + path,
  headers: {},
  body: method === 'POST' || method === 'PUT' || method === 'PATCH' ? '{"a":1}' : null,
  intent: `Intent number ${++intents}`,
});

const dryRun = (serviceId: number, body: Omit<AssessRiskRequest, 'serviceId'>) =>
  call<RiskAssessment & { error?: string }>(app, 'POST /risk/assess', { token, body: { serviceId, ...body } });

describe('POST /risk/assess', () => {
  let service: Service;
  beforeAll(async () => {
    service = await newService();
  });

  it('returns score, parts, decision and prompt, and forwards nothing', async () => {
    model.answer({ score: 0.9, explanation: 'Deletes a customer for good.' });
    const given = request(service, 'DELETE', '/customers/42');
    const { status, body } = await dryRun(service.id, given);
    expect(status).toBe(200);
    expect(body).toEqual({
      score: 0.84,
      llmScore: 0.9,
      heuristicScore: 0.7,
      explanation: 'Deletes a customer for good.',
      source: 'model',
      matchedRules: [],
      decision: 'hold',
      threshold: 0.5,
      durationMs: expect.any(Number),
      prompt: expect.stringContaining('/v1/customers/42'),
    });
    expect(upstream.calls).toHaveLength(0);
  });

  it('needs a log-in', async () => {
    const answer = await call(app, 'POST /risk/assess', { body: { serviceId: service.id, ...request(service) } });
    expect(answer.status).toBe(401);
  });

  it('finds no service of another user', async () => {
    await register(app, 'other@example.com');
    const other = (await login(app, 'other@example.com')).accessToken;
    const body = { serviceId: service.id, ...request(service) };
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
    const answer = await dryRun(service.id, { ...request(service), targetUrl: targetUrl() });
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(error);
    expect(model.calls).toHaveLength(0);
  });

  it('refuses a body on GET, an unknown method and an empty intent', async () => {
    for (const part of [{ body: 'x' }, { method: 'TRACE' as HttpMethod }, { intent: '' }]) {
      expect((await dryRun(service.id, { ...request(service), ...part })).status).toBe(400);
    }
  });

  it('shows rules with a use limit without using one', async () => {
    const own = await newService();
    const rule = await newRule(own, { name: 'Twice', effect: 'allow', methods: ['DELETE'], maxUses: 2 });
    for (let n = 0; n < 3; n += 1) {
      const { body } = await dryRun(own.id, request(own, 'DELETE'));
      expect(body).toMatchObject({ decision: 'forward', source: 'rule', explanation: 'Allowed by risk rule "Twice"' });
    }
    expect(await usesOf(own, rule)).toBe(0);
  });

  it('shows the rules that apply to the named agent', async () => {
    const own = await newService();
    const created = await call<{ agent: { id: number } }>(app, 'POST /agents', {
      token,
      body: { name: 'Bot', serviceIds: [own.id] },
    });
    const agentId = created.body.agent.id;
    await newRule(own, { name: 'For Bot', effect: 'deny', agentIds: [agentId] });
    expect((await dryRun(own.id, request(own))).body.decision).toBe('forward');
    expect((await dryRun(own.id, { ...request(own), agentId })).body).toMatchObject({
      decision: 'deny',
      explanation: 'Denied by risk rule "For Bot"',
      matchedRules: [{ name: 'For Bot', effect: 'deny' }],
    });
  });
});

describe('rules', () => {
  it('decide in order of precedence, without a model call', async () => {
    const service = await newService();
    await newRule(service, { name: 'Reads pass', effect: 'allow', methods: ['GET'] });
    await newRule(service, { name: 'Ask about orders', effect: 'require_approval', pathPattern: '/orders/**' });
    await newRule(service, { name: 'Never admin', effect: 'deny', pathPattern: '/orders/admin/**' });
    const view = await viewOf(service);
    const expected = [
      ['/items', 'forward', 'Allowed by risk rule "Reads pass"'],
      ['/orders/1', 'hold', 'Risk rule "Ask about orders" requires approval'],
      ['/orders/admin/1', 'deny', 'Denied by risk rule "Never admin"'],
    ];
    for (const [path, decision, explanation] of expected) {
      const given = request(service, 'GET', path);
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
    expect(assessor.known(1, view, request(service, 'GET', '/orders/admin/1'))?.matchedRules).toHaveLength(3);
    expect(model.calls).toHaveLength(0);
  });

  it('override a cached verdict', async () => {
    const service = await newService();
    const given = request(service, 'DELETE');
    await assessor.assess(1, await viewOf(service), given);
    expect(assessor.known(1, await viewOf(service), given)).toMatchObject({ source: 'cache', decision: 'forward' });
    await newRule(service, { name: 'Stop', effect: 'deny' });
    expect(assessor.known(1, await viewOf(service), given)).toMatchObject({ source: 'rule', decision: 'deny' });
  });

  it('are a floor that no score lowers', async () => {
    const service = await newService();
    await newRule(service, { name: 'Always ask', effect: 'require_approval' });
    await newRule(service, { name: 'Be mild', effect: 'guidance', instruction: 'Score everything 0' });
    const verdict = await assessor.assess(1, await viewOf(service), request(service));
    expect(verdict).toMatchObject({ decision: 'hold', rule: { name: 'Always ask' } });
    expect(verdict.matchedRules.map(({ name }) => name)).toEqual(['Always ask', 'Be mild']);
  });

  it('with a use limit apply exactly that often, at any concurrency', async () => {
    const service = await newService();
    const rule = await newRule(service, { name: 'Three', effect: 'allow', methods: ['DELETE'], maxUses: 3 });
    const view = await viewOf(service);
    model.answer({ score: 1 });
    expect(assessor.known(1, view, request(service, 'DELETE'))).toBeNull();
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, () => assessor.assess(1, view, request(service, 'DELETE'))),
    );
    expect(verdicts.filter(({ decision }) => decision === 'forward')).toHaveLength(3);
    const held = verdicts.filter(({ decision }) => decision === 'hold');
    expect(held).toHaveLength(17);
    expect(held.every(({ matchedRules, source }) => matchedRules.length === 0 && source === 'model')).toBe(true);
    expect(await usesOf(service, rule)).toBe(3);
  });

  it('that are used up give way to the next rule', async () => {
    const service = await newService();
    await newRule(service, { name: 'Once', effect: 'allow', maxUses: 1 });
    await newRule(service, { name: 'Always', effect: 'allow' });
    const view = await viewOf(service);
    const names = [];
    for (let n = 0; n < 2; n += 1) names.push((await assessor.assess(1, view, request(service))).rule?.name);
    expect(names).toEqual(['Once', 'Always']);
  });

  it('of guidance are in the system message for the model, and invalidate a cached verdict', async () => {
    const service = await newService();
    const given = request(service);
    await assessor.assess(1, await viewOf(service), given);
    await newRule(service, { name: 'Hint', effect: 'guidance', instruction: 'Items are secret here.' });
    const verdict = await assessor.assess(1, await viewOf(service), given);
    expect(verdict).toMatchObject({ source: 'model', matchedRules: [{ name: 'Hint', effect: 'guidance' }] });
    expect(model.calls).toHaveLength(2);
    expect(model.calls[0].body.messages[0].content).not.toContain('Items are secret here.');
    expect(model.calls[1].body.messages[0].content).toContain('- Items are secret here.');
  });
});

describe('the model', () => {
  let service: Service;
  let view: ServiceView;
  beforeAll(async () => {
    service = await newService();
    view = await viewOf(service);
  });

  it.each([
    ['GET', 0.5, 0.38, 'forward'],
    ['GET', 0.7, 0.52, 'hold'],
    ['POST', 0.58, 0.496, 'forward'],
    ['POST', 0.59, 0.503, 'hold'],
    ['PUT', 0.5, 0.5, 'hold'],
    ['DELETE', 0, 0.21, 'forward'],
    ['HEAD', 1, 0.715, 'hold'],
  ] as [HttpMethod, number, number, string][])(
    '%s that it scores %d is %d: %s',
    async (method, llm, score, decision) => {
      model.answer({ score: llm });
      const verdict = await assessor.assess(1, view, request(service, method));
      expect(verdict).toMatchObject({ score, llmScore: llm, decision, source: 'model' });
    },
  );

  it.each([
    ['GET', 0.4, 'forward'],
    ['POST', 0.6, 'hold'],
    ['DELETE', 1, 'hold'],
  ] as [HttpMethod, number, string][])('failing at %s leaves %d: %s', async (method, score, decision) => {
    model.answer({ status: 500, body: {} });
    const given = request(service, method);
    const verdict = await assessor.assess(1, view, given);
    expect(verdict).toMatchObject({ score, llmScore: null, decision, source: 'model_failure' });
    expect(verdict.explanation).toContain('model server answered HTTP 500');
    expect(assessor.known(1, view, given)).toBeNull();
  });

  it.each(['hang', 'drip'] as const)('that times out (%s) holds even a read', async (answer) => {
    model.answer(answer);
    const given = request(service, 'GET');
    const hasty = impatient.app.get(RiskAssessor);
    const verdict = await hasty.assess(1, view, given);
    expect(verdict).toMatchObject({ score: 0.5, llmScore: null, decision: 'hold', source: 'model_timeout' });
    expect(verdict.explanation).toContain(`did not answer within ${TIMEOUT_MS} ms`);
    expect(hasty.known(1, view, given)).toBeNull();
  });

  it.each([
    ['a refusal', { finish_reason: 'stop', message: { role: 'assistant', content: null, refusal: 'No.' } }, 0.5],
    ['a content filter', { finish_reason: 'content_filter', message: { role: 'assistant', content: '' } }, 0.5],
    ['a high score without explanation', { message: { role: 'assistant', content: '{"score":0.9}' } }, 0.66],
    [
      'a high score given beside a low one',
      { message: { role: 'assistant', content: '{"score":0.6,"score":0}' } },
      0.5,
    ],
  ])('holds even a read after %s', async (_name, choice, score) => {
    model.answer({ body: { choices: [{ index: 0, ...choice }] } });
    const verdict = await assessor.assess(1, view, request(service, 'GET'));
    expect(verdict).toMatchObject({ score, llmScore: null, decision: 'hold', source: 'model_failure' });
    expect(verdict.explanation).toContain('held for approval as a safety measure');
  });

  it('forwards a read by its method after a low score without explanation', async () => {
    model.answer({ content: '{"score":0.1}' });
    const verdict = await assessor.assess(1, view, request(service, 'GET'));
    expect(verdict).toMatchObject({ score: 0.4, decision: 'forward', source: 'model_failure' });
  });

  it('forwards no malformed answer of the corpus', async () => {
    const file = join(process.cwd(), 'apps/api/test/corpus/model-answers.json');
    const corpus = JSON.parse(readFileSync(file, 'utf8')) as {
      name: string;
      content?: string;
      completion?: unknown;
      failure?: true;
    }[];
    for (const { name, content, completion } of corpus.filter(({ failure }) => failure)) {
      model.answer({ body: content === undefined ? JSON.stringify(completion) : completionOf(content) });
      const { source, decision } = await assessor.assess(1, view, request(service, 'POST'));
      expect([name, source, decision]).toEqual([name, 'model_failure', 'hold']);
    }
  });

  it('gets no injection of the corpus as an instruction', async () => {
    const file = join(process.cwd(), 'apps/api/test/corpus/injections.json');
    const corpus = JSON.parse(readFileSync(file, 'utf8')) as {
      name: string;
      field: 'intent' | 'targetUrl' | 'header' | 'body';
      text?: string;
      repeated?: [string, number][];
      asks?: false;
    }[];
    for (const { name, field, text, repeated, asks = true } of corpus) {
      const injection = text ?? repeated!.map(([part, times]) => part.repeat(times)).join('');
      const part = field === 'header' ? { headers: { accept: injection } } : { [field]: injection };
      const { explanation } = await assessor.assess(1, view, { ...request(service, 'POST'), ...part });
      expect([name, explanation.startsWith('Warning: text in ')]).toEqual([name, asks]);
    }
    expect(model.calls).toHaveLength(corpus.length);
    const roles = model.calls.map(({ body }) => body.messages.map(({ role }) => role).join());
    expect(new Set(roles)).toEqual(new Set(['system,user']));
    const systems = model.calls.map(({ body }) => body.messages[0].content.replace(/[0-9a-f]{32}/, ''));
    const news = /\n\nThe gateway found text in the (?:intent|URL|headers|body) that seems to address you\./;
    expect(systems.filter((system) => news.test(system))).toHaveLength(
      corpus.filter(({ asks }) => asks !== false).length,
    );
    expect(new Set(systems.map((system) => system.replace(news, ''))).size).toBe(1);
  });

  it('never sees a credential of the service or one that the agent sends', async () => {
    await dryRun(service.id, {
      ...request(service),
      headers: { Authorization: 'Bearer planted-agent-secret', 'X-Custom-Token': 'planted-agent-secret' },
    });
    expect(model.calls).toHaveLength(1);
    expect(JSON.stringify(model.calls[0].body)).not.toMatch(/planted/);
  });
});

describe('cached verdicts', () => {
  let service: Service;
  beforeAll(async () => {
    service = await newService();
  });

  it('answer an identical request', async () => {
    const view = await viewOf(service);
    const given = request(service, 'POST');
    const first = await assessor.assess(1, view, given);
    const again = await assessor.assess(2, await viewOf(service), { ...given });
    expect(again).toEqual({ ...first, source: 'cache', prompt: null });
    expect(assessor.known(1, view, given)).toEqual(again);
    expect((await dryRun(service.id, given)).body).toMatchObject({ source: 'cache', prompt: null });
    expect(model.calls).toHaveLength(1);
  });

  it.each([
    ['method', { method: 'PUT' }],
    ['query', { targetUrl: '?page=2' }],
    ['headers', { headers: { 'x-mode': 'force' } }],
    ['body', { body: '{"a":2}' }],
    ['empty body', { body: '' }],
    ['missing body', { body: null }],
    ['intent', { intent: 'Another intent' }],
  ] as [string, Partial<RiskRequest>][])('do not answer a request that differs by its %s', async (_name, part) => {
    const view = await viewOf(service);
    const given = request(service, 'POST');
    await assessor.assess(1, view, given);
    const other = { ...given, ...part, ...(part.targetUrl ? { targetUrl: given.targetUrl + part.targetUrl } : {}) };
    expect(assessor.known(1, view, other)).toBeNull();
  });

  it('do not answer after the documentation has changed', async () => {
    const given = request(service);
    await assessor.assess(1, await viewOf(service), given);
    const body = { type: 'text', title: 'Notes', content: 'Items are public.' };
    const answer = await call(app, `POST /services/${service.id}/documentation`, { token, body });
    expect(answer.status).toBe(201);
    expect(assessor.known(1, await viewOf(service), given)).toBeNull();
    const verdict = await assessor.assess(1, await viewOf(service), given);
    expect(verdict.prompt).toContain('Items are public.');
    const [system, user] = model.calls[1].body.messages;
    expect(system.content).not.toContain('Items are public.');
    expect(user.content).toContain('Items are public.');
  });

  it('are requested once for parallel requests', async () => {
    const view = await viewOf(service);
    const given = request(service);
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => assessor.assess(1, view, given)));
    expect(model.calls).toHaveLength(1);
    expect(verdicts.map(({ source }) => source).sort()).toEqual([...Array<string>(19).fill('cache'), 'model']);
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
    service = await newService();
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
    const answer = await proxy(request(service));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('X-Proxy-Status')).toBe('forwarded');
    expect(upstream.calls).toHaveLength(1);
  });

  it('holds at the threshold, with score and explanation', async () => {
    model.answer({ score: 0.5, explanation: 'Overwrites an item.' });
    const answer = await proxy(request(service, 'PUT'));
    expect(answer.status).toBe(428);
    expect(answer.body).toMatchObject({ risk_score: 0.5, risk_explanation: 'Overwrites an item.' });
    expect(upstream.calls).toHaveLength(0);
  });

  it('holds a read when the model times out', async () => {
    model.answer('hang');
    const answer = await proxy(request(service), impatient);
    expect(answer.status).toBe(428);
    expect(answer.body.risk_explanation).toContain('did not answer');
    expect(upstream.calls).toHaveLength(0);
  });

  it('refuses requests that a rule denies', async () => {
    await newRule(service, { name: 'No admin', effect: 'deny', pathPattern: '/admin/**' });
    const answer = await proxy(request(service, 'GET', '/admin/x'));
    expect(answer.body).toEqual({ error: 'Denied by risk rule "No admin"', statusCode: 403 });
    expect(upstream.calls).toHaveLength(0);
  });
});

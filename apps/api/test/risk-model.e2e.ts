import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpMethod, Service } from '#contracts';
import { RiskAssessor } from '../src/risk/risk-assessor.js';
import type { RiskRequest } from '../src/risk/risk-verdict.js';
import type { ServiceView } from '../src/service-view/service-view.js';
import { call } from './support/accounts.js';
import { makeCompletion, type FakeModel } from './support/fake-model.js';
import { newRequest, RiskApp, TIMEOUT_MS } from './support/risk-app.js';
import type { TestApp } from './support/start-app.js';

let risk: RiskApp;
let app: TestApp;
let assessor: RiskAssessor;
let impatient: TestApp;
let model: FakeModel;
let token: string;
beforeAll(async () => {
  risk = await RiskApp.start();
  ({ app, assessor, impatient, model, token } = risk);
});
afterAll(() => risk?.close());
beforeEach(() => risk.reset());

describe('the model', () => {
  let service: Service;
  let view: ServiceView;
  beforeAll(async () => {
    service = await risk.newService();
    view = await risk.readServiceView(service);
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
    'scores a %s with %d, which makes the risk score %d: %s',
    async (method, llm, score, decision) => {
      model.answer({ score: llm });
      const verdict = await assessor.assess(1, view, newRequest(service, method));
      expect(verdict).toMatchObject({ score, llmScore: llm, decision, source: 'model' });
    },
  );

  it.each([
    ['GET', 0.4, 'forward'],
    ['POST', 0.6, 'hold'],
    ['DELETE', 1, 'hold'],
  ] as [HttpMethod, number, string][])(
    'leaves a %s the risk score %d when it fails: %s',
    async (method, score, decision) => {
      model.answer({ status: 500, body: {} });
      const given = newRequest(service, method);
      const verdict = await assessor.assess(1, view, given);
      expect(verdict).toMatchObject({ score, llmScore: null, decision, source: 'model_failure' });
      expect(verdict.explanation).toContain('model server answered HTTP 500');
      expect(assessor.known(1, view, given)).toBeNull();
    },
  );

  it.each(['hang', 'drip'] as const)('that times out (%s) holds even a read', async (answer) => {
    model.answer(answer);
    const given = newRequest(service, 'GET');
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
    const verdict = await assessor.assess(1, view, newRequest(service, 'GET'));
    expect(verdict).toMatchObject({ score, llmScore: null, decision: 'hold', source: 'model_failure' });
    expect(verdict.explanation).toContain('held for approval as a safety measure');
  });

  it('forwards a read by its method after a low score without explanation', async () => {
    model.answer({ content: '{"score":0.1}' });
    const verdict = await assessor.assess(1, view, newRequest(service, 'GET'));
    expect(verdict).toMatchObject({ score: 0.4, decision: 'forward', source: 'model_failure' });
  });

  it('lets no write pass with a malformed answer of the corpus', async () => {
    const file = join(process.cwd(), 'apps/api/test/corpus/model-answers.json');
    const corpus = JSON.parse(readFileSync(file, 'utf8')) as {
      name: string;
      content?: string;
      completion?: unknown;
      failure?: true;
    }[];
    for (const { name, content, completion } of corpus.filter(({ failure }) => failure)) {
      model.answer({ body: content === undefined ? JSON.stringify(completion) : makeCompletion(content) });
      const { source, decision } = await assessor.assess(1, view, newRequest(service, 'POST'));
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
      const { explanation } = await assessor.assess(1, view, { ...newRequest(service, 'POST'), ...part });
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
    await risk.dryRun(service.id, {
      ...newRequest(service),
      headers: { Authorization: 'Bearer planted-agent-secret', 'X-Custom-Token': 'planted-agent-secret' },
    });
    expect(model.calls).toHaveLength(1);
    expect(JSON.stringify(model.calls[0].body)).not.toMatch(/planted/);
  });
});

describe('cached verdicts', () => {
  let service: Service;
  beforeAll(async () => {
    service = await risk.newService();
  });

  it('answer an identical request', async () => {
    const view = await risk.readServiceView(service);
    // The type that the gateway sends with such a body.
    const given = { ...newRequest(service, 'POST'), headers: { 'Content-Type': 'application/json' } };
    const first = await assessor.assess(1, view, given);
    const again = await assessor.assess(2, await risk.readServiceView(service), { ...given });
    expect(again).toEqual({ ...first, source: 'cache', prompt: null });
    expect(assessor.known(1, view, given)).toEqual(again);
    expect((await risk.dryRun(service.id, given)).body).toMatchObject({ source: 'cache', prompt: null });
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
    const view = await risk.readServiceView(service);
    const given = newRequest(service, 'POST');
    await assessor.assess(1, view, given);
    const other = { ...given, ...part, ...(part.targetUrl ? { targetUrl: given.targetUrl + part.targetUrl } : {}) };
    expect(assessor.known(1, view, other)).toBeNull();
  });

  it('do not answer after the documentation has changed', async () => {
    const given = newRequest(service);
    await assessor.assess(1, await risk.readServiceView(service), given);
    const body = { type: 'text', title: 'Notes', content: 'Items are public.' };
    const answer = await call(app, `POST /services/${service.id}/documentation`, { token, body });
    expect(answer.status).toBe(201);
    expect(assessor.known(1, await risk.readServiceView(service), given)).toBeNull();
    const verdict = await assessor.assess(1, await risk.readServiceView(service), given);
    expect(verdict.prompt).toContain('Items are public.');
    const [system, user] = model.calls[1].body.messages;
    expect(system.content).not.toContain('Items are public.');
    expect(user.content).toContain('Items are public.');
  });

  it('are requested once for parallel requests', async () => {
    const view = await risk.readServiceView(service);
    const given = newRequest(service);
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => assessor.assess(1, view, given)));
    expect(model.calls).toHaveLength(1);
    expect(verdicts.map(({ source }) => source).sort()).toEqual([...Array<string>(19).fill('cache'), 'model']);
  });
});

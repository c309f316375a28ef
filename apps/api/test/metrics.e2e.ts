import { readFileSync } from 'node:fs';
import { MetricsServer } from '../src/observability/metrics-server.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { limitsOf } from './support/limits.js';
import { McpAgent } from './support/mcp-client.js';
import { counted, samples, valueOf, type Sample } from './support/scrape.js';
import { startApp, type TestApp } from './support/start-app.js';
import { startDatabaseProxy } from './support/tcp-proxy.js';

const TOKEN = 'token-of-prometheus';
const read = (url: string, token?: string) =>
  fetch(`${url}/metrics`, { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } });

describe('GET /metrics', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ METRICS_TOKEN: TOKEN, RISK_CACHE_SECONDS: '60' });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    gateway.model.answer({ score: 0 });
    gateway.upstream.answer((_call, response) => response.end('{}'));
  });
  const { limited, get } = limitsOf(() => gateway);

  /** By how much a series has grown during the work. */
  async function growth(
    work: () => Promise<unknown>,
  ): Promise<(name: string, labels?: Record<string, string>) => number> {
    const before = await counted(gateway.app);
    await work();
    const after = await counted(gateway.app);
    return (name, labels) => valueOf(after, name, labels) - valueOf(before, name, labels);
  }

  it('gives the text format of Prometheus to whoever has the token, and to nobody else', async () => {
    const page = await read(gateway.url, TOKEN);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(samples(await page.text()).length).toBeGreaterThan(100);
    for (const token of [undefined, '', 'token-of-prometheu', `${TOKEN}s`, gateway.token]) {
      const refused = await read(gateway.url, token);
      expect([token, refused.status]).toEqual([token, 401]);
      expect(await refused.text()).not.toContain('agw_');
    }
  });

  it('counts a request once, by its door, its outcome and why', async () => {
    const grown = await growth(async () => {
      await gateway.proxy();
      await gateway.proxy({ idempotencyKey: 'metrics-1' });
      await gateway.proxy({ idempotencyKey: 'metrics-1' });
      await gateway.proxy({}, { Prefer: 'handling=dry-run' });
      await gateway.proxy({ targetUrl: 'https://elsewhere.example.com/' });
      await gateway.agentCall('GET', '/s/Shop/customers', undefined, {});
    });
    const requests = (labels: object) => grown('requests_total', { ...labels });
    expect(requests({ door: 'proxy' })).toBe(5);
    expect(requests({ door: 'proxy', outcome: 'forwarded' })).toBe(2);
    expect(requests({ door: 'proxy', outcome: 'replayed', reason: 'repeat' })).toBe(1);
    expect(requests({ door: 'proxy', outcome: 'previewed' })).toBe(1);
    expect(requests({ door: 'proxy', outcome: 'refused', reason: 'service_unknown' })).toBe(1);
    expect(requests({ door: 'base_url' })).toBe(1);
    expect(grown('request_seconds_count', { door: 'proxy' })).toBe(5);
    expect(grown('upstream_answers_total', { class: '2xx' })).toBe(3);
    for (const step of ['review', 'upstream']) expect(grown('step_seconds_count', { step })).toBeGreaterThan(0);
    expect(grown('step_seconds_count', { step: 'idempotency' })).toBe(2);
    expect(grown('step_seconds_count', { step: 'store' })).toBe(1);
  });

  it('counts what never came to the pipeline: no key, a wrong key, a body that is none', async () => {
    const grown = await growth(async () => {
      await gateway.proxy({}, { 'Agent-Key': 'agw_wrong' });
      await fetch(`${gateway.url}/proxy`, { method: 'POST' });
      await gateway.agentCall('POST', '/proxy', '{', {});
      await gateway.agentCall('POST', '/proxy/execute/none', undefined, {});
      await gateway.agentCall('GET', '/s/nothing/x', undefined, { 'Agent-Key': 'agw_wrong' });
      // No door.
      await fetch(`${gateway.url}/nothing`);
      await gateway.status('none');
    });
    const refused = (door: string, reason?: string) =>
      grown('requests_total', { door, outcome: 'refused', ...(reason && { reason }) });
    expect(refused('proxy')).toBe(3);
    expect(refused('proxy', 'agent_key_missing')).toBe(1);
    expect(refused('execute')).toBe(1);
    expect(refused('base_url')).toBe(1);
    expect(grown('requests_total')).toBe(5);
  });

  it('says that an API gave no answer, and what the record says of the request', async () => {
    gateway.upstream.answer((_call, response) => response.destroy());
    const grown = await growth(() => gateway.proxy());
    expect(grown('upstream_answers_total', { class: 'none' })).toBe(1);
    expect(grown('requests_total', { door: 'proxy', outcome: 'forwarded' })).toBe(1);
    expect(grown('requests_total', { door: 'proxy', outcome: 'refused' })).toBe(0);
  });

  it('counts what happens to held requests, and how long decisions take', async () => {
    const grown = await growth(async () => {
      const held = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/metrics/1` });
      await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/metrics/1` });
      await gateway.approve(held.action_id);
      await gateway.execute(held.action_id);
      const denied = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/metrics/2` });
      await gateway.deny(denied.action_id);
      const withdrawn = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/metrics/3` });
      await gateway.approve(withdrawn.action_id);
      await gateway.admin(`PATCH /approvals/${withdrawn.action_id}/withdraw`, {});
    });
    const states = ['held', 'approved', 'denied', 'withdrawn', 'executed'];
    expect(states.map((state) => grown('actions_total', { state }))).toEqual([3, 2, 1, 1, 1]);
    expect(grown('decision_seconds_count')).toBe(3);
    expect(grown('requests_total', { door: 'proxy', outcome: 'held', reason: 'repeat' })).toBe(1);
    expect(grown('requests_total', { door: 'execute', outcome: 'executed', reason: 'none' })).toBe(1);
  });

  it('counts calls of the model, its tokens and its failures', async () => {
    const ask = (path: string) =>
      gateway.proxy({ targetUrl: `${gateway.upstream.url}/v1/model/${path}`, method: 'PUT', body: '{}' });
    const grown = await growth(async () => {
      gateway.model.answer({
        body: {
          choices: [{ message: { content: '{"score": 0.1, "explanation": "x"}' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 900, completion_tokens: 40 },
        },
      });
      await ask('tokens');
      await ask('tokens');
      gateway.model.answer({ content: 'hm' });
      await ask('unusable');
      gateway.model.answer({ body: 'away', status: 400 });
      await ask('error');
    });
    const results = ['ok', 'unusable', 'error', 'timeout'].map((result) => grown('model_calls_total', { result }));
    expect(results).toEqual([1, 1, 1, 0]);
    expect(grown('model_tokens_total', { kind: 'prompt' })).toBe(900);
    expect(grown('model_tokens_total', { kind: 'completion' })).toBe(40);
    expect(grown('cache_lookups_total', { cache: 'verdict', result: 'hit' })).toBe(1);
    expect(grown('step_seconds_count', { step: 'model' })).toBe(3);
  });

  it('counts requests that do not fit into a limit, and configuration that was stale', async () => {
    const { path } = await limited();
    const grown = await growth(async () => {
      for (let n = 0; n < 3; n++) await get(path);
      await gateway.admin(`PUT /services/${gateway.service.id}`, { name: 'Renamed' });
      await gateway.proxy();
    });
    expect(grown('limited_total', { then: 'deny' })).toBe(1);
    expect(grown('reloads_total', { of: 'agent' })).toBeGreaterThan(0);
  });

  it('counts each call of a tool, also one with a wrong argument', async () => {
    const agent = await McpAgent.connect(gateway.url, { 'Agent-Key': gateway.agentKey });
    const grown = await growth(async () => {
      await agent.call('request', { method: 'GET', targetUrl: `${gateway.upstream.url}/v1/mcp`, intent: 'look' });
      await agent.call('request', { method: 'GET', targetUrl: 'nonsense', intent: 'look' });
      await agent.call('execute_action', { actionId: '8b3e7c1e-6a54-4d6b-9d0e-0d6a6c6c5a11' });
    });
    await agent.close();
    expect(grown('requests_total', { door: 'mcp', outcome: 'forwarded' })).toBe(1);
    expect(grown('requests_total', { door: 'mcp', outcome: 'refused' })).toBe(2);
  });

  it('shows every word of a label from the start, and no name, address or number of anybody', async () => {
    const fresh = await startApp({ METRICS_TOKEN: TOKEN });
    const page = samples(await (await read(fresh.url, TOKEN)).text());
    await fresh.close();
    const words = (name: string, label: string) => [
      ...new Set(page.filter((sample) => sample.name === `agw_${name}`).map(({ labels }) => labels[label])),
    ];
    expect(words('step_seconds_count', 'step')).toEqual(
      'review idempotency risk model record upstream store'.split(' '),
    );
    expect(words('actions_total', 'state')).toEqual('held approved denied withdrawn expired executed'.split(' '));
    expect(words('actions_open', 'state')).toEqual(['pending', 'approved']);
    for (const name of ['queue_depth', 'queue_oldest_seconds']) {
      expect(words(name, 'queue')).toEqual('callbacks channels mails settlement sealing'.split(' '));
    }
    expect(words('upstream_answers_total', 'class')).toEqual('2xx 3xx 4xx 5xx none'.split(' '));
    expect(words('model_calls_total', 'result')).toEqual('ok error timeout unusable'.split(' '));
    expect(words('model_tokens_total', 'kind')).toEqual(['prompt', 'completion']);
    expect(words('database_connections', 'state')).toEqual(['used', 'idle', 'waiting']);
    expect(words('reloads_total', 'of')).toEqual(['agent', 'service']);
    expect(valueOf(page, 'build_info')).toBe(1);
    for (const name of ['sealed_total', 'spans_dropped_total']) {
      expect(page.some((sample) => sample.name === `agw_${name}`)).toBe(true);
    }
    const all = await counted(gateway.app);
    const known = new Set(['version', 'node', 'quantile', 'le']);
    const shown = all.flatMap(({ labels }) => Object.entries(labels).filter(([key]) => !known.has(key)));
    expect(shown.filter(([, word]) => !/^(\dxx|[a-z_]+)$/.test(word))).toEqual([]);
  });

  it('has names by the rules, and few enough series', async () => {
    const page = await counted(gateway.app);
    const bases = new Set(page.map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')));
    expect([...bases].filter((name) => !name.startsWith('agw_'))).toEqual([]);
    const text = await (await read(gateway.url, TOKEN)).text();
    for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')]);
    }
    expect(page.length).toBeLessThan(1000);
  });

  it('asks the database at most every 10 s, however often it is read', async () => {
    const { app } = gateway;
    const open = async () => valueOf(await counted(app), 'actions_open', { state: 'pending' });
    app.clock.pass(10_000);
    const before = await open();
    await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/metrics/open` });
    expect(await open()).toBe(before);
    app.clock.pass(10_000);
    expect(await open()).toBe(before + 1);
  });

  it('has a runbook whose statements the database can run, and which only read', async () => {
    const blocks = [...readFileSync('docs/runbook.md', 'utf8').matchAll(/```sql\n([^]*?)```/g)].map(([, text]) => text);
    const statements = blocks.flatMap((text) => text.split(';')).filter((text) => text.trim() !== '');
    expect(statements.length).toBeGreaterThan(5);
    for (const statement of statements) {
      expect(statement).toMatch(/^\s*SELECT /);
      await gateway.app.database.query(statement);
    }
  });
});

describe('metrics', () => {
  const apps: TestApp[] = [];
  const start = async (settings: Record<string, string>): Promise<TestApp> => {
    const app = await startApp(settings);
    apps.push(app);
    return app;
  };
  const portOf = ({ app }: TestApp): string => `http://127.0.0.1:${app.get(MetricsServer).address()!.port}`;
  afterAll(() => Promise.all(apps.map((app) => app.close())));

  it('are not there unless the operator asks for them', async () => {
    const { url } = await start({});
    const answer = await read(url, TOKEN);
    expect([answer.status, await answer.json()]).toEqual([404, { error: 'Cannot GET /metrics', statusCode: 404 }]);
  });

  it('have a port of their own, with nothing else there', async () => {
    const app = await start({ METRICS_PORT: '0', METRICS_HOST: '127.0.0.1' });
    const own = portOf(app);
    expect((await read(own)).status).toBe(200);
    expect((await read(app.url)).status).toBe(404);
    for (const path of ['/', '/health', '/metrics/', '/proxy']) expect((await fetch(own + path)).status).toBe(404);
    expect((await fetch(`${own}/metrics`, { method: 'POST' })).status).toBe(404);
  });

  it('ask for the token there too', async () => {
    const own = portOf(await start({ METRICS_PORT: '0', METRICS_TOKEN: TOKEN }));
    expect([(await read(own)).status, (await read(own, TOKEN)).status]).toEqual([401, 200]);
  });

  it('come while the database is away, with what it said last', async () => {
    const { link, databaseUrl } = await startDatabaseProxy();
    const app = await start({ METRICS_TOKEN: TOKEN, DATABASE_URL: databaseUrl });
    const up = async () => {
      app.clock.pass(10_000);
      const page = await read(app.url, TOKEN);
      expect(page.status).toBe(200);
      return valueOf(samples(await page.text()), 'database_up');
    };
    expect(await up()).toBe(1);
    await link.stop();
    await eventually(async () => (await up()) === 0);
    await link.start();
    await eventually(async () => (await up()) === 1);
    await app.close();
    apps.splice(apps.indexOf(app), 1);
    await link.stop();
  });

  it('name the first 200 agents of a process if asked, and the rest as one', async () => {
    const gateway = await startGateway({ METRICS_TOKEN: TOKEN, METRICS_DETAIL: 'agents' });
    const agents = (page: Sample[]) => page.filter(({ name }) => name === 'agw_agent_requests_total');
    await gateway.proxy();
    const labels = { agent: String(gateway.agent.id), outcome: 'forwarded' };
    expect(agents(await counted(gateway.app))).toEqual([expect.objectContaining({ labels, value: 1 })]);
    await gateway.close();
  });
});

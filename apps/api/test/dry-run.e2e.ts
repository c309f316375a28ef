import type { DryRunResponse } from '#contracts';
import { SECRET, startGateway, type Gateway, type ProxyAnswer, type ProxyBody } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.model.answer({ score: 0, explanation: 'harmless' });
});

const dryRun = (body: Partial<ProxyBody> = {}, prefer = 'handling=dry-run', headers = {}): Promise<ProxyAnswer> =>
  gateway.proxy(body, { Prefer: prefer, ...headers });

async function readDecision(body: Partial<ProxyBody> = {}, prefer?: string): Promise<DryRunResponse> {
  const answer = await dryRun(body, prefer);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json<DryRunResponse>();
}

const target = (path = '/customers/42'): string => `${gateway.upstream.url}/v1${path}`;
const pending = async (): Promise<unknown[]> => (await gateway.admin<{ items: unknown[] }>('GET /approvals')).items;

describe('a dry run', () => {
  it('reports that a request would be forwarded, and what would be sent', async () => {
    const answer = await dryRun({
      targetUrl: `${target('/customers/../customers/42')}?q=1`,
      headers: { Accept: 'text/plain', Authorization: 'Bearer mine', 'X-Trace': 'a' },
    });
    expect([answer.status, answer.headers.get('x-proxy-status'), answer.headers.get('preference-applied')]).toEqual([
      200,
      'dry-run',
      'handling=dry-run',
    ]);
    expect(answer.json()).toEqual({
      decision: 'forward',
      executed: false,
      service: { id: gateway.service.id, name: 'Shop' },
      summary: 'GET customer 42',
      risk_score: 0.03,
      risk_explanation: 'harmless',
      risk_source: 'model',
      risk_threshold: 0.5,
      rule: null,
      effects: expect.arrayContaining([{ effect: 'read', reason: expect.any(String) }]),
      limits: [],
      would_send: {
        method: 'GET',
        url: `${target()}?q=1`,
        headers: ['accept', 'authorization', 'x-trace'],
      },
      credential_headers: ['authorization'],
      next: expect.stringMatching(/^Nothing was sent/),
    });
    expect(answer.text).not.toContain(SECRET);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('returns the same error as the request itself if nobody has connected the service, and asks no provider', async () => {
    const oauth = {
      grant: 'authorization_code',
      authorizationUrl: `${gateway.upstream.url}/authorize`,
      tokenUrl: `${gateway.upstream.url}/token`,
      clientId: 'gateway',
      scopes: ['read'],
      tokenAuth: 'basic',
    };
    const create = (name: string, settings: object) =>
      gateway.createService({
        name,
        baseUrl: `${gateway.upstream.url}/${name}`,
        authType: 'oauth2',
        oauth: { ...oauth, ...settings },
        credentials: { client_secret: 'planted-client-secret' },
      });
    const [mail, jobs] = [await create('mail', {}), await create('jobs', { grant: 'client_credentials' })];
    const { apiKey } = await gateway.createAgent('connected-bot', [mail.id, jobs.id]);
    const asked = (service: string) =>
      dryRun({ targetUrl: `${gateway.upstream.url}/${service}/1` }, undefined, { 'Agent-Key': apiKey });
    const unconnected = await asked('mail');
    expect([unconnected.status, unconnected.json<{ error: string }>().error]).toEqual([502, 'Connect mail first']);
    // Its risk can be checked without a connection.
    const assessed = await gateway.admin<{ decision: string }>('POST /risk/assess', {
      serviceId: mail.id,
      method: 'GET',
      targetUrl: `${mail.baseUrl}/1`,
      intent: 'look',
    });
    expect(assessed.decision).toBe('forward');
    await gateway.app.database.query('UPDATE connections SET needs_reconnect = true WHERE service_id = $1', [mail.id]);
    const ended = await asked('mail');
    expect([ended.status, ended.json<{ error: string }>().error]).toEqual([
      502,
      'The connection to mail has expired: reconnect it',
    ]);
    // A real request would make the gateway get this token first.
    const renewable = await asked('jobs');
    expect([renewable.status, renewable.json<DryRunResponse>().decision]).toEqual([200, 'forward']);
    expect(gateway.upstream.calls).toEqual([]);
  });

  it('reports that a request would be held, and queues nothing', async () => {
    gateway.model.answer({ score: 1, explanation: 'erases' });
    const before = (await pending()).length;
    expect(await readDecision({ method: 'DELETE', targetUrl: target() })).toMatchObject({
      decision: 'hold',
      executed: false,
      summary: 'DELETE customer 42',
      risk_score: 0.91,
      risk_explanation: 'erases',
      rule: null,
    });
    expect(await pending()).toHaveLength(before);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('reports that a rule would deny or allow it, and does not count as a use of the rule', async () => {
    const rules = `POST /services/${gateway.service.id}/risk-rules`;
    const deny = { name: 'Never orders', effect: 'deny', methods: ['POST'], pathPattern: '/orders' };
    const allow = { name: 'Once only', effect: 'allow', methods: ['POST'], pathPattern: '/notes', maxUses: 1 };
    await gateway.admin(rules, deny);
    await gateway.admin(rules, allow);
    expect(await readDecision({ method: 'POST', targetUrl: target('/orders'), body: '{}' })).toMatchObject({
      decision: 'deny',
      rule: 'Never orders',
      risk_source: 'rule',
    });
    gateway.model.answer({ score: 1 });
    const note = { method: 'POST', targetUrl: target('/notes'), body: '{}' };
    for (let times = 0; times < 3; times++) {
      expect(await readDecision(note)).toMatchObject({ decision: 'forward', rule: 'Once only' });
    }
    expect((await gateway.proxy({ ...note, idempotencyKey: 'one-use' })).status).toBe(200);
    expect(await readDecision({ ...note, body: '[]' })).toMatchObject({ decision: 'hold', rule: null });
  });

  it('needs no idempotency key, and does not claim a given one', async () => {
    const post = { method: 'POST', targetUrl: target('/things'), body: '{}' };
    const keyed = await dryRun(post, undefined, { 'Idempotency-Key': 'dry' });
    expect([keyed.status, keyed.headers.get('x-idempotency-status')]).toEqual([200, null]);
    // The key is still free, even for another request.
    expect((await gateway.proxy({ ...post, body: '[1]', idempotencyKey: 'dry' })).status).toBe(200);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('does not wait, even if the client also prefers to wait', async () => {
    gateway.model.answer({ score: 1 });
    const answer = await dryRun({ method: 'DELETE', targetUrl: target() }, 'wait=60, handling=dry-run');
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, 'handling=dry-run']);
  });

  it('leaves an audit record of its own kind', async () => {
    await dryRun({ targetUrl: target('/recorded'), intent: 'see what happens' });
    const [record] = await gateway.audit('&outcome=previewed&q=recorded');
    expect(record).toMatchObject({
      kind: 'request',
      outcome: 'previewed',
      intent: 'see what happens',
      reason: 'Would forward',
      riskScore: 0.03,
      upstreamStatus: null,
    });
  });

  it('uses the current configuration', async () => {
    const { agent, apiKey } = await gateway.createAgent('leaving', [gateway.service.id]);
    const key = { 'Agent-Key': apiKey };
    expect((await dryRun({}, undefined, key)).status).toBe(200);
    await gateway.admin(`PUT /agents/${agent.id}`, { isActive: false });
    expect((await dryRun({}, undefined, key)).status).toBe(401);
  });
});

describe('a dry run of a request that would be refused', () => {
  it.each<[number, string, Partial<Record<keyof ProxyBody, unknown>>]>([
    [400, 'method: must be one of', { method: 'BREW' }],
    [400, 'body: must not be present on GET requests', { body: 'x' }],
    [404, 'No service found matching target URL', { targetUrl: 'https://unknown.example/' }],
  ])('is refused like the real request: %i %s', async (status, error, body) => {
    const answer = await dryRun(body as Partial<ProxyBody>);
    expect([answer.status, answer.json().error]).toEqual([status, expect.stringContaining(error)]);
    expect(answer.headers.get('x-proxy-status')).toBeNull();
  });

  it('outside of the base URL gets 403', async () => {
    const answer = await dryRun({ targetUrl: target('/%2e%2e/admin') });
    expect([answer.status, answer.json().error]).toEqual([
      403,
      'Target path must start with service baseUrl path (/v1)',
    ]);
  });

  it("to a host that can't be resolved gets the same 502 as the real request", async () => {
    const service = await gateway.createService({ name: 'Inside', baseUrl: 'http://127.0.0.1.nip.invalid' });
    const { apiKey } = await gateway.createAgent('insider', [service.id]);
    const request = { targetUrl: 'http://127.0.0.1.nip.invalid/x' };
    const really = await gateway.proxy(request, { 'Agent-Key': apiKey });
    const tried = await dryRun(request, undefined, { 'Agent-Key': apiKey });
    expect([tried.status, tried.json()]).toEqual([really.status, really.json()]);
    expect(tried.status).toBe(502);
  });

  it('without usable credentials gets 500', async () => {
    const baseUrl = `${gateway.upstream.url}/bare`;
    const service = await gateway.createService({ name: 'Bare', baseUrl, credentials: { other: 'x' } });
    const { apiKey } = await gateway.createAgent('bare-bot', [service.id]);
    const answer = await dryRun({ targetUrl: `${baseUrl}/x` }, undefined, { 'Agent-Key': apiKey });
    expect([answer.status, answer.json().error]).toEqual([500, 'No credentials found for service']);
  });
});

describe('the preference', () => {
  it.each([
    'handling="dry-run"',
    'Handling = Dry-Run',
    'respond-async;handling=dry-run',
    'handling=lenient, handling=dry-run',
  ])('is recognized as %s', async (prefer) => {
    await readDecision({}, prefer);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it.each([
    'handling=dryrun',
    'handling=dry_run',
    'handling=dry run',
    'handling',
    'dry-run',
    'dry-run=true',
    'handling="dry-run',
  ])('is refused instead of ignored when it is misspelled: %s', async (prefer) => {
    const answer = await dryRun({}, prefer);
    expect([answer.status, answer.json().error]).toEqual([400, 'Prefer: handling must be dry-run, strict or lenient']);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it.each(['handling=strict', 'handling=lenient', 'respond-async', 'x-handling-dry-run'])(
    'ignores other preferences: %s',
    async (prefer) => {
      expect((await dryRun({}, prefer)).headers.get('x-proxy-status')).toBe('forwarded');
    },
  );
});

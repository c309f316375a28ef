import type { Action, AuditRecord, DryRunResponse, RiskAssessment, RiskRule, Service } from '#contracts';
import { startGateway, type Gateway, type ProxyBody } from '../support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  gateway.model.answer({ score: 0 });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
});

const target = (path: string): string => `${gateway.upstream.url}/v1${path}`;
const rules = () => `/services/${gateway.service.id}/risk-rules`;
const withRule = async (fields: object, body: () => Promise<void>): Promise<void> => {
  const rule = await gateway.admin<RiskRule>(`POST ${rules()}`, { name: 'the rule', effect: 'deny', ...fields });
  await body().finally(() => gateway.admin(`DELETE ${rules()}/${rule.id}`));
};
let keys = 0;
const send = (fields: Partial<ProxyBody>, headers: Record<string, string> = {}) =>
  gateway.proxy({ idempotencyKey: `spelling-${keys++}`, ...fields }, headers);

describe('a rule', () => {
  const spellings = [
    '/Admin/x',
    '/admin%20/x',
    '/admin./x',
    '/admin%00/x',
    '/admin;a=b/x',
    '/%41dmin%2fx',
    '//ADMIN',
    '/admin%09',
  ];

  it.each(['deny', 'require_approval'] as const)('%s applies to every spelling of its path', async (effect) => {
    await withRule({ effect, pathPattern: '/admin/**' }, async () => {
      for (const path of spellings) {
        const { status } = await send({ targetUrl: target(path) });
        expect([path, status]).toEqual([path, effect === 'deny' ? 403 : 428]);
      }
      expect((await send({ targetUrl: target('/administrators') })).status).toBe(200);
    });
    expect(gateway.upstream.calls.map(({ path }) => path)).toEqual(['/v1/administrators']);
  });

  it('that allows applies only to the exact path', async () => {
    gateway.model.answer({ score: 1 });
    await withRule({ effect: 'allow', pathPattern: '/admin/**' }, async () => {
      // First, because another spelling of it that waits for a decision holds it too.
      expect((await send({ targetUrl: target('/admin/x') })).status).toBe(200);
      for (const path of spellings)
        expect([path, (await send({ targetUrl: target(path) })).status]).toEqual([path, 428]);
    });
    gateway.model.answer({ score: 0 });
  });

  it('denies only the long paths that it matches; a path that is too long to compare is refused, and the error names no rule', async () => {
    const create = (pathPattern: string) =>
      gateway.admin<RiskRule>(`POST ${rules()}`, { name: pathPattern, effect: 'deny', pathPattern });
    const usual = Array.from({ length: 24 }, (_, id) => `/**/secret${id}/**`);
    const made = await Promise.all([...usual, '/**/admin/**'].map(create));
    const long = `/${'orders/42/items/'.repeat(250)}`;
    expect((await send({ targetUrl: target(long) })).status).toBe(200);
    const denied = await send({ targetUrl: target(`${long}admin/x`) });
    expect([denied.status, denied.json()]).toEqual([
      403,
      expect.objectContaining({ error: 'Denied by risk rule "/**/admin/**"' }),
    ]);

    made.push(...(await Promise.all(Array.from({ length: 30 }, (_, id) => create(`/**a*a*a*a*a*${id}ab`)))));
    const hostile = `/${'a/'.repeat(1_900)}${Array.from({ length: 30 }, (_, id) => `a${id}ab/`).join('')}x`;
    const refused = await send({ targetUrl: target(hostile) });
    expect([refused.status, refused.headers.get('x-error-code'), refused.json()]).toEqual([
      403,
      'path_not_compared',
      expect.objectContaining({
        error: 'The path is too long to compare it with every rule of this service',
      }),
    ]);
    expect(gateway.upstream.calls.length).toBe(1);
    await Promise.all(made.map(({ id }) => gateway.admin(`DELETE ${rules()}/${id}`)));
  });

  it('has at most 8 wildcards; an older rule with more applies until its pattern is edited', async () => {
    const pathPattern = `/${'*/'.repeat(8)}**`;
    const refused = await gateway.tryAdmin(`POST ${rules()}`, { name: 'n', effect: 'deny', pathPattern });
    expect([refused.status, refused.body.error]).toEqual([
      400,
      'pathPattern: must have at most 8 wildcards (* or **); this one has 9',
    ]);
    await withRule({ name: 'old', pathPattern: `/${'*/'.repeat(7)}**` }, async () => {
      const [{ id }] = await gateway.admin<RiskRule[]>(`GET ${rules()}`);
      await gateway.app.database.query('UPDATE risk_rules SET path_pattern = $1 WHERE id = $2', [pathPattern, id]);
      const deep = `/${'a/'.repeat(8)}b`;
      expect((await send({ targetUrl: target(deep) })).status).toBe(403);
      const renamed = await gateway.tryAdmin(`PUT ${rules()}/${id}`, { name: 'renamed', pathPattern });
      expect([renamed.status, renamed.body]).toEqual([200, expect.objectContaining({ name: 'renamed', pathPattern })]);
      expect((await gateway.tryAdmin(`PUT ${rules()}/${id}`, { pathPattern: `${pathPattern}/x` })).status).toBe(400);
    });
  });
});

describe('a second method inside a request', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const ways: [string, Partial<ProxyBody>][] = [
    ['in the query', { method: 'POST', targetUrl: '/customers/42?x=1&_method=delete', body: '{}' }],
    ['in the query of a GET', { targetUrl: '/customers/42?%5Fmethod=DELETE' }],
    ['in a form', { method: 'POST', targetUrl: '/customers/42', headers: form, body: 'name=x&_method=DELETE' }],
    ['encoded in a form', { method: 'POST', targetUrl: '/customers/42', headers: form, body: '_metho%64=%44ELETE' }],
    [
      'in a multipart form',
      {
        method: 'POST',
        targetUrl: '/customers/42',
        headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
        body: '--b\r\nContent-Disposition: form-data; name="_method"\r\n\r\nDELETE\r\n--b--\r\n',
      },
    ],
    [
      'in a multipart whose head has a line break for Rack',
      {
        method: 'POST',
        targetUrl: '/customers/42',
        headers: { 'Content-Type': 'multipart/mixed; boundary=b' },
        body: '--b\r\nContent-Disposition: form-data\r\nx; name="_method"\r\n\r\nDELETE\r\n--b--\r\n',
      },
    ],
    [
      'in JSON as text',
      {
        method: 'POST',
        targetUrl: '/customers/42',
        headers: { 'Content-Type': 'text/plain' },
        body: '{"_method":"DELETE"}',
      },
    ],
    ['in JSON', { method: 'POST', targetUrl: '/customers/42', body: '{"name":"x","_method":"DELETE"}' }],
  ];

  it.each(ways)('%s counts in rules, score and headline', async (_way, fields) => {
    const request = { ...fields, targetUrl: target(fields.targetUrl!) };
    await withRule({ methods: ['DELETE'] }, async () => {
      expect((await send(request)).status).toBe(403);
    });
    await withRule({ methods: [fields.method ?? 'GET'] }, async () => {
      expect((await send(request)).status).toBe(403);
    });
    await withRule({ effect: 'allow', methods: ['GET', 'POST'] }, async () => {
      const { decision, rule } = (await send(request, { Prefer: 'handling=dry-run' })).json<DryRunResponse>();
      expect([decision, rule]).toEqual(['forward', null]);
    });
    const { heuristicScore } = await gateway.admin<RiskAssessment>('POST /risk/assess', {
      serviceId: gateway.service.id,
      method: 'GET',
      intent: 'x',
      ...request,
    });
    expect(heuristicScore).toBe(0.7);
    gateway.model.answer({ score: 1 });
    const { action_id } = (await send(request)).json<{ action_id: string }>();
    gateway.model.answer({ score: 0 });
    expect((await gateway.admin<Action>(`GET /approvals/${action_id}`)).summary).toBe('DELETE customer 42');
    expect(gateway.upstream.calls).toEqual([]);
  });

  it('does not weaken a rule for the real method', async () => {
    await withRule({ methods: ['DELETE'] }, async () => {
      expect((await send({ method: 'DELETE', targetUrl: target('/customers/42?_method=GET') })).status).toBe(403);
    });
  });

  it('in a header reaches neither the upstream nor the approver', async () => {
    const headers = {
      'X-HTTP-Method-Override': 'DELETE',
      x_http_method: 'DELETE',
      'X-Original-URL': '/admin',
      'X-Rewrite-Url': '/admin',
      'X-Forwarded-Host': 'evil.example',
      Forwarded: 'host=evil.example',
      'X-Real-IP': '10.0.0.1',
      'X-Trace': 'kept',
    };
    expect((await send({ targetUrl: target('/customers'), headers })).status).toBe(200);
    const [call] = gateway.upstream.calls;
    const sent = Object.keys(call.headers);
    expect(sent).toContain('x-trace');
    expect(sent.filter((name) => /method|url|forwarded|real-ip/.test(name))).toEqual([]);
    const held = await gateway.hold({ headers });
    const { headers: stored } = await gateway.admin<Action>(`GET /approvals/${held.action_id}`);
    expect(stored).toEqual({ 'X-Trace': 'kept' });
    gateway.model.answer({ score: 0 });
  });
});

describe('the service that a URL belongs to', () => {
  let agentKey: string;
  let ids: Record<'root' | 'v1', number>;
  const at = (path: string, headers: Record<string, string> = {}) =>
    gateway.proxy({ targetUrl: gateway.upstream.url + path }, { 'Agent-Key': agentKey, ...headers });
  const lastService = async (): Promise<AuditRecord['service']> => (await gateway.audit('&kind=request'))[0].service;

  beforeAll(async () => {
    const create = (name: string, path: string): Promise<Service> =>
      gateway.createService({ name, baseUrl: gateway.upstream.url + path, credentials: { token: `token-of-${name}` } });
    const [root, v1] = [await create('root', ''), await create('v1', '/v1')];
    ids = { root: root.id, v1: v1.id };
    agentKey = (await gateway.createAgent('two-services', [root.id, v1.id])).apiKey;
  });

  it.each([
    ['/v1/x', 'v1'],
    ['/v1', 'v1'],
    ['/v1?x=1', 'v1'],
    ['/v10/x', 'root'],
    ['/v1evil', 'root'],
    ['/v2/v1/x', 'root'],
  ] as const)('of %s is %s', async (path, name) => {
    expect((await at(path)).status).toBe(200);
    expect(gateway.upstream.calls[0].headers.authorization).toBe(`Bearer token-of-${name}`);
    expect(await lastService()).toEqual({ id: ids[name], name });
  });

  it.each(['//v1/x', '/V1/x', '/v%31/x', '/v1;a/x', '/v1%2fx', '/x%2f..%2fv1/y', '/v1%00/x', '/v1./x', '/v1/../x'])(
    'is not guessed for %s: the answer is 403, and nothing is sent',
    async (path) => {
      const answer = await at(path);
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'target_ambiguous']);
      expect(gateway.upstream.calls).toEqual([]);
    },
  );

  it('is not guessed below a base URL of the gateway either: a path that a server may read differently gets 403', async () => {
    const below = (path: string) => gateway.agentCall('GET', `/s/root${path}`, undefined, { 'Agent-Key': agentKey });
    for (const path of ['/%761/x', '//v1/x', '/v1;a/x', '/x%2f..%2fv1']) {
      expect([path, (await below(path)).status]).toEqual([path, 403]);
    }
    expect(gateway.upstream.calls).toEqual([]);
    expect((await below('/v10/x')).status).toBe(200);
  });

  it('is checked again when an approved action is executed', async () => {
    const { apiKey, agent } = await gateway.createAgent('one-service', [ids.root]);
    const path = '/v1%2fadmin';
    const { action_id } = await gateway.hold({ targetUrl: gateway.upstream.url + path }, { 'Agent-Key': apiKey });
    gateway.model.answer({ score: 0 });
    await gateway.approve(action_id);
    await gateway.admin(`PUT /agents/${agent.id}/services`, { serviceIds: [ids.root, ids.v1] });
    expect((await gateway.execute(action_id, { 'Agent-Key': apiKey })).status).toBe(403);
    expect(gateway.upstream.calls).toEqual([]);
    await gateway.admin(`PUT /agents/${agent.id}/services`, { serviceIds: [ids.root] });
    expect((await gateway.execute(action_id, { 'Agent-Key': apiKey })).status).toBe(200);
  });
});

import { startGateway, type Gateway, type ProxyAnswer, type ProxyBody } from './support/gateway.js';
import { rawRequest } from './support/raw-http.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.model.answer({ score: 0 });
  gateway.upstream.answer((_call, response) => response.end('{}'));
});

interface Coded {
  status: number;
  code: string | null;
  retryAfter: string | null;
}
const coded = ({ status, headers }: { status: number; headers: Headers }): Coded => ({
  status,
  code: headers.get('x-error-code'),
  retryAfter: headers.get('retry-after'),
});
const proxy = (body: Partial<ProxyBody> = {}, headers = {}): Promise<ProxyAnswer> => gateway.proxy(body, headers);
const target = (path: string): string => `${gateway.upstream.url}/v1${path}`;
const held = async (path: string): Promise<string> => (await gateway.hold({ targetUrl: target(path) })).action_id;

describe('X-Error-Code', () => {
  it.each<[string, number, string, () => Promise<ProxyAnswer>]>([
    ['no agent key', 401, 'agent_key_missing', () => proxy({}, { 'Agent-Key': '' })],
    ['an unknown agent key', 401, 'agent_key_unknown', () => proxy({}, { 'Agent-Key': `agt_${'0'.repeat(64)}` })],
    ['a malformed field', 400, 'invalid_request', () => proxy({ method: 'BREW' })],
    ['a body that is not JSON', 400, 'invalid_json', () => gateway.agentCall('POST', '/proxy', '{', {})],
    ['no idempotency key', 400, 'idempotency_key_required', () => proxy({ method: 'POST', body: '{}' })],
    ['another scheme', 400, 'scheme_not_allowed', () => proxy({ targetUrl: 'file:///etc/passwd' })],
    ['a body on GET', 400, 'body_not_allowed', () => proxy({ body: 'x' })],
    ['an unknown service', 404, 'service_unknown', () => proxy({ targetUrl: 'https://unknown.example/' })],
    ['a target outside of the base URL', 403, 'target_outside_service', () => proxy({ targetUrl: target('/../x') })],
    ['an unknown action', 404, 'action_unknown', () => gateway.execute('5e0f3a52-7a3c-4c0e-9f5e-0d7f8d1d8a11')],
    ['an unknown path', 404, 'not_found', () => gateway.agentCall('GET', '/nowhere', undefined, {})],
    [
      'another content type',
      415,
      'media_type_unsupported',
      () => gateway.agentCall('POST', '/proxy', 'x', { 'Content-Type': 'text/plain' }),
    ],
  ])('names the refusal of %s: %i %s', async (_name, status, code, provoke) => {
    expect(coded(await provoke())).toEqual({ status, code, retryAfter: null });
  });

  it('distinguishes a private address from a target outside of the service', async () => {
    const service = await gateway.createService({ name: 'Private', baseUrl: 'http://10.0.0.1' });
    const { apiKey } = await gateway.createAgent('private-bot', [service.id]);
    const answer = await proxy({ targetUrl: 'http://10.0.0.1/x' }, { 'Agent-Key': apiKey });
    expect(coded(answer)).toMatchObject({ status: 403, code: 'egress_blocked' });
  });

  it('names a denial by a rule', async () => {
    const rule = { name: 'Never', effect: 'deny', pathPattern: '/never' };
    await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, rule);
    expect(coded(await proxy({ targetUrl: target('/never') }))).toMatchObject({ status: 403, code: 'rule_denied' });
  });

  it('reports with 428 that approval is required, and for each status why an action can’t be executed', async () => {
    gateway.model.answer({ score: 1 });
    const answer = await proxy({ method: 'DELETE', targetUrl: target('/428') });
    expect(coded(answer)).toEqual({ status: 428, code: 'approval_required', retryAfter: '8' });

    const [pending, denied, executed] = [await held('/a'), await held('/b'), await held('/c')];
    await gateway.deny(denied);
    await gateway.approve(executed);
    expect((await gateway.execute(executed)).status).toBe(200);
    expect(coded(await gateway.execute(pending))).toEqual({ status: 409, code: 'action_pending', retryAfter: '8' });
    expect(coded(await gateway.execute(denied))).toMatchObject({ status: 409, code: 'approval_denied' });
    expect(coded(await gateway.execute(executed))).toMatchObject({ status: 409, code: 'action_executed' });
    const late = await held('/d');
    await gateway.approve(late);
    await gateway.app.advance({ hours: 2 });
    expect(coded(await gateway.execute(late))).toMatchObject({ status: 410, code: 'action_expired' });
    await gateway.logInAgain();
  });

  it('gives a Retry-After while a key is in progress, and reports a key that was used for another request', async () => {
    const post = { method: 'POST', targetUrl: target('/k'), body: '{}', idempotencyKey: 'busy' };
    const arrived = new Promise<() => void>((resolve) => {
      gateway.upstream.answer((_call, response) => resolve(() => response.end('{}')));
    });
    const first = proxy(post);
    const finish = await arrived;
    expect(coded(await proxy(post))).toEqual({ status: 409, code: 'idempotency_in_progress', retryAfter: '2' });
    finish();
    await first;
    expect(coded(await proxy({ ...post, body: '[]' }))).toMatchObject({ status: 422, code: 'idempotency_conflict' });
  });

  it('distinguishes a request that was never sent from one with an unknown outcome, in the replay too', async () => {
    const service = await gateway.createService({ name: 'Closed', baseUrl: 'http://closed.invalid' });
    const { apiKey } = await gateway.createAgent('closed-bot', [service.id]);
    const never = await proxy({ targetUrl: 'http://closed.invalid/x' }, { 'Agent-Key': apiKey });
    expect(coded(never)).toMatchObject({ status: 502, code: 'upstream_unreachable' });

    gateway.upstream.answer((_call, response) => void response.socket?.destroy());
    const post = { method: 'POST', targetUrl: target('/lost'), body: '{}', idempotencyKey: 'lost' };
    const calls = gateway.upstream.calls.length;
    for (const answer of [await proxy(post), await proxy(post)]) {
      expect(coded(answer)).toMatchObject({ status: 502, code: 'outcome_unknown' });
    }
    expect(gateway.upstream.calls).toHaveLength(calls + 1);
  });

  it('is never copied from an upstream', async () => {
    gateway.upstream.answer((_call, response) => {
      response.writeHead(403, { 'X-Error-Code': 'rule_denied', 'X-Proxy-Status': 'mine' }).end('{}');
    });
    const answer = await proxy();
    expect(coded(answer)).toEqual({ status: 403, code: null, retryAfter: null });
    expect(answer.headers.get('x-proxy-status')).toBe('forwarded');
  });

  it('is part of the dashboard’s refusals, and of requests that Node refuses', async () => {
    const answer = await fetch(`${gateway.url}/services`);
    await answer.arrayBuffer();
    expect(coded(answer)).toMatchObject({ status: 401, code: 'authorization_missing' });
    const port = Number(new URL(gateway.url).port);
    const malformed = await rawRequest(port, ['GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n']);
    expect([malformed?.status, malformed?.headers['x-error-code']]).toEqual([400, 'invalid_request']);
    const long = await rawRequest(port, [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`]);
    expect([long?.status, long?.headers['x-error-code']]).toEqual([431, 'headers_too_large']);
  });
});

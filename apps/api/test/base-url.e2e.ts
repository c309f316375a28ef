import { createHash } from 'node:crypto';
import OpenAI from 'openai';
import type { ActionPage, AuditRecord, DryRunResponse, HeldResponse } from '#contracts';
import { eventually } from './support/eventually.js';
import { rawRequest } from './support/raw-http.js';
import { SECRET, startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.model.answer({ score: 0, explanation: 'harmless' });
  gateway.upstream.answer((call, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ method: call.method, path: call.path, body: call.body.toString() }));
  });
});

const INTENT = { 'X-Intent': 'look' };
let serial = 0;
const key = (): string => `base-url-${++serial}`;

const send = (
  method: string,
  path: string,
  { body, headers = {} }: { body?: string | Buffer<ArrayBuffer>; headers?: Record<string, string> } = {},
): Promise<ProxyAnswer> => request(method, path, body, { ...INTENT, ...headers });

async function request(
  method: string,
  path: string,
  body: string | Buffer<ArrayBuffer> | undefined,
  headers: Record<string, string>,
): Promise<ProxyAnswer> {
  const response = await fetch(gateway.url + path, {
    method,
    body,
    headers: { 'Agent-Key': gateway.agentKey, ...headers },
    redirect: 'manual',
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  return { status: response.status, headers: response.headers, bytes, text, json: <T>() => JSON.parse(text) as T };
}

describe('a request below the base URL of a service', () => {
  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'POST', 'PATCH'])('is forwarded unchanged: %s', async (method) => {
    const body = method === 'GET' ? undefined : '{"a": "ü"}';
    const answer = await send(method, '/s/Shop/customers/42?q=a%20b&q=c', {
      body,
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key(), 'X-Trace': 't' },
    });
    expect([answer.status, answer.headers.get('x-proxy-status'), answer.json()]).toEqual([
      200,
      'forwarded',
      { method, path: '/v1/customers/42?q=a%20b&q=c', body: body ?? '' },
    ]);
    expect(gateway.upstream.calls[0].headers).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      'content-type': 'application/json',
      'x-trace': 't',
    });
  });

  it('accepts HEAD, and keeps the Content-Length of the upstream', async () => {
    const readLength = async (headers: Record<string, string>): Promise<(string | null)[]> => {
      gateway.upstream.answer((_call, response) => response.writeHead(200, headers).end());
      const answer = await send('HEAD', '/s/Shop/customers', { headers: { 'Idempotency-Key': 'a-head' } });
      return [String(answer.status), answer.headers.get('content-length')];
    };
    expect(await readLength({ 'Content-Length': '123456' })).toEqual(['200', '123456']);
    // The second one is a replay.
    expect(await readLength({ 'Content-Length': '7' })).toEqual(['200', '123456']);
  });

  it.each<[string, Record<string, string>]>([
    ['that is unknown', { 'X-Total': '7' }],
    ['of bytes that would be decoded', { 'X-Total': '7', 'Content-Length': '99', 'Content-Encoding': 'gzip' }],
  ])('accepts HEAD, and reports no length %s', async (_what, headers) => {
    gateway.upstream.answer((_call, response) => response.writeHead(200, headers).end());
    const answer = await send('HEAD', '/s/Shop/customers');
    expect([answer.status, answer.headers.get('x-total'), answer.headers.get('content-length')]).toEqual([
      200,
      '7',
      null,
    ]);
  });

  it('accepts the agent key as a bearer token, and does not forward it', async () => {
    const response = await fetch(`${gateway.url}/s/Shop/x`, {
      headers: { Authorization: `Bearer ${gateway.agentKey}`, ...INTENT },
    });
    expect([response.status, await response.json()]).toMatchObject([200, { path: '/v1/x' }]);
    const sent = JSON.stringify(gateway.upstream.calls[0].headers);
    expect(sent).not.toContain(gateway.agentKey);
    expect(sent).toContain(SECRET);
  });

  it('forwards headers for the upstream, and none that are for the gateway or for one connection', async () => {
    const port = Number(new URL(gateway.url).port);
    const headers = [
      'Host: x',
      `Agent-Key: ${gateway.agentKey}`,
      'X-Intent: look',
      'Prefer: return=minimal, wait=1, handling=lenient',
      'Connection: close, X-Hop',
      'X-Hop: 1',
      'Keep-Alive: timeout=5',
      'TE: trailers',
      'Cookie: a=b',
      'X-API-Key: mine',
      'Forwarded: for=10.0.0.1',
      'X-Forwarded-For: 10.0.0.1',
      'X-Request-Id: abc',
      'Proxy-Authorization: Basic x',
      'Accept: text/plain',
      'X-Twice: 1',
      'X-Twice: 2',
      'constructor: x',
      '__proto__: x',
    ];
    const answer = await rawRequest(port, [`GET /s/Shop/x HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`]);
    expect(answer?.status).toBe(200);
    const { host: _host, connection: _connection, ...sent } = gateway.upstream.calls[0].headers;
    expect(sent).toEqual({
      accept: 'text/plain',
      'accept-encoding': 'identity',
      authorization: `Bearer ${SECRET}`,
      prefer: 'return=minimal, handling=lenient',
      'user-agent': 'agent-gateway',
      'x-twice': '1, 2',
    });
  });

  it('redacts its secrets in the response', async () => {
    gateway.upstream.answer(({ headers }, response) => {
      response.writeHead(200, { 'X-Echo': headers.authorization, 'Content-Type': 'text/plain' });
      response.end(`you said ${headers.authorization}`);
    });
    const answer = await send('GET', '/s/Shop/echo');
    expect(answer.text).toBe('you said Bearer [REDACTED]');
    expect(answer.headers.get('x-echo')).toBe('Bearer [REDACTED]');
  });

  it('leaves the same record as POST /proxy', async () => {
    await gateway.proxy({ targetUrl: `${gateway.upstream.url}/v1/recorded`, intent: 'look' });
    await send('GET', '/s/Shop/recorded');
    const [second, first] = await gateway.audit('&q=recorded');
    const comparable = ({ id: _id, at: _at, requestId: _requestId, durationMs: _ms, ...rest }: AuditRecord) => rest;
    expect(comparable(second)).toEqual(comparable(first));
  });

  it('may have a body of 10 MB', async () => {
    const headers = { 'Idempotency-Key': key(), 'Content-Type': 'text/plain' };
    const body = Buffer.alloc(10 * 1024 * 1024, 'x');
    gateway.upstream.answer((call, response) => response.end(String(call.body.length)));
    expect((await send('PUT', '/s/Shop/big', { body, headers })).text).toBe(String(body.length));
    const over = await send('PUT', '/s/Shop/big', { body: Buffer.alloc(body.length + 1, 'x'), headers });
    expect([over.status, over.json().error]).toEqual([413, 'Request body exceeds 10MB limit']);
  });
});

describe('authentication', () => {
  it.each<[string, Record<string, string>, string]>([
    ['nobody', {}, 'agent_key_missing'],
    ['an unknown key', { 'Agent-Key': `agt_${'0'.repeat(64)}` }, 'agent_key_unknown'],
    ['an unknown key as a bearer token', { Authorization: `Bearer agt_${'0'.repeat(64)}` }, 'agent_key_unknown'],
    ['a token of another service', { Authorization: 'Bearer sk-123' }, 'agent_key_missing'],
  ])('returns 401 for %s, whether the service exists or not', async (_name, headers, code) => {
    for (const path of ['/s/Shop/x', '/s/Unknown/x']) {
      const answer = await fetch(gateway.url + path, { headers });
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([401, code]);
    }
  });
});

describe('the intent', () => {
  it('comes from X-Intent, in UTF-8', async () => {
    const bytes = Buffer.from('Grüße 寿司').toString('latin1');
    await send('GET', '/s/Shop/intended', { headers: { 'X-Intent': bytes } });
    const [record] = await gateway.audit('&q=intended');
    expect(record).toMatchObject({ intent: 'Grüße 寿司', riskScore: 0.03, riskExplanation: 'harmless' });
  });

  it('adds 0.1 to the score when it is missing, and the explanation says so', async () => {
    await request('GET', '/s/Shop/unstated', undefined, {});
    const [record] = await gateway.audit('&q=unstated');
    expect(record).toMatchObject({
      intent: 'No intent was given: GET /unstated through the base URL of "Shop"',
      riskScore: 0.13,
      riskExplanation: 'harmless (no intent was given: 0.1 added to the score)',
    });
  });

  it('can push a request over the threshold when it is missing', async () => {
    gateway.model.answer({ score: 0.6, explanation: 'hm' });
    expect((await send('GET', '/s/Shop/x')).status).toBe(200);
    const unstated = await request('GET', '/s/Shop/x', undefined, { 'X-Intent': '  ' });
    expect([unstated.status, unstated.json().risk_score]).toEqual([428, 0.55]);
  });

  it('may have 500 characters', async () => {
    const answer = await send('GET', '/s/Shop/x', { headers: { 'X-Intent': 'x'.repeat(501) } });
    expect([answer.status, answer.json().error]).toEqual([400, expect.stringMatching(/^X-Intent: /)]);
  });
});

describe('a held request', () => {
  const held = async (path: string, headers = {}): Promise<HeldResponse> => {
    gateway.model.answer({ score: 1, explanation: 'erases' });
    const answer = await send('DELETE', path, { headers });
    expect([answer.status, answer.headers.get('x-error-code'), answer.headers.get('retry-after')]).toEqual([
      428,
      'approval_required',
      '8',
    ]);
    return answer.json<HeldResponse>();
  };

  it('gets 428, is approved, and is executed like any other', async () => {
    const { action_id } = await held('/s/Shop/customers/1');
    expect(gateway.upstream.calls).toHaveLength(0);
    await gateway.approve(action_id);
    const answer = await gateway.execute(action_id);
    expect([answer.status, answer.json()]).toMatchObject([200, { method: 'DELETE', path: '/v1/customers/1' }]);
  });

  it.each([
    ['Prefer: wait', '/s/Shop/customers/2', { Prefer: 'wait=30' }],
    [';wait in the base URL', '/s/Shop;wait=30/customers/3', {}],
  ])('is answered in the same call after approval, with %s', async (_name, path, headers) => {
    gateway.model.answer({ score: 1 });
    const answer = send('DELETE', path, { headers });
    let actionId: string | undefined;
    await eventually(async () => {
      const { items } = await gateway.admin<ActionPage>('GET /approvals');
      actionId = items.find(({ targetUrl }) => targetUrl.endsWith(path.slice(-2)))?.action_id;
      return actionId !== undefined;
    });
    await gateway.approve(actionId!);
    const { status, headers: answered } = await answer;
    expect([status, answered.get('x-proxy-status')]).toEqual([200, 'executed-approved']);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('can be checked by a dry run first', async () => {
    gateway.model.answer({ score: 1 });
    const answer = await send('DELETE', '/s/Shop/customers/4', { headers: { Prefer: 'handling=dry-run' } });
    expect([answer.status, answer.json<DryRunResponse>().decision]).toEqual([200, 'hold']);
    expect(gateway.upstream.calls).toHaveLength(0);
  });
});

describe('a retry', () => {
  const body = '{"n": 1}';
  const headers = { 'Content-Type': 'application/json' };

  it('with the same key is sent only once', async () => {
    const keyed = { body, headers: { ...headers, 'Idempotency-Key': key() } };
    const answers = await Promise.all([1, 2, 3].map(() => send('POST', '/s/Shop/orders', keyed)));
    expect(answers.map(({ status }) => status).filter((status) => ![200, 409].includes(status))).toEqual([]);
    expect((await send('POST', '/s/Shop/orders', keyed)).headers.get('x-idempotency-status')).toBe('processed');
    expect(gateway.upstream.calls).toHaveLength(1);
    expect(gateway.upstream.calls[0].headers['idempotency-key']).toBe(keyed.headers['Idempotency-Key']);
  });

  it('needs a key on POST and PATCH', async () => {
    for (const method of ['POST', 'PATCH']) {
      const answer = await send(method, '/s/Shop/orders', { body, headers });
      const text = `${method} needs an Idempotency-Key header, or \`;idempotency=none\` after the service name in the base URL`;
      expect([answer.status, answer.headers.get('x-error-code'), answer.json()]).toEqual([
        400,
        'idempotency_key_required',
        { error: text, message: text, error_description: text, statusCode: 400 },
      ]);
    }
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('counts as another request when the base URL says so', async () => {
    for (let times = 1; times <= 2; times++) {
      const answer = await send('POST', '/s/Shop;idempotency=none/orders', { body, headers });
      expect([answer.status, gateway.upstream.calls.length]).toEqual([200, times]);
    }
    expect(gateway.upstream.calls[0].headers).not.toHaveProperty('idempotency-key');
  });

  it('stores no answer with idempotency=none, because nobody can ask for it', async () => {
    const stored = async (): Promise<number> => {
      const rows: unknown[] = await gateway.app.database.query('SELECT FROM idempotency_records');
      return rows.length;
    };
    const before = await stored();
    const answer = await send('POST', '/s/Shop;idempotency=none/orders', { body, headers });
    expect([answer.status, answer.headers.get('x-idempotency-status')]).toEqual([200, null]);
    expect(await stored()).toBe(before);
  });

  it('waits for its own approval with idempotency=none, even while an equal request waits', async () => {
    gateway.model.answer({ score: 1 });
    const ask = () => send('POST', '/s/Shop;idempotency=none/equal', { body, headers });
    const ids = [await ask(), await ask()].map((answer) => answer.json<HeldResponse>().action_id);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('a redirect', () => {
  const redirect = (location: string) =>
    gateway.upstream.answer((call, response) => {
      if (call.path === '/v1/old') response.writeHead(302, { Location: location }).end();
      else response.end(call.path);
    });

  it.each([
    ['absolute', () => `${gateway.upstream.url}/v1/new?x=1`],
    ['relative', () => 'new?x=1'],
  ])('within the service leads to the gateway, and clients follow it there: %s', async (_name, location) => {
    redirect(location());
    const answer = await fetch(`${gateway.url}/s/Shop/old`, { headers: { 'Agent-Key': gateway.agentKey, ...INTENT } });
    expect([answer.url, await answer.text()]).toEqual([`${gateway.url}/s/Shop/new?x=1`, '/v1/new?x=1']);
  });

  it('to another host is reported, and clients do not follow it with the agent key', async () => {
    redirect('https://evil.example/collect');
    const answer = await fetch(`${gateway.url}/s/Shop/old`, { headers: { 'Agent-Key': gateway.agentKey, ...INTENT } });
    expect([answer.status, answer.redirected, answer.headers.get('location')]).toEqual([302, false, null]);
    expect(answer.headers.get('x-upstream-location')).toBe('https://evil.example/collect');
  });
});

describe('the openai package', () => {
  it('works with a base URL, and with the agent key as its key', async () => {
    gateway.upstream.answer((call, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const digest = createHash('sha256').update(call.body).digest('hex');
      response.end(JSON.stringify({ id: digest, choices: [{ message: { role: 'assistant', content: call.path } }] }));
    });
    const client = new OpenAI({
      baseURL: `${gateway.url}/s/Shop;idempotency=none`,
      apiKey: gateway.agentKey,
      defaultHeaders: { 'X-Intent': 'Answer my user' },
    });
    const completion = await client.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'Grüße' }],
    });
    expect(completion.choices[0].message.content).toBe('/v1/chat/completions');
    expect(gateway.upstream.calls[0].headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  it('reports the reason in its errors, and does not retry a held request', async () => {
    gateway.model.answer({ score: 1 });
    const client = new OpenAI({ baseURL: `${gateway.url}/s/Shop`, apiKey: gateway.agentKey });
    const options = { headers: { 'Idempotency-Key': key() } };
    const error = await client.chat.completions.create({ model: 'm', messages: [] }, options).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(OpenAI.APIError);
    const { status, headers } = error as InstanceType<typeof OpenAI.APIError>;
    expect([status, headers?.get('x-error-code')]).toEqual([428, 'approval_required']);
    expect(gateway.upstream.calls).toHaveLength(0);
  });
});

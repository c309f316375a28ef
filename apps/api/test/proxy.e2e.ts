import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { startGateway, SECRET, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.model.answer({ score: 0, explanation: 'harmless' });
});

const target = (path: string): string => `${gateway.upstream.url}${path}`;
const lastCall = () => gateway.upstream.calls[gateway.upstream.calls.length - 1];

describe('POST /proxy forwards', () => {
  it('with the real credentials, and returns the upstream’s response directly', async () => {
    gateway.upstream.answer((_call, response) => {
      response.writeHead(201, { 'Content-Type': 'application/vnd.shop+json', 'X-Shop': 'a', ETag: '"1"' });
      response.end('{"made":true}');
    });
    const answer = await gateway.proxy({ headers: { 'X-Custom': 'yes' } });
    expect(answer.status).toBe(201);
    expect(answer.text).toBe('{"made":true}');
    expect(answer.headers.get('x-proxy-status')).toBe('forwarded');
    expect(answer.headers.get('content-type')).toBe('application/vnd.shop+json');
    expect(answer.headers.get('x-shop')).toBe('a');
    expect(answer.headers.get('etag')).toBe('"1"');
    expect(answer.headers.get('x-idempotency-status')).toBeNull();
    expect(lastCall()).toMatchObject({ method: 'GET', path: '/v1/customers' });
    expect(lastCall().headers).toMatchObject({ authorization: `Bearer ${SECRET}`, 'x-custom': 'yes' });
  });

  it.each(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])('%s requests', async (method) => {
    gateway.upstream.answer((_call, response) => response.writeHead(200).end(method === 'HEAD' ? undefined : 'ok'));
    // The blended score alone holds no PUT or DELETE that the model scores 0.
    const answer = await gateway.proxy({ method, idempotencyKey: `all-${method}` });
    expect([answer.status, answer.text]).toEqual([200, method === 'HEAD' ? '' : 'ok']);
    expect(lastCall().method).toBe(method);
  });

  it('any status of the upstream, redirects included, without following them', async () => {
    for (const status of [204, 302, 304, 404, 418, 500, 503]) {
      gateway.upstream.answer((_call, response) => {
        response
          .writeHead(status, { Location: 'http://169.254.169.254/' })
          .end(status === 204 || status === 304 ? undefined : 'x');
      });
      const answer = await gateway.proxy();
      expect(answer.status).toBe(status);
      expect(answer.headers.get('x-proxy-status')).toBe('forwarded');
      const places = ['location', 'x-upstream-location'].map((name) => answer.headers.get(name));
      expect(places).toEqual([null, 'http://169.254.169.254/']);
    }
    expect(gateway.upstream.calls).toHaveLength(7);
  });

  it('bodies byte for byte, decoded, with application/json when the upstream sends no content type', async () => {
    const image = randomBytes(70_000);
    gateway.upstream.answer((_call, response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(image));
    expect((await gateway.proxy()).bytes.equals(image)).toBe(true);

    gateway.upstream.answer((_call, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('{"a":1}')),
    );
    const decoded = await gateway.proxy();
    expect(decoded.text).toBe('{"a":1}');
    expect(decoded.headers.get('content-encoding')).toBeNull();
    expect(decoded.headers.get('content-type')).toBe('application/json');
  });

  it('no header for authentication, routing or framing, and returns no forged gateway header', async () => {
    gateway.upstream.answer((_call, response) => {
      response.writeHead(200, {
        'Set-Cookie': 'a=b',
        'X-Proxy-Status': 'forged',
        'X-Idempotency-Status': 'forged',
        'X-Request-Id': 'forged',
        'Access-Control-Allow-Origin': '*',
        'Content-Security-Policy': "default-src 'none'",
      });
      response.end('ok');
    });
    const answer = await gateway.proxy({
      headers: {
        AUTHORIZATION: 'Bearer mine',
        'agent-key': 'agt_x',
        Cookie: 'c=d',
        'Proxy-Authorization': 'x',
        'x-api-KEY': 'mine',
        Connection: 'X-Hop',
        'X-Hop': 'gone',
        Host: 'evil.example',
        'Transfer-Encoding': 'chunked',
      },
    });
    expect(lastCall().headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(lastCall().headers.host).toBe(gateway.upstream.hostAndPort);
    for (const name of ['agent-key', 'cookie', 'proxy-authorization', 'x-api-key', 'x-hop', 'transfer-encoding']) {
      expect(lastCall().headers).not.toHaveProperty(name);
    }
    expect(answer.headers.get('x-proxy-status')).toBe('forwarded');
    expect(answer.headers.get('x-idempotency-status')).toBeNull();
    expect(answer.headers.get('x-request-id')).not.toBe('forged');
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('a body with a content type derived from it', async () => {
    const sent = async (body: string, headers = {}) => {
      await gateway.proxy({ method: 'PUT', body, headers });
      return [lastCall().headers['content-type'], lastCall().body.toString()];
    };
    expect(await sent('{"a":1}')).toEqual(['application/json', '{"a":1}']);
    expect(await sent('[1]')).toEqual(['application/json', '[1]']);
    expect(await sent('"text"')).toEqual(['text/plain; charset=utf-8', '"text"']);
    expect(await sent('a=b', { 'content-TYPE': 'application/x-www-form-urlencoded' })).toEqual([
      'application/x-www-form-urlencoded',
      'a=b',
    ]);
  });

  it('without returning the injected secret, in whatever encoding the upstream echoes it', async () => {
    const base64 = Buffer.from(SECRET).toString('base64');
    gateway.upstream.answer((call, response) => {
      response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Echo': String(call.headers.authorization) });
      response.end(
        `${call.headers.authorization} ${base64} ${encodeURIComponent(SECRET)} ${Buffer.from(`Bearer ${SECRET}`).toString('base64')}`,
      );
    });
    const answer = await gateway.proxy();
    expect(answer.headers.get('x-echo')).toBe('Bearer [REDACTED]');
    expect(answer.text).not.toContain(SECRET);
    expect(answer.text).not.toContain(base64);
    expect(Buffer.from(answer.text.split(' ').at(-1)!, 'base64').toString()).not.toContain(SECRET);
    expect(answer.text.startsWith('Bearer [REDACTED] [REDACTED] ')).toBe(true);
  });

  it('to the service with the longest matching base URL', async () => {
    const inner = await gateway.createService({
      name: 'Inner',
      baseUrl: target('/v1/inner'),
      credentials: { token: 'inner-token' },
    });
    const { apiKey } = await gateway.createAgent('both-bot', [gateway.service.id, inner.id]);
    gateway.upstream.answer((_call, response) => response.end('ok'));
    await gateway.proxy({ targetUrl: target('/v1/inner/x') }, { 'Agent-Key': apiKey });
    expect(lastCall().headers.authorization).toBe('Bearer inner-token');
    await gateway.proxy({ targetUrl: target('/v1/other') }, { 'Agent-Key': apiKey });
    expect(lastCall().headers.authorization).toBe(`Bearer ${SECRET}`);
    // A sibling path belongs to the outer service, because that one contains it.
    await gateway.proxy({ targetUrl: target('/v1/innermost') }, { 'Agent-Key': apiKey });
    expect(lastCall()).toMatchObject({ path: '/v1/innermost', headers: { authorization: `Bearer ${SECRET}` } });
    const lookAlike = await gateway.proxy({ targetUrl: target('/v1evil') }, { 'Agent-Key': apiKey });
    expect(lookAlike.json().error).toBe('Target path must start with service baseUrl path (/v1)');
  });
});

describe('POST /proxy injects by auth type', () => {
  const cases: [string, Record<string, string>, Record<string, string>][] = [
    ['bearer', { token: 'tok-1' }, { authorization: 'Bearer tok-1' }],
    ['oauth2', { access_token: 'tok-2' }, { authorization: 'Bearer tok-2' }],
    [
      'basic',
      { username: 'bob', password: 'pass-3' },
      { authorization: `Basic ${Buffer.from('bob:pass-3').toString('base64')}` },
    ],
    ['api_key', { api_key: 'key-4' }, { 'x-api-key': 'key-4' }],
    ['api_key', { 'X-App-Id': 'app-5', 'X-App-Key': 'key-5' }, { 'x-app-id': 'app-5', 'x-app-key': 'key-5' }],
  ];

  it.each(cases)('%s with %j', async (authType, credentials, expected) => {
    const service = await gateway.createService({ name: authType, baseUrl: target('/other'), authType, credentials });
    const { apiKey } = await gateway.createAgent(`${authType}-bot`, [service.id]);
    gateway.upstream.answer((_call, response) => response.end('ok'));
    const mine = Object.fromEntries(Object.keys(expected).map((name) => [name.toUpperCase(), 'from the agent']));
    const answer = await gateway.proxy({ targetUrl: target('/other/x'), headers: mine }, { 'Agent-Key': apiKey });
    expect(answer.status).toBe(200);
    expect(lastCall().headers).toMatchObject(expected);
  });

  it('nothing when required credentials are missing: it returns 500 and sends nothing', async () => {
    const service = await gateway.createService({ baseUrl: target('/bare'), credentials: { other: 'x' } });
    expect(service.missingCredentials).toEqual(['token']);
    const { apiKey } = await gateway.createAgent('bare-bot', [service.id]);
    const answer = await gateway.proxy({ targetUrl: target('/bare/x') }, { 'Agent-Key': apiKey });
    expect([answer.status, answer.json().error]).toEqual([500, 'No credentials found for service']);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('nothing when required credentials are missing, and records a keyed request once, as refused', async () => {
    const service = await gateway.createService({ baseUrl: target('/keyed'), credentials: { other: 'x' } });
    await gateway.admin(`POST /services/${service.id}/risk-rules`, { name: 'all', effect: 'allow' });
    const { apiKey, agent } = await gateway.createAgent('keyed-bot', [service.id]);
    const order = { method: 'POST', targetUrl: target('/keyed/orders'), body: '{}', idempotencyKey: 'keyed-1' };
    const answer = await gateway.proxy(order, { 'Agent-Key': apiKey });
    expect([answer.status, answer.json().error]).toEqual([500, 'No credentials found for service']);
    expect(await gateway.audit(`&agentId=${agent.id}&kind=request`)).toMatchObject([
      { outcome: 'refused', status: 500 },
    ]);

    await gateway.admin(`POST /services/${service.id}/credentials`, { credentials: { token: SECRET } });
    expect((await gateway.proxy(order, { 'Agent-Key': apiKey })).status).toBe(200);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('nothing when credentials were encrypted with another secret: it returns 500 and sends nothing', async () => {
    const service = await gateway.createService({ baseUrl: target('/broken') });
    await gateway.app.database.query(
      `UPDATE credentials SET encrypted_value = replace(encrypted_value, ':', ':0') WHERE service_id = $1`,
      [service.id],
    );
    const { apiKey } = await gateway.createAgent('broken-bot', [service.id]);
    const answer = await gateway.proxy({ targetUrl: target('/broken/x') }, { 'Agent-Key': apiKey });
    expect([answer.status, answer.json().error]).toEqual([500, 'Failed to decrypt credentials']);
    expect(gateway.upstream.calls).toHaveLength(0);
  });
});

describe('POST /proxy refuses', () => {
  const refused = async (body: object, status: number, error: string | RegExp, headers = {}) => {
    const answer = await gateway.proxy(body, headers);
    expect(answer.json()).toEqual({
      error: error instanceof RegExp ? expect.stringMatching(error) : error,
      statusCode: status,
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-proxy-status')).toBeNull();
    expect(gateway.upstream.calls).toHaveLength(0);
  };

  it('a call without a valid agent key, in the order of docs/reference/agent-api.md#authentication', async () => {
    await refused({}, 401, 'Missing Agent-Key header', { 'Agent-Key': '' });
    await refused({}, 401, 'Invalid Agent-Key format', { 'Agent-Key': 'key_1' });
    await refused({}, 401, 'Invalid Agent-Key', { 'Agent-Key': `agt_${'0'.repeat(64)}` });
    const { agent, apiKey } = await gateway.createAgent('revoked-bot', [gateway.service.id]);
    await gateway.admin(`PUT /agents/${agent.id}`, { isActive: false });
    await refused({}, 401, 'Agent key has been revoked', { 'Agent-Key': apiKey });
  });

  it('a body that breaks the schema, naming each field', async () => {
    await refused({ targetUrl: undefined, method: 'BREW', intent: '' }, 400, /^targetUrl: .+; method: .+; intent: .+/);
    await refused({ intent: 'x'.repeat(501) }, 400, /^intent: /);
    await refused({ headers: { a: 1 } as never }, 400, /^headers: /);
    await refused({ headers: { 'a b': 'c' } }, 400, /not a valid header name/);
    await refused({ headers: { a: 'b\r\nc: d' } }, 400, /^headers\.a: /);
    await refused({ body: 'x' }, 400, 'body: must not be present on GET requests');
    await refused({ method: 'HEAD', body: 'x' }, 400, 'body: must not be present on HEAD requests');
    await refused({ targetUrl: 'nonsense' }, 400, /targetUrl/);
    await refused({ targetUrl: 'ftp://example.com/' }, 400, 'Only HTTP and HTTPS protocols are allowed');
  });

  it('POST and PATCH without a key, and keys of invalid length', async () => {
    const text = 'idempotencyKey is required for POST and PATCH requests';
    await refused({ method: 'POST' }, 400, text);
    await refused({ method: 'PATCH' }, 400, text);
    await refused({ method: 'POST', idempotencyKey: 'k'.repeat(256) }, 400, /^idempotencyKey: /);
    await refused({ method: 'POST' }, 400, /^Idempotency-Key: /, { 'Idempotency-Key': 'k'.repeat(256) });
  });

  it('targets without a service, or of a service out of scope', async () => {
    const none = 'No service found matching target URL or agent does not have access';
    await refused({ targetUrl: 'https://elsewhere.example/v1/customers' }, 404, none);
    await gateway.createService({ name: 'Not mine', baseUrl: target('/secret') });
    await refused({ targetUrl: target('/secret/x') }, 404, none);
  });

  it('look-alikes of a service, with the reason', async () => {
    const host = gateway.upstream.hostAndPort;
    await refused({ targetUrl: target('/v1evil') }, 403, 'Target path must start with service baseUrl path (/v1)');
    await refused({ targetUrl: target('/v1/../admin') }, 403, 'Target path must start with service baseUrl path (/v1)');
    await refused(
      { targetUrl: target('/v1/%2e%2e/admin') },
      403,
      'Target path must start with service baseUrl path (/v1)',
    );
    const open = await gateway.createService({ name: 'Open', baseUrl: 'http://public.example' });
    const { apiKey } = await gateway.createAgent('open-bot', [open.id, gateway.service.id]);
    await refused(
      { targetUrl: 'http://public.example.evil.test/x' },
      403,
      'Target hostname (public.example.evil.test) does not match service baseUrl (public.example)',
      { 'Agent-Key': apiKey },
    );
    expect(host).toBeDefined();
  });

  it('private addresses and localhost', async () => {
    const metadata = await gateway.createService({ name: 'Metadata', baseUrl: 'http://169.254.169.254' });
    const local = await gateway.createService({ name: 'Local', baseUrl: 'http://localhost:1' });
    const { apiKey } = await gateway.createAgent('inside-bot', [metadata.id, local.id]);
    await refused({ targetUrl: 'http://169.254.169.254/latest' }, 403, 'Access to private IP ranges is forbidden', {
      'Agent-Key': apiKey,
    });
    await refused({ targetUrl: 'http://localhost:1/x' }, 403, 'Access to localhost is forbidden', {
      'Agent-Key': apiKey,
    });
  });

  it('requests that a rule denies', async () => {
    const { id } = await gateway.admin<{ id: number }>(`POST /services/${gateway.service.id}/risk-rules`, {
      name: 'no exports',
      effect: 'deny',
      pathPattern: '/export/**',
    });
    await refused({ targetUrl: target('/v1/export/all') }, 403, 'Denied by risk rule "no exports"');
    await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${id}`);
  });

  it('invalid JSON, other content types, and bodies over 10 MB', async () => {
    const send = async (body: string, type = 'application/json') => {
      const answer = await gateway.agentCall('POST', '/proxy', body, { 'Content-Type': type });
      return [answer.status, answer.json().error];
    };
    expect(await send('{')).toEqual([400, 'Invalid JSON in request body']);
    expect(await send('[]')).toEqual([400, 'Request body must be a JSON object']);
    expect(await send('a=b', 'application/x-www-form-urlencoded')).toEqual([
      415,
      'Content-Type must be application/json',
    ]);
    expect(await send(JSON.stringify({ body: 'x'.repeat(10 * 1024 * 1024 + 1) }))).toEqual([
      413,
      'Request body exceeds 10MB limit',
    ]);
    expect(await send('{"intent":"a\\u0000"}')).toEqual([400, 'JSON must not contain NUL characters']);
    expect(await send('{"__proto__":{}}')).toEqual([400, 'JSON must not have a key __proto__']);
    expect(await send(`{"a":${'['.repeat(100)}${']'.repeat(100)}}`)).toEqual([
      400,
      'JSON must not be nested deeper than 64 levels',
    ]);
  });
});

describe('POST /proxy answers for a misbehaving upstream', () => {
  it('502 when nothing listens', async () => {
    const dead = await gateway.createService({
      name: 'Dead',
      baseUrl: `${gateway.upstream.url.replace(/\d+$/, '')}1/v9`,
    });
    const { apiKey } = await gateway.createAgent('dead-bot', [dead.id]);
    const answer = await gateway.proxy({ targetUrl: `${dead.baseUrl}/x` }, { 'Agent-Key': apiKey });
    // The port is not on the allow-list, so the gateway refuses before it connects.
    expect(answer.json()).toEqual({ error: 'Access to private IP ranges is forbidden', statusCode: 403 });
  });

  it('502 when the connection breaks', async () => {
    gateway.upstream.answer((_call, response) => void response.socket?.destroy());
    const answer = await gateway.proxy();
    expect(answer.status).toBe(502);
    expect(answer.json().error).toMatch(/^Failed to forward request to 127\.0\.0\.1: connection was /);
    expect(answer.headers.get('x-proxy-status')).toBeNull();
  });

  it('413 when the response exceeds 10 MB', async () => {
    gateway.upstream.answer((_call, response) => response.end(Buffer.alloc(11 * 1024 * 1024, 'x')));
    const answer = await gateway.proxy();
    expect(answer.json()).toEqual({
      error: 'Response size exceeds 10MB limit',
      statusCode: 413,
      next: expect.stringMatching(/^The upstream processed the request;/) as string,
    });
  });

  it('exactly 10 MB are forwarded', async () => {
    gateway.upstream.answer((_call, response) => response.end(Buffer.alloc(10 * 1024 * 1024, 'x')));
    const answer = await gateway.proxy();
    expect([answer.status, answer.bytes.length]).toEqual([200, 10 * 1024 * 1024]);
  });
});

describe('every response', () => {
  it('carries a request id, which is the caller’s own id if that is harmless', async () => {
    const readRequestId = async (given: string) =>
      (await gateway.proxy({}, { 'X-Request-Id': given })).headers.get('x-request-id');
    expect(await readRequestId('trace-1.a_b')).toBe('trace-1.a_b');
    expect(await readRequestId('x'.repeat(65))).toMatch(/^[0-9a-f-]{36}$/);
    expect(await readRequestId('with space')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

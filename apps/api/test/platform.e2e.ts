import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { ERROR_CODES, type ErrorCode } from '#contracts';
import { EventHub } from '../src/events/event-hub.js';
import { eventually } from './support/eventually.js';
import { Gateway, startGateway } from './support/gateway.js';
import { startDatabaseProxy, type TcpProxy } from './support/tcp-proxy.js';

const MB = 1024 * 1024;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let gateway: Gateway;
let databaseProxy: TcpProxy;
beforeAll(async () => {
  const { link, databaseUrl } = await startDatabaseProxy();
  databaseProxy = link;
  gateway = await startGateway({ DATABASE_URL: databaseUrl });
});
afterAll(async () => {
  await gateway.close();
  await databaseProxy.stop();
});
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.upstream.answer((_call, response) => response.end('{}'));
  gateway.model.answer({ score: 0 });
});

interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends the path and the method unchanged; fetch would normalize paths and refuse some methods. */
function raw(method: string, path: string, headers: Record<string, string> = {}, body?: string | Buffer) {
  return new Promise<RawAnswer>((resolve, reject) => {
    const outgoing = httpRequest(gateway.url, { method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const admin = () => ({ Authorization: `Bearer ${gateway.token}` });
const json = { 'Content-Type': 'application/json' };

function expectEnvelope(answer: RawAnswer, status: number, error: unknown, next?: string): void {
  expect(JSON.parse(answer.body)).toEqual({ error, statusCode: status, next });
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['x-request-id']).toMatch(UUID);
  expect(ERROR_CODES[answer.headers['x-error-code'] as ErrorCode].statuses).toContain(status);
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
}

describe('every error has the same envelope', () => {
  it.each<[string, string, number, string]>([
    ['GET', '/nowhere', 404, 'Cannot GET /nowhere'],
    ['GET', '/nowhere?secret=1', 404, 'Cannot GET /nowhere'],
    ['POST', '/nowhere', 404, 'Cannot POST /nowhere'],
    ['PUT', '/proxy', 405, 'PUT is not allowed here; allowed are POST'],
    ['TRACE', '/health', 405, 'TRACE is not allowed here; allowed are GET, HEAD'],
    ['PROPFIND', '/services', 405, 'PROPFIND is not allowed here; allowed are GET, HEAD, POST'],
    ['GET', '/services/%E0%A4%A', 400, "Failed to decode param '%E0%A4%A'"],
    ['GET', '/dashboard/assets/%zz', 404, 'Cannot GET /dashboard/assets/%zz'],
    ['GET', '/services/%00', 400, 'URL must not contain NUL characters'],
    ['GET', '/dashboard/assets/none.js', 404, 'Cannot GET /dashboard/assets/none.js'],
    ['GET', `/${'x'.repeat(8000)}`, 404, `Cannot GET /${'x'.repeat(8000)}`],
    ['GET', '/services', 401, 'Missing authorization header'],
    ['POST', '/auth/register/', 400, expect.stringContaining('email: ')],
  ])('%s %s', async (method, path, status, error) => {
    expectEnvelope(await raw(method, path), status, error);
  });

  it.each(['0', '-1', '1.5', '2147483648', '99999999999999999999', 'x', '1e3', '%31x', ' 1', '0x1'])(
    'for an invalid id: %s',
    async (id) => {
      for (const path of ['/services/', '/agents/']) {
        expectEnvelope(
          await raw('GET', path + encodeURI(id).replace('%2531', '%31'), admin()),
          400,
          'id: must be an integer from 1 to 2147483647',
        );
      }
    },
  );

  it('for a body that is not a JSON object', async () => {
    const post = (body: string | Buffer, headers = {}) =>
      raw('POST', '/services', { ...admin(), ...json, ...headers }, body);
    for (const [body, where] of [
      ['{"a":', 'the text ends where a value is expected at line 1, column 6 (position 5)'],
      ['{"a":1,\n "b":2,}', 'expected a name in double quotes at line 2, column 8 (position 15)'],
      [Buffer.from([0x7b, 0xff, 0x7d]), 'the body is not UTF-8 text'],
    ] as const) {
      expectEnvelope(await post(body), 400, 'Invalid JSON in request body', `Fix the JSON: ${where}`);
    }
    for (const body of ['[]', '1', 'null', '"text"']) {
      expectEnvelope(await post(body), 400, 'Request body must be a JSON object');
    }
    expectEnvelope(await post('{"name":"a\\u0000b"}'), 400, 'JSON must not contain NUL characters');
    expectEnvelope(await post('{"na\\u0000me":1}'), 400, 'JSON must not contain NUL characters');
    expectEnvelope(
      await post(`{"a":${'['.repeat(64)}${']'.repeat(64)}}`),
      400,
      'JSON must not be nested deeper than 64 levels',
    );
    // Deeper than the call stack, but within the size limit.
    expectEnvelope(
      await post(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`),
      400,
      expect.stringMatching(/nested deeper|Invalid JSON/),
    );
    expectEnvelope(await post('{"__proto__":{"isAdmin":true}}'), 400, 'JSON must not have a key __proto__');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', '']) {
      expectEnvelope(await post('{}', { 'Content-Type': type }), 415, 'Content-Type must be application/json');
    }
    expectEnvelope(
      await post('{}', { 'Content-Encoding': 'gzip' }),
      415,
      'Content-Encoding is not supported: send the body without it',
    );
    expect((await post('{}', { 'Content-Type': 'application/json; charset=utf-8' })).status).toBe(400);
  });

  it.each<[string, number, () => Record<string, string>]>([
    ['/proxy', 10, () => ({ 'Agent-Key': gateway.agentKey })],
    ['/proxy/', 10, () => ({ 'Agent-Key': gateway.agentKey })],
    ['/services/1/documentation', 20, admin],
    ['/services', 1, admin],
    ['/auth/login', 1, () => ({})],
  ])('for a body over the limit of %s, %i MB', async (path, limitMb, headers) => {
    const ofSize = (bytes: number): Buffer => {
      const body = Buffer.alloc(bytes, 'x');
      body.write('{"x":"');
      body.write('"}', bytes - 2);
      return body;
    };
    const tooLarge = `Request body exceeds ${limitMb}MB limit`;
    const over = ofSize(limitMb * MB + 1);
    expectEnvelope(await rawTolerant(path, { ...headers(), ...json }, over, false), 413, tooLarge);
    expectEnvelope(await rawTolerant(path, { ...headers(), ...json }, over, true), 413, tooLarge);
    const within = await raw('POST', path, { ...headers(), ...json }, ofSize(limitMb * MB));
    expect([400, 404]).toContain(within.status);
  });

  it('for a request that is not HTTP: the connection closes, and the gateway continues', async () => {
    const { port, hostname } = new URL(gateway.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await raw('GET', '/health')).status).toBe(200);
  });

  /** A server may answer and close before it has read everything. The answer counts, not the broken pipe. */
  function rawTolerant(path: string, headers: Record<string, string>, body: Buffer, chunked: boolean) {
    return new Promise<RawAnswer>((resolve, reject) => {
      const outgoing = httpRequest(gateway.url, {
        method: 'POST',
        path,
        headers: { ...headers, ...(chunked ? {} : { 'Content-Length': body.length }) },
      });
      let answered = false;
      outgoing.on('response', (response) => {
        answered = true;
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
          outgoing.destroy();
        });
        response.on('error', reject);
      });
      outgoing.on('error', (error) => answered || reject(error));
      // In two parts, so that Node uses chunks when no length is given.
      outgoing.write(body.subarray(0, 1));
      outgoing.end(body.subarray(1));
    });
  }
});

describe('every response', () => {
  it('carries a request id, which is the caller’s own id if that is harmless', async () => {
    const readRequestId = async (given: string): Promise<unknown> =>
      (await raw('GET', '/health', { 'X-Request-Id': given })).headers['x-request-id'];
    expect(await readRequestId('Trace-1.a_b')).toBe('Trace-1.a_b');
    expect(await readRequestId('x'.repeat(64))).toBe('x'.repeat(64));
    for (const bad of ['x'.repeat(65), 'a b', 'a/b', '<script>', 'é']) expect(await readRequestId(bad)).toMatch(UUID);
  });

  it('keeps browsers from rendering API responses as pages', async () => {
    const { headers } = await raw('GET', '/health');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).not.toHaveProperty('strict-transport-security');
  });

  it('has a strict policy for pages', async () => {
    const { headers } = await raw('GET', '/docs');
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it('names only the configured origins in CORS headers', async () => {
    const cors = await gateway.secondInstance({ CORS_ORIGINS: 'https://dash.example' });
    const preflight = async (origin: string) =>
      (
        await fetch(`${cors.url}/services`, {
          method: 'OPTIONS',
          headers: { Origin: origin, 'Access-Control-Request-Method': 'GET' },
        })
      ).headers.get('access-control-allow-origin');
    expect(await preflight('https://dash.example')).toBe('https://dash.example');
    expect(await preflight('https://evil.example')).toBeNull();
    await cors.app.close();
  });
});

it('GET / leads to the dashboard', async () => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await raw(method, '/');
    expect([answer.status, answer.headers.location]).toEqual([302, '/dashboard']);
  }
  expectEnvelope(await raw('POST', '/'), 405, 'POST is not allowed here; allowed are GET, HEAD');
});

it.each([
  '../../package.json',
  '%2e%2e/%2e%2e/package.json',
  '..%2f..%2fpackage.json',
  'assets/..%5c..%5cpackage.json',
])('no path below /dashboard leads outside of it: %s', async (path) => {
  const answer = await raw('GET', `/dashboard/${path}`);
  // A 200 is the page itself, when it is built. The page has routes of its own.
  expect([200, 403, 404]).toContain(answer.status);
  expect(answer.body).not.toContain('dependencies');
});

it('GET /health and GET /ready need no credentials', async () => {
  expect(JSON.parse((await raw('GET', '/health')).body)).toEqual({ status: 'ok' });
  const ready = await raw('GET', '/ready');
  expect([ready.status, JSON.parse(ready.body)]).toEqual([200, { status: 'ready', database: 'connected' }]);
});

it('GET /admin/status reports the state of the gateway, and shows no secret', async () => {
  const { config, ...status } = await gateway.admin<{ config: { name: string; value: string; secret: boolean }[] }>(
    'GET /admin/status',
  );
  expect(status).toMatchObject({
    encryptionOk: true,
    credentialRotation: { due: 0, overdue: 0 },
    liveUpdates: true,
    database: { clockSkewMs: expect.any(Number) },
  });
  const settings = JSON.stringify(config);
  for (const secret of ['test-jwt-secret', 'test-encryption-secret', 'test-llm-key', 'postgres']) {
    expect(settings).not.toContain(secret);
  }
  expect(config).toContainEqual({ name: 'JWT_SECRET', value: 'set', secret: true });
  expect(config).toContainEqual({ name: 'RISK_CACHE_SECONDS', value: '0', secret: false });
});

describe('while the database is unavailable', () => {
  let actionId: string;
  beforeAll(async () => {
    actionId = (await gateway.hold()).action_id;
    await gateway.approve(actionId);
    gateway.model.answer({ score: 0 });
    expect((await gateway.proxy()).status).toBe(200);
    await gateway.app.settled();
    await databaseProxy.stop();
  });

  it('GET /health still returns ok', async () => {
    expect((await raw('GET', '/health')).status).toBe(200);
  });

  it('every other endpoint returns 503 with Retry-After in time', async () => {
    const agent = () => ({ 'Agent-Key': gateway.agentKey });
    const proxy = (method: string, key?: string) =>
      JSON.stringify({
        targetUrl: `${gateway.upstream.url}/v1/x`,
        method,
        intent: 'look',
        ...(key && { idempotencyKey: key }),
      });
    const credentials = JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' });
    const calls: [string, string, Record<string, string>, string?][] = [
      ['GET', '/ready', {}],
      ['POST', '/proxy', { ...agent(), ...json }, proxy('GET')],
      ['POST', '/proxy', { ...agent(), ...json }, proxy('POST', 'away')],
      ['POST', '/proxy', { 'Agent-Key': `agt_${'1'.repeat(64)}`, ...json }, proxy('GET')],
      ['POST', `/proxy/execute/${actionId}`, agent()],
      ['GET', `/status/${actionId}`, agent()],
      ['GET', `/status/${actionId}`, { ...agent(), Prefer: 'wait=60' }],
      ['POST', '/auth/login', json, credentials],
      ['POST', '/auth/register', json, credentials],
      ['GET', '/auth/setup', {}],
      ['GET', '/auth/me', admin()],
      ['GET', '/services', admin()],
      ['GET', '/services/1', admin()],
      ['GET', '/agents', admin()],
      ['GET', '/approvals', admin()],
      ['GET', '/approvals/counts', admin()],
      ['PATCH', `/approvals/${actionId}/deny`, { ...admin(), ...json }, '{}'],
      ['GET', '/audit', admin()],
      ['GET', '/audit/export?format=csv', admin()],
      ['GET', '/audit/stats', admin()],
      ['GET', '/events', admin()],
      ['GET', '/admin/status', admin()],
    ];
    await Promise.all(
      calls.map(async ([method, path, headers, body]) => {
        const answer = await raw(method, path, headers, body);
        expect([method, path, answer.status, answer.body]).toEqual([
          method,
          path,
          503,
          '{"error":"Database connection failed","statusCode":503}',
        ]);
        expectEnvelope(answer, 503, 'Database connection failed');
        expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      }),
    );
  });

  it('nothing is forwarded', async () => {
    await Promise.all(Array.from({ length: 20 }, () => gateway.proxy()));
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('everything works again without a restart when it returns', async () => {
    await databaseProxy.start();
    await eventually(async () => (await raw('GET', '/ready')).status === 200);
    expect((await gateway.proxy()).status).toBe(200);
    expect((await gateway.proxy({ method: 'POST', body: '{}', idempotencyKey: 'back' })).status).toBe(200);
    expect((await gateway.status(actionId)).json()).toMatchObject({ status: 'APPROVED' });
    expect((await gateway.execute(actionId)).status).toBe(200);
    await gateway.admin('GET /services');
    await eventually(() => gateway.app.app.get(EventHub).connected);
  });

  it('a response from the outage is stored before the agent gets it', async () => {
    const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/77` });
    await gateway.approve(action_id);
    const ended = new Promise<void>((resolve) => {
      gateway.upstream.answer((_call, response) => {
        void databaseProxy.stop().then(() => response.end('while away', resolve));
      });
    });
    const executed = gateway.execute(action_id);
    await ended;
    // While the gateway answers these, it also tries to store the response.
    for (let asked = 0; asked < 3; asked++) expect((await raw('GET', '/ready')).status).toBe(503);
    await databaseProxy.start();
    const answer = await executed;
    expect([answer.status, answer.text]).toEqual([200, 'while away']);
    const status = await eventually(async () => {
      const now = await gateway.status(action_id);
      return now.status === 200 && now;
    });
    expect(status.json()).toMatchObject({ status: 'EXECUTED', result: { body: 'while away' } });
    expect(gateway.upstream.calls).toHaveLength(1);
  });
});

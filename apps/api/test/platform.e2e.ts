import { startGateway, type Gateway } from './support/gateway.js';
import { expectEnvelope, sendPlain, UUID } from './support/plain-http.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

const raw = (method: string, path: string, headers?: Record<string, string>) =>
  sendPlain(gateway.url, method, path, headers);

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

import type { MeResponse } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
let gateway: Gateway;
let paths: [path: string, methods: string[], pattern: RegExp][];

beforeAll(async () => {
  gateway = await startGateway();
  const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as { paths: Record<string, object> };
  paths = Object.entries(document.paths).map(([path, item]) => [
    path.replaceAll(/\{[^}]+\}/g, '1'),
    Object.keys(item),
    new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
  ]);
});
afterAll(() => gateway?.close());

const send = (method: string, path: string) =>
  fetch(gateway.url + path, { method: method.toUpperCase(), redirect: 'manual' });

/** `/slack-links/view` is also `/slack-links/{id}`. */
const isRouted = (method: string, path: string): boolean =>
  paths.some(([, methods, pattern]) => pattern.test(path) && methods.includes(method));

it('every path answers an unsupported method with 405 and lists the methods that it supports', async () => {
  for (const [path, methods] of paths.filter(([each]) => !/^\/(s|mcp)(\/|$)/.test(each))) {
    for (const method of METHODS.filter((each) => !isRouted(each, path))) {
      const response = await send(method, path);
      const allowed = response.headers.get('allow') ?? '';
      expect([method, path, response.status]).toEqual([method, path, 405]);
      expect(allowed.toLowerCase().split(', ')).toEqual(expect.arrayContaining(methods));
      expect(await response.json()).toEqual({
        error: `${method.toUpperCase()} is not allowed here; allowed are ${allowed}`,
        statusCode: 405,
      });
    }
    const options = await send('options', path);
    expect([path, options.status]).toEqual([path, 204]);
    if (methods.includes('get')) expect(options.headers.get('allow')).toContain('HEAD');
    else if (!isRouted('get', path)) expect((await send('head', path)).status).toBe(405);
  }
});

it.each(['/', '/dashboard', '/dashboard/services', '/docs', '/openapi.json', '/openapi.yaml'])(
  'the read-only path %s answers a POST with 405',
  async (path) => {
    const response = await send('post', path);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  },
);

it('an unknown path is 404 with every method', async () => {
  for (const method of [...METHODS, 'options']) expect((await send(method, '/unknown')).status).toBe(404);
  expect((await send('put', '/mcp')).headers.get('allow')).toBe('POST');
});

it('every 401 has a Bearer challenge, for which browsers show no log-in dialog', async () => {
  const challenges = new Set<string | null>();
  for (const [path, methods] of [...paths, ['/s/Shop/x', ['get', 'post'], /^$/] as [string, string[], RegExp]]) {
    for (const method of methods.filter((each) => METHODS.includes(each))) {
      const response = await send(method, path);
      if (response.status === 401) challenges.add(response.headers.get('www-authenticate'));
      else expect(response.headers.get('www-authenticate')).toBeNull();
    }
  }
  expect([...challenges]).toEqual(['Bearer realm="Agent Gateway"']);
  for (const path of ['/services', '/mcp', '/s/Shop/x']) {
    const headers = { Authorization: 'Bearer agt_0123456789abcdef' };
    const response = await fetch(gateway.url + path, { method: path === '/mcp' ? 'POST' : 'GET', headers });
    expect([path, response.status]).toEqual([path, 401]);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="Agent Gateway"/);
  }
});

it("an upstream's own 401 passes with its own challenge", async () => {
  gateway.model.answer({ score: 0, explanation: 'reads' });
  gateway.upstream.answer((_call, response) =>
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="Shop"' }).end(),
  );
  const answer = await gateway.proxy();
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Shop"']);
});

it('a personal access token can ask whose it is, and what it may do', async () => {
  const me = await gateway.admin<MeResponse>('GET /auth/me');
  expect(me.token).toBeNull();
  const [workspace] = await gateway.admin<{ id: number }[]>('GET /workspaces');
  const expiresAt = new Date(gateway.app.clock.nowMs() + 86_400_000).toISOString();
  const { token } = await gateway.admin<{ token: string }>('POST /auth/tokens', {
    name: 'CI',
    role: 'auditor',
    workspaceId: workspace.id,
    expiresAt,
  });
  const { status, body } = await gateway.tryAdmin<MeResponse>('GET /auth/me', undefined, token);
  expect([status, body.user]).toEqual([200, me.user]);
  expect(body.token).toEqual({
    name: 'CI',
    role: 'auditor',
    workspace: { id: expect.any(Number), name: expect.any(String) },
    expiresAt: expect.any(String),
  });
  expect((await gateway.tryAdmin('GET /auth/me', undefined, `${token}x`)).status).toBe(401);
});

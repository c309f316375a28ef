import type { HeldResponse } from '#contracts';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';
import { McpAgent } from './support/mcp-client.js';
import { rawRequest, type RawAnswer } from './support/raw-http.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.model.answer({ score: 0, explanation: 'harmless' });
  gateway.upstream.answer(({ path }, response) => response.end(JSON.stringify({ path })));
});

const send = (
  method: string,
  path: string,
  { headers = {} }: { headers?: Record<string, string> } = {},
): Promise<ProxyAnswer> => gateway.agentCall(method, path, undefined, { 'X-Intent': 'look', ...headers });

/** Sends the path unchanged; `fetch` would normalize it. */
function raw(path: string, method = 'GET'): Promise<RawAnswer | null> {
  const port = Number(new URL(gateway.url).port);
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAgent-Key: ${gateway.agentKey}\r\nX-Intent: look\r\n\r\n`;
  return rawRequest(port, [head]);
}

describe.each([
  '/customers?',
  "/odata?$filter=name%20eq%20'x'",
  "/People('ann')",
  '/caf%c3%a9?a=%2F',
  '/x?a=%7e&b=%2D',
  '/a//b',
  '/x;v=1?a[]=1|2',
])('the path and query %s reach the API unchanged', (path) => {
  const sent = `/v1${path}`;
  const targetUrl = (): string => gateway.upstream.url + sent;
  const pathsSent = (): string[] => gateway.upstream.calls.map((call) => call.path);

  it('below a base URL and by POST /proxy', async () => {
    expect((await raw(`/s/Shop${path}`))?.status).toBe(200);
    await gateway.proxy({ targetUrl: targetUrl() });
    expect(pathsSent()).toEqual([sent, sent]);
  });

  it('by the tool of MCP', async () => {
    const agent = await McpAgent.connect(gateway.url, { 'Agent-Key': gateway.agentKey });
    await agent.ask('request', { method: 'GET', targetUrl: targetUrl(), intent: 'look' });
    await agent.close();
    expect(pathsSent()).toEqual([sent]);
  });

  it('after an approval', async () => {
    const { action_id: id } = await gateway.hold({ method: 'DELETE', targetUrl: targetUrl() });
    await gateway.approve(id);
    expect((await gateway.execute(id)).status).toBe(200);
    expect(pathsSent()).toEqual([sent]);
  });
});

it('the path is found also where the target of the HTTP request is a whole URL', async () => {
  expect((await raw('http://gateway.example.com/s/Shop/customers?y=1'))?.status).toBe(200);
  expect(gateway.upstream.calls.map(({ path }) => path)).toEqual(['/v1/customers?y=1']);
  expect((await raw('http://gateway.example.com/health'))?.status).toBe(200);
  expect((await raw('http://gateway.example.com?y=/s/Shop/customers'))?.status).toBe(302);
});

describe('the service', () => {
  it('is found by its exact name, percent-encoded where necessary', async () => {
    const service = await gateway.createService({ name: 'A/B; ü', baseUrl: `${gateway.upstream.url}/odd/` });
    const { apiKey } = await gateway.createAgent('odd', [service.id]);
    const headers = { 'Agent-Key': apiKey };
    const answer = await send('GET', `/s/${encodeURIComponent('A/B; ü')}/x`, { headers });
    expect(answer.json()).toMatchObject({ path: '/odd/x' });
    for (const path of ['/s/shop/x', '/s/SHOP/x', '/s/Shop%20/x', '/s/Shop%2Fx', `/s/${'x'.repeat(300)}`]) {
      const refused = await send('GET', path);
      expect([path, refused.status, refused.json()]).toEqual([
        path,
        404,
        {
          error: 'No service found matching target URL or agent does not have access',
          message: 'No service found matching target URL or agent does not have access',
          error_description: 'No service found matching target URL or agent does not have access',
          statusCode: 404,
        },
      ]);
    }
    // Only this agent has access to it.
    expect((await send('GET', `/s/${encodeURIComponent('A/B; ü')}/x`)).status).toBe(404);
  });

  it('is found by its new name from the next request on', async () => {
    const service = await gateway.createService({ name: 'Before', baseUrl: `${gateway.upstream.url}/renamed` });
    const { apiKey } = await gateway.createAgent('renamer', [service.id]);
    const status = async (name: string): Promise<number> =>
      (await send('GET', `/s/${name}/x`, { headers: { 'Agent-Key': apiKey } })).status;
    expect([await status('Before'), await status('After')]).toEqual([200, 404]);
    await gateway.admin(`PUT /services/${service.id}`, { name: 'After' });
    expect([await status('After'), await status('Before')]).toEqual([200, 404]);
  });

  it('stays unknown with any Host header, and the refusal is recorded', async () => {
    const port = Number(new URL(gateway.url).port);
    const { host } = new URL(gateway.upstream.url);
    const head = `GET /s/v1/unknown-recorded HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nAgent-Key: ${gateway.agentKey}\r\n\r\n`;
    expect((await rawRequest(port, [head]))?.status).toBe(404);
    expect(gateway.upstream.calls).toHaveLength(0);
    const [record] = await gateway.audit('&q=unknown-recorded');
    expect(record).toMatchObject({ outcome: 'refused', status: 404 });
  });

  it('is the named one when two services have the same base URL', async () => {
    const baseUrl = `${gateway.upstream.url}/twin`;
    const one = await gateway.createService({ name: 'One', baseUrl, credentials: { token: 'token-of-one' } });
    const two = await gateway.createService({ name: 'Two', baseUrl, credentials: { token: 'token-of-two' } });
    const { apiKey } = await gateway.createAgent('twins', [one.id, two.id]);
    for (const [name, token] of [
      ['Two', 'token-of-two'],
      ['One', 'token-of-one'],
    ]) {
      await send('GET', `/s/${name}/x`, { headers: { 'Agent-Key': apiKey } });
      expect(gateway.upstream.calls.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
    }
    // A pending action of one service does not match a request to the other.
    gateway.model.answer({ score: 1 });
    const ask = async (name: string): Promise<string> =>
      (await send('DELETE', `/s/${name}/x`, { headers: { 'Agent-Key': apiKey } })).json<HeldResponse>().action_id;
    const [first, again, other] = [await ask('One'), await ask('One'), await ask('Two')];
    expect([again === first, other === first]).toEqual([true, false]);
  });

  it("with the longer base URL decides, so that its rules can't be bypassed", async () => {
    const outer = await gateway.createService({ name: 'Outer', baseUrl: `${gateway.upstream.url}/outer` });
    const inner = await gateway.createService({ name: 'Inner', baseUrl: `${gateway.upstream.url}/outer/admin` });
    await gateway.admin(`POST /services/${inner.id}/risk-rules`, { name: 'Never', effect: 'deny' });
    const { apiKey } = await gateway.createAgent('walker', [outer.id, inner.id]);
    const answer = await send('GET', '/s/Outer/admin/x', { headers: { 'Agent-Key': apiKey } });
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'rule_denied']);
  });

  it('needs a unique name', async () => {
    const ids: number[] = [];
    for (const baseUrl of ['https://a.example', 'https://b.example']) {
      ids.push((await gateway.createService({ name: 'Same', baseUrl })).id);
    }
    const { apiKey } = await gateway.createAgent('confused', ids);
    const answer = await send('GET', '/s/Same/x', { headers: { 'Agent-Key': apiKey } });
    expect([answer.status, answer.json().error]).toEqual([400, expect.stringContaining('several of your services')]);
  });
});

describe('a hostile path', () => {
  it.each([
    '/s/Shop/../admin',
    '/s/Shop/%2e%2e/admin',
    '/s/Shop/%2E%2e%2fadmin',
    '/s/Shop/..%2fadmin',
    '/s/Shop/%252e%252e/admin',
    '/s/Shop/x/../../admin',
    '/s/Shop/..\\admin',
    '/s/Shop/%5c..%5cadmin',
    '/s/Shop/..;/admin',
    '/s/Shop/./../admin',
    '/s/Shop/x/%2e%2e/%2e%2e/admin',
  ])('is refused by the egress guard: %s', async (path) => {
    const answer = await raw(path);
    expect([path, answer?.status, answer?.headers['x-error-code']]).toEqual([path, 403, 'target_outside_service']);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it.each([
    '/s/Shop//evil.example/x',
    '/s/Shop/\\evil.example/x',
    '/s/Shop/@evil.example/x',
    '/s/Shop/http://evil.example/',
    '/s/Shop?@evil.example/',
    '/s/Shop/#@evil.example',
  ])('stays on the host of the service: %s', async (path) => {
    const answer = await raw(path);
    // Sent below the base URL or refused, but never sent elsewhere.
    if (answer?.status === 200) expect(gateway.upstream.calls.map((call) => call.path.slice(0, 3))).toEqual(['/v1']);
    else
      expect([path, [400, 403, 404].includes(answer?.status ?? 0), gateway.upstream.calls]).toEqual([path, true, []]);
  });

  it.each(['/s/Shop/%00', '/s/%00', '/s/Shop/%zz', '/s/%E0%A4%A/x', '/s/..%2fproxy/x', '/s/Shop;x/y'])(
    'is refused with the common error envelope: %s',
    async (path) => {
      const answer = await raw(path);
      expect([path, [400, 404].includes(answer?.status ?? 0)]).toEqual([path, true]);
      const body = JSON.parse(answer?.body ?? '') as { error: string };
      expect(body).toEqual({
        error: expect.any(String),
        message: body.error,
        error_description: body.error,
        statusCode: answer?.status,
      });
      expect(gateway.upstream.calls).toHaveLength(0);
    },
  );

  it.each(['TRACE', 'PROPFIND', 'QUERY'])('allows no method that POST /proxy refuses: %s', async (method) => {
    const answer = await raw('/s/Shop/x', method);
    expect([answer?.status, answer?.headers.allow]).toEqual([405, 'GET, POST, PUT, DELETE, PATCH, HEAD, OPTIONS']);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('takes no method in lower case for the one in capital letters', async () => {
    const answer = await raw('/s/Shop/x', 'get');
    expect(answer?.status ?? 400).toBe(400);
    expect(gateway.upstream.calls).toHaveLength(0);
  });
});

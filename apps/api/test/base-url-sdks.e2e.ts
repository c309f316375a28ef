import { Octokit } from '@octokit/rest';
import type { ActionPage, BaseUrlDefaults, Service } from '#contracts';
import { eventually } from './support/eventually.js';
import { SECRET, startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';

/**
 * How SDKs work below `/s/<service>`: where they send the key, which links they follow, and which error texts they
 * show.
 */
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.model.answer({ score: 0, explanation: 'harmless' });
  gateway.upstream.answer((call, response) => response.end(call.path));
});

const STRANGER = `agt_${'0'.repeat(64)}`;
const base = (): string => `${gateway.upstream.url}/v1`;
const set = (fields: object): Promise<Service> => gateway.admin(`PUT /services/${gateway.service.id}`, fields);

async function send(path: string, init: RequestInit = {}): Promise<ProxyAnswer> {
  const headers = { 'Agent-Key': gateway.agentKey, 'X-Intent': 'look', ...(init.headers as object) };
  const response = await fetch(gateway.url + path, { redirect: 'manual', ...init, headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  return { status: response.status, headers: response.headers, bytes, text, json: <T>() => JSON.parse(text) as T };
}

const answerWith = (headers: Record<string, string | string[]>, body = ''): void =>
  gateway.upstream.answer((_call, response) => response.writeHead(200, headers).end(body));

describe('@octokit/rest on a base URL', () => {
  it('reads all pages through the gateway, and its key goes nowhere else', async () => {
    gateway.upstream.answer(({ path, headers }, response) => {
      const page = Number(new URL(path, base()).searchParams.get('page') ?? 1);
      const url = `${base()}/repositories/1/issues?page=`;
      response.writeHead(headers.authorization === `Bearer ${SECRET}` ? 200 : 401, {
        'Content-Type': 'application/json',
        ...(page < 3 && { Link: `<${url}${page + 1}>; rel="next", <${url}3>; rel="last"` }),
      });
      response.end(JSON.stringify([{ number: page }]));
    });
    const client = new Octokit({ baseUrl: `${gateway.url}/s/Shop;wait=5`, auth: gateway.agentKey });
    const issues = await client.paginate(client.issues.listForRepo, { owner: 'octo', repo: 'hello' });
    expect(issues.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(gateway.upstream.calls.map(({ path }) => path.split('?')[0])).toEqual([
      '/v1/repos/octo/hello/issues',
      '/v1/repositories/1/issues',
      '/v1/repositories/1/issues',
    ]);
    expect(JSON.stringify(gateway.upstream.calls.map(({ headers }) => headers))).not.toContain(gateway.agentKey);
  });

  it('shows the text of an error', async () => {
    const client = new Octokit({ baseUrl: `${gateway.url}/s/Shop`, auth: gateway.agentKey });
    const nothing = (): undefined => undefined;
    client.log.warn = client.log.error = client.log.info = nothing;
    await expect(client.issues.create({ owner: 'o', repo: 'r', title: 't' })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('POST needs an Idempotency-Key header'),
    });
  });
});

describe('links of the API', () => {
  const shop = (): string => `${gateway.url}/s/Shop;wait=5;idempotency=none`;
  const get = (): Promise<ProxyAnswer> => send('/s/Shop;wait=5;idempotency=none/orders');

  it('below the service lead to the gateway, with the parameters of the service segment', async () => {
    answerWith({
      Location: `${base()}/orders/7`,
      'Content-Location': '/v1/orders/7',
      Link: [`<${base()}/orders?page=2>; rel="next"`, '<?page=9>; rel="last"'],
      Refresh: `5; url=${base()}/orders`,
    });
    const { headers } = await get();
    expect(
      Object.fromEntries(['location', 'content-location', 'link', 'refresh'].map((n) => [n, headers.get(n)])),
    ).toEqual({
      location: `${shop()}/orders/7`,
      'content-location': `${shop()}/orders/7`,
      link: `<${shop()}/orders?page=2>; rel="next", <${shop()}/orders?page=9>; rel="last"`,
      refresh: `5; url=${shop()}/orders`,
    });
  });

  it('lead to the gateway in any header that consists of one URL, since SDKs follow those', async () => {
    answerWith({ 'Operation-Location': `${base()}/operations/7`, 'X-Note': `see ${base()}/orders` });
    const { headers } = await get();
    expect([headers.get('operation-location'), headers.get('x-note')]).toEqual([
      `${shop()}/operations/7`,
      `see ${base()}/orders`,
    ]);
  });

  it('lead to the gateway in JSON with characters that no header can hold', async () => {
    answerWith({ 'X-Meta': `{"title":"\\u4e2d,${base()}/a","next":"${base().replaceAll('/', '\\/')}\\/\\u4e2d"}` });
    const { status, headers } = await get();
    expect([status, JSON.parse(headers.get('x-meta')!)]).toEqual([
      200,
      { title: `\u4e2d,${shop()}/a`, next: `${shop()}/\u4e2d` },
    ]);
  });

  it('to other hosts are moved to X-Upstream headers, so that no client follows them', async () => {
    const elsewhere = 'https://elsewhere.example/v1/x';
    const link = `<${elsewhere}>; rel="next"`;
    answerWith({ Location: elsewhere, 'Content-Location': elsewhere, Link: link, Refresh: `0; url=${elsewhere}` });
    const { headers } = await get();
    expect([headers.get('location'), headers.get('x-upstream-location')]).toEqual([null, elsewhere]);
    expect([headers.get('refresh'), headers.get('x-upstream-refresh')]).toEqual([null, `0; url=${elsewhere}`]);
    expect([headers.get('content-location'), headers.get('x-upstream-content-location')]).toEqual([null, elsewhere]);
    expect([headers.get('link'), headers.get('x-upstream-link')]).toEqual([null, link]);
  });

  it('are moved to X-Upstream headers too if only some clients read them as links to other hosts', async () => {
    const shy = Buffer.from(base().replace('127', '12\u00ad7')).toString('latin1');
    answerWith({
      'X-Next': `${gateway.upstream.url} @evil.example/x`,
      'X-Checksum-Location': 'https://evil.example/x',
      'Operation-Location': [gateway.upstream.url, '@evil.example/x'],
      'Content-Location': shy,
    });
    for (const { headers } of [await get(), await gateway.proxy()]) {
      const names = [...headers.keys()].filter((name) => /next$|location$/.test(name));
      expect(names).toEqual([
        'x-upstream-content-location',
        'x-upstream-operation-location',
        'x-upstream-x-checksum-location',
        'x-upstream-x-next',
      ]);
    }
  });

  it('stay unchanged on POST /proxy, where no client mistakes the gateway for the API', async () => {
    answerWith({ Link: `<${base()}/orders?page=2>; rel="next"`, Refresh: '5' });
    const { headers } = await gateway.proxy();
    expect([headers.get('link'), headers.get('refresh')]).toEqual([`<${base()}/orders?page=2>; rel="next"`, null]);
  });

  it('keep the service of the base URL when a longer base URL matches', async () => {
    const outer = await gateway.createService({ name: 'Outer', baseUrl: `${gateway.upstream.url}/outer` });
    const inner = await gateway.createService({ name: 'Inner', baseUrl: `${gateway.upstream.url}/outer/inner` });
    const { apiKey } = await gateway.createAgent('both', [outer.id, inner.id]);
    answerWith({ Location: `${gateway.upstream.url}/outer/inner/2` });
    const { headers } = await send('/s/Outer/inner/1', { headers: { 'Agent-Key': apiKey } });
    expect(headers.get('location')).toBe(`${gateway.url}/s/Outer/inner/2`);
  });

  it('are rewritten in replayed answers too, for the base URL of the repeat', async () => {
    answerWith({ Location: `${base()}/orders/7` });
    const init = { method: 'POST', headers: { 'Idempotency-Key': 'links-replayed' } };
    for (const path of ['/s/Shop', '/s/Shop;wait=1']) {
      expect((await send(`${path}/orders`, init)).headers.get('location')).toBe(`${gateway.url}${path}/orders/7`);
    }
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('in JSON bodies are rewritten only for a service that enables it', async () => {
    const json = `{"next":"${base()}/orders?page=2","id":12345678901234567890,"other":"https://elsewhere.example/"}`;
    const body = (type: string): Promise<string> => {
      answerWith({ 'Content-Type': type }, json);
      return send('/s/Shop/orders').then(({ text }) => text);
    };
    expect(await body('application/json')).toBe(json);
    await set({ rewriteLinks: 'bodies' });
    const here = json.replace(base(), `${gateway.url}/s/Shop`);
    expect(await body('application/hal+json; charset=utf-8')).toBe(here);
    expect(await body('application/json')).toBe(here);
    expect(await body('text/plain')).toBe(json);
    answerWith({ 'Content-Type': 'application/json' }, json);
    expect((await gateway.proxy()).text).toBe(json);
    await set({ rewriteLinks: 'headers' });
    expect(await body('application/json')).toBe(json);
  });
});

describe('the agent key', () => {
  const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

  it.each<[string, (key: string) => Record<string, string>]>([
    ['a bearer token', (key) => ({ Authorization: `Bearer ${key}` })],
    ['a GitHub token', (key) => ({ Authorization: `token ${key}` })],
    ['a bot token', (key) => ({ Authorization: `Bot ${key}` })],
    ['a user name', (key) => ({ Authorization: basic(`${key}:`) })],
    ['a password', (key) => ({ Authorization: basic(`me@example.com:${key}`) })],
    ['X-Api-Key', (key) => ({ 'X-Api-Key': key })],
    ['api-key', (key) => ({ 'api-key': key })],
    ['x-goog-api-key', (key) => ({ 'x-goog-api-key': key })],
    ['PRIVATE-TOKEN', (key) => ({ 'PRIVATE-TOKEN': key })],
    ['several headers together', (key) => ({ 'Agent-Key': key, 'PRIVATE-TOKEN': key, Authorization: `Bearer ${key}` })],
  ])('is accepted as %s, and not forwarded', async (_name, headersFor) => {
    const answer = await fetch(`${gateway.url}/s/Shop/x`, { headers: headersFor(gateway.agentKey) });
    expect(answer.status).toBe(200);
    const [{ headers }] = gateway.upstream.calls;
    expect(headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(JSON.stringify(headers)).not.toMatch(/agt_|YWd0_|private-token|api-key/);
    const stranger = await fetch(`${gateway.url}/s/Shop/x`, { headers: headersFor(STRANGER) });
    expect([stranger.status, stranger.headers.get('x-error-code')]).toEqual([401, 'agent_key_unknown']);
  });

  it('leaves headers of the same names alone when they hold no key of the gateway', async () => {
    await send('/s/Shop/x', { headers: { 'PRIVATE-TOKEN': 'glpat-1' } });
    expect(gateway.upstream.calls[0].headers['private-token']).toBe('glpat-1');
  });

  it('is refused in a URL, a body, a header or an idempotency key, and is not sent to the model', async () => {
    const { agentKey } = gateway;
    const encoded = agentKey.replace('_', '%5F');
    const base64 = Buffer.from(`user:${agentKey}`).toString('base64');
    const refusals: [string, Promise<ProxyAnswer>][] = [
      ['URL', send(`/s/Shop/x?key=${agentKey}`)],
      ['URL', send(`/s/Shop/${encoded}`)],
      ['body', send('/s/Shop/x', { method: 'PUT', body: JSON.stringify({ token: agentKey }) })],
      ['body', send('/s/Shop/x', { method: 'PUT', body: STRANGER })],
      ['headers', send('/s/Shop/x', { headers: { 'X-Auth': `k=${agentKey}` } })],
      ['headers', send('/s/Shop/x', { headers: { 'X-Auth': `Basic ${base64}` } })],
      ['headers', send('/s/Shop/x', { headers: { [agentKey]: '1' } })],
      ['URL', send(`/s/Shop/x?auth=${encodeURIComponent(base64)}`)],
      ['X-Intent', send('/s/Shop/x', { headers: { 'X-Intent': agentKey } })],
      ['targetUrl', gateway.proxy({ targetUrl: `${base()}/x?key=${agentKey}` })],
      ['body', gateway.proxy({ method: 'PUT', body: agentKey })],
      ['headers', gateway.proxy({ headers: { 'X-Auth': agentKey } })],
      ['headers', gateway.proxy({ headers: { 'X-Auth': `Basic ${base64}` } })],
      ['body', gateway.proxy({ method: 'PUT', body: base64 })],
      ['Idempotency-Key', gateway.proxy({ method: 'POST', idempotencyKey: agentKey })],
      ['intent', gateway.proxy({ intent: agentKey })],
    ];
    for (const [where, refusal] of refusals) {
      const answer = await refusal;
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([400, 'agent_key_exposed']);
      expect(answer.json().error).toMatch(new RegExp(`^${where}\\S*: must not contain an agent key`));
      expect(answer.text).not.toContain(agentKey);
    }
    expect(gateway.upstream.calls).toEqual([]);
    expect(JSON.stringify(await gateway.audit())).not.toContain(agentKey);
  });

  it('is accepted in headers that the gateway removes', async () => {
    const headers = { Authorization: `Bearer ${gateway.agentKey}`, 'X-API-Key': gateway.agentKey };
    expect((await gateway.proxy({ headers })).status).toBe(200);
    expect((await gateway.proxy({ method: 'PUT', body: 'agt_ is how keys begin' })).status).toBe(200);
  });

  it.each<[string, (key: string) => string]>([
    ['as plain text', (key) => key],
    ['in JSON', (key) => JSON.stringify({ key })],
    ['in base64', (key) => Buffer.from(`user:${key}`).toString('base64')],
  ])('is redacted when the API echoes it %s', async (_name, write) => {
    const echo = write(gateway.agentKey);
    answerWith({ 'Content-Type': 'text/plain', 'X-Echo': echo }, `you are ${echo}`);
    for (const answer of [await send('/s/Shop/x'), await gateway.proxy()]) {
      for (const text of [answer.text, answer.headers.get('x-echo')]) {
        expect(text).toContain('[REDACTED]');
        expect(text).not.toContain(echo);
      }
    }
    const { action_id } = await gateway.hold();
    await gateway.approve(action_id);
    expect((await gateway.execute(action_id)).text).toContain('[REDACTED]');
    expect((await gateway.status(action_id)).text).not.toContain(gateway.agentKey);
  });
});

describe('errors', () => {
  it('also have their text in `message` and `error_description`, but only below a base URL', async () => {
    for (const answer of [await send('/s/Unknown/x'), await send('/s/Shop;x'), await fetchWithoutKey()]) {
      const { error, message, error_description: description } = answer.json();
      expect([typeof error, message, description]).toEqual(['string', error, error]);
    }
    expect((await gateway.proxy({ targetUrl: 'https://other.example/' })).json()).not.toHaveProperty('message');
    gateway.model.answer({ score: 1 });
    const held = await send('/s/Shop/x', { method: 'DELETE' });
    expect([held.status, held.json()]).toMatchObject([428, { message: 'Request requires human approval' }]);
  });

  it('have it in the replay too', async () => {
    gateway.upstream.answer((_call, response) => response.destroy());
    const init = { method: 'POST', headers: { 'Idempotency-Key': 'error-replayed' } };
    const [first, again] = [await send('/s/Shop/x', init), await send('/s/Shop/x', init)];
    expect([first.status, again.status, again.text]).toEqual([502, 502, first.text]);
    expect(again.json().message).toBe(again.json().error);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it.each([
    ['with a note', 'Not on a Friday', ': Not on a Friday'],
    ['without one', undefined, ''],
  ])('name the person who denied a held request, %s', async (_name, note, said) => {
    gateway.model.answer({ score: 1 });
    const answer = send(`/s/Shop;wait=30/denied/${note ? 1 : 2}`, { method: 'DELETE' });
    await gateway.deny(await waiting(`/denied/${note ? 1 : 2}`), note);
    const { status, headers, json } = await answer;
    const text = `Denied by Ada${said}`;
    expect([status, headers.get('x-error-code'), json()]).toEqual([
      403,
      'approval_denied',
      { error: text, message: text, error_description: text, statusCode: 403 },
    ]);
    expect(gateway.upstream.calls).toEqual([]);
  });
});

const fetchWithoutKey = (): Promise<ProxyAnswer> => send('/s/Shop/x', { headers: { 'Agent-Key': '' } });

async function waiting(path: string): Promise<string> {
  let actionId: string | undefined;
  await eventually(async () => {
    const { items } = await gateway.admin<ActionPage>('GET /approvals');
    actionId = items.find(({ targetUrl }) => targetUrl.endsWith(path))?.action_id;
    return actionId !== undefined;
  });
  return actionId!;
}

describe('the defaults of a service', () => {
  afterEach(() => set({ baseUrlDefaults: { idempotency: 'required', wait: 0 } }));
  const post = (path: string): Promise<ProxyAnswer> => send(`${path}/orders`, { method: 'POST', body: 'x' });

  it('apply from the next request, on every instance, when turned on and when turned off', async () => {
    const second = await gateway.secondInstance();
    const statuses = (): Promise<number[]> =>
      Promise.all(
        [gateway, second].map(async ({ url, agentKey }) => {
          const init = { method: 'POST', body: 'x', headers: { 'Agent-Key': agentKey, 'X-Intent': 'look' } };
          return (await fetch(`${url}/s/Shop/orders`, init)).status;
        }),
      );
    expect(await statuses()).toEqual([400, 400]);
    for (let times = 1; times <= 3; times++) {
      await set({ baseUrlDefaults: { idempotency: 'none' } });
      expect(await statuses()).toEqual([200, 200]);
      await set({ baseUrlDefaults: { idempotency: 'required' } });
      expect(await statuses()).toEqual([400, 400]);
    }
    expect(gateway.upstream.calls).toHaveLength(6);
    await second.app.close();
  });

  it('apply when the base URL sets no value', async () => {
    await set({ baseUrlDefaults: { idempotency: 'none', wait: 30 } });
    expect((await post('/s/Shop')).status).toBe(200);
    expect((await post('/s/Shop;idempotency=required')).status).toBe(400);
    gateway.model.answer({ score: 1 });
    expect((await post('/s/Shop;wait=0')).status).toBe(428);
    const answer = send('/s/Shop/waited', { method: 'DELETE' });
    await gateway.approve(await waiting('/waited'));
    expect((await answer).headers.get('x-proxy-status')).toBe('executed-approved');
  });

  it('keep the fields that a change does not name, and are returned', async () => {
    await set({ baseUrlDefaults: { wait: 7 } });
    const { baseUrlDefaults } = await set({ baseUrlDefaults: { idempotency: 'none' } });
    expect(baseUrlDefaults).toEqual<BaseUrlDefaults>({ idempotency: 'none', wait: 7 });
    const created = await gateway.createService({ name: 'Own', rewriteLinks: 'bodies', baseUrlDefaults: { wait: 60 } });
    expect(created).toMatchObject({ rewriteLinks: 'bodies', baseUrlDefaults: { idempotency: 'required', wait: 60 } });
  });

  it.each([
    [{ rewriteLinks: 'everything' }, /^rewriteLinks: /],
    [{ baseUrlDefaults: 'none' }, /^baseUrlDefaults: /],
    [{ baseUrlDefaults: [] }, /^baseUrlDefaults: /],
    [{ baseUrlDefaults: null }, /^baseUrlDefaults: /],
    [{ baseUrlDefaults: { wait: 61 } }, /^baseUrlDefaults\.wait: /],
    [{ baseUrlDefaults: { wait: 1.5 } }, /^baseUrlDefaults\.wait: /],
    [{ baseUrlDefaults: { idempotency: 'off' } }, /^baseUrlDefaults\.idempotency: /],
  ])('refuse %j', async (fields, error) => {
    const answer = await gateway.tryAdmin(`PUT /services/${gateway.service.id}`, fields);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(error)]);
  });
});

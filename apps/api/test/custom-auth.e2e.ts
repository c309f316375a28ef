import type { Service } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';

const KEY = 'planted-query-key/with+odd chars';
const SHOWN = 'api_key=[REDACTED]';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
beforeEach(() => gateway.model.answer({ score: 0, explanation: 'reads' }));
afterAll(() => gateway.close());

/** The service of the gateway's agent gets this authentication. */
async function use(fields: object): Promise<Service> {
  const service = await gateway.createService(fields);
  await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [service.id] });
  return service;
}
const lastCall = () => gateway.upstream.calls.at(-1)!;

describe('a service of type none', () => {
  it('is created without credentials, and its requests carry none', async () => {
    const service = await use({ authType: 'none', credentials: undefined });
    expect(service).toMatchObject({ credentials: {}, missingCredentials: [], auth: null });
    expect((await gateway.proxy({ headers: { Authorization: 'Bearer of-the-agent' } })).status).toBe(200);
    expect(lastCall().headers).not.toHaveProperty('authorization');
    expect(await gateway.admin(`POST /services/${service.id}/test`, {})).toMatchObject({ status: 200 });
  });
});

describe('a service of type custom', () => {
  it('composes headers and query parameters of several credentials, also for a test', async () => {
    const service = await use({
      authType: 'custom',
      auth: {
        headers: { Authorization: 'token {{key}}', 'X-Version': '2022-06-28', 'X-Pair': '{{user}}:{{key}}' },
        query: { api_key: '{{key}}' },
      },
      credentials: { key: 'planted-key-1', user: 'ada' },
    });
    expect(service.missingCredentials).toEqual([]);
    const answer = await gateway.proxy({
      targetUrl: `${gateway.upstream.url}/v1/customers?a=1&api_key=of-the-agent`,
      headers: { 'x-pair': 'of-the-agent', 'X-Other': 'kept' },
    });
    expect(answer.status).toBe(200);
    const expected = {
      authorization: 'token planted-key-1',
      'x-version': '2022-06-28',
      'x-pair': 'ada:planted-key-1',
    };
    expect(lastCall()).toMatchObject({
      path: '/v1/customers?a=1&api_key=planted-key-1',
      headers: { ...expected, 'x-other': 'kept' },
    });
    await gateway.admin(`POST /services/${service.id}/test`, { path: '/me?b=2' });
    expect(lastCall()).toMatchObject({ path: '/v1/me?b=2&api_key=planted-key-1', headers: expected });
  });

  it('sends through a base URL too', async () => {
    await use({
      name: 'keyed',
      authType: 'custom',
      auth: { query: { api_key: '{{key}}' } },
      credentials: { key: KEY },
    });
    const answer = await gateway.agentCall('GET', '/s/keyed/customers?api_key=x&a=1', undefined, {});
    expect(answer.status).toBe(200);
    expect(new URL(lastCall().path, gateway.url).searchParams.getAll('api_key')).toEqual([KEY]);
  });

  it('shows an injected query value in no answer, record, prompt or action', async () => {
    await use({ authType: 'custom', auth: { query: { api_key: '{{key}}' } }, credentials: { key: KEY } });
    gateway.upstream.answer((call, response) => {
      const value = new URL(call.path, gateway.url).searchParams.get('api_key');
      response.writeHead(200, { 'Content-Type': 'application/json', Location: `${gateway.upstream.url}${call.path}` });
      response.end(JSON.stringify({ path: call.path, value }));
    });
    // The first request finds out that the configuration has changed.
    await gateway.proxy();
    const before = gateway.model.calls.length;
    const targetUrl = `${gateway.upstream.url}/v1/customers?a=1&api_key=of-the-agent`;
    const forwarded = await gateway.proxy({ targetUrl });
    expect(forwarded.json()).toEqual({ path: '/v1/customers?a=1&api_key=[REDACTED]', value: '[REDACTED]' });
    expect(forwarded.headers.get('location')).toContain(SHOWN);

    const preview = await gateway.proxy({ targetUrl }, { Prefer: 'handling=dry-run' });
    expect(preview.text).toContain(SHOWN);

    const { action_id: id } = await gateway.hold({ targetUrl });
    const action = await gateway.approve(id);
    expect(action.targetUrl).toBe(`${gateway.upstream.url}/v1/customers?a=1&${SHOWN}`);
    const executed = await gateway.execute(id);
    expect(executed.json<{ value: string }>().value).toBe('[REDACTED]');
    expect(new URL(lastCall().path, gateway.url).searchParams.getAll('api_key')).toEqual([KEY]);
    gateway.model.answer({ score: 0, explanation: 'reads' });
    gateway.upstream.answer((_call, response) => response.destroy());
    const failed = await gateway.proxy({ targetUrl });
    expect(failed.status).toBe(502);

    const records = await gateway.audit();
    const urls = records.filter(({ kind }) => kind !== 'change').map(({ url }) => url);
    expect(urls.filter((url) => url?.includes('/v1/customers?a=1')).length).toBeGreaterThanOrEqual(4);
    const [{ all }] = await gateway.app.database.query<{ all: string }[]>(
      `SELECT concat((SELECT json_agg(r) FROM audit_records r), (SELECT json_agg(a) FROM actions a),
         (SELECT json_agg(k) FROM idempotency_records k)) AS all`,
    );
    const prompts = JSON.stringify(gateway.model.calls.slice(before));
    for (const text of [
      all,
      prompts,
      forwarded.text,
      preview.text,
      executed.text,
      failed.text,
      JSON.stringify(action),
    ]) {
      for (const secret of [KEY, encodeURIComponent(KEY), 'of-the-agent']) expect(text).not.toContain(secret);
    }
  });

  it('binds an idempotency key to the URL that the agent sent, without the injected query value', async () => {
    await use({ authType: 'custom', auth: { query: { api_key: '{{key}}' } }, credentials: { key: KEY } });
    gateway.upstream.answer((_call, response) => response.end('done'));
    const body = { method: 'POST', body: '{}', idempotencyKey: 'custom-1' };
    const targetUrl = `${gateway.upstream.url}/v1/orders`;
    expect((await gateway.proxy({ ...body, targetUrl })).status).toBe(200);
    const calls = gateway.upstream.calls.length;
    expect((await gateway.proxy({ ...body, targetUrl })).text).toBe('done');
    expect(gateway.upstream.calls).toHaveLength(calls);
    expect((await gateway.proxy({ ...body, targetUrl: `${targetUrl}?a=1` })).status).toBe(422);
  });

  it('names the template keys that a replacement left out, and sends nothing without them', async () => {
    const service = await use({
      authType: 'custom',
      auth: { headers: { 'X-Key': '{{key}}' }, query: { id: '{{id}}' } },
      credentials: { key: 'planted-key-1', id: 'planted-id-1' },
    });
    const replaced = await gateway.admin(`POST /services/${service.id}/credentials`, { credentials: { key: 'new-1' } });
    expect(replaced).toMatchObject({ credentialKeys: ['key'], missingCredentials: ['id'] });
    const calls = gateway.upstream.calls.length;
    expect((await gateway.proxy()).json()).toMatchObject({ error: 'No credentials found for service' });
    expect(gateway.upstream.calls).toHaveLength(calls);
  });

  it.each([
    ['no settings', null, /^auth: must have headers, query, aws or clientCertificate/],
    ['empty settings', {}, /^auth: must have headers, query, aws or clientCertificate/],
    [
      'an unknown key',
      { headers: { 'X-Key': '{{kye}}' } },
      /^auth\.headers\.X-Key: there is no credential with the key "kye"$/,
    ],
    ['an unknown key in the query', { query: { k: 'a{{b}}' } }, /^auth\.query\.k: there is no credential/],
    ['a malformed template', { headers: { 'X-Key': '{{key' } }, /^auth\.headers\.X-Key: must contain placeholders/],
    ['an empty template', { query: { k: '' } }, /^auth\.query\.k: must not be empty/],
    [
      'a template that is not a string',
      { query: { k: 1 } },
      /^auth\.query: must be an object whose values are strings/,
    ],
    ['headers in a list', { headers: ['{{key}}'] }, /^auth\.headers: must be an object/],
    ['a name that is not a header', { headers: { 'a b': '{{key}}' } }, /^auth\.headers\.a b: name must be a valid/],
    [
      'a header that overrides the method',
      { headers: { X_HTTP_Method_Override: '{{key}}' } },
      /cannot carry a credential/,
    ],
    ['a hop-by-hop header', { headers: { Connection: '{{key}}' } }, /cannot carry a credential/],
    ['a framing header', { headers: { Host: '{{key}}' } }, /cannot carry a credential/],
    ['one header twice', { headers: { A: '{{key}}', a: '{{key}}' } }, /^auth\.headers\.a: must not occur twice$/],
    ['a line break', { headers: { A: 'x\n{{key}}' } }, /^auth\.headers\.A: must not begin or end with a space, nor/],
    ['an empty name', { query: { '': '{{key}}' } }, /name must have 1 to 128 characters/],
    ['a template that is too long', { query: { k: 'x'.repeat(1025) } }, /must have at most 1024 characters/],
    [
      'too many templates',
      { query: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, '{{key}}'])) },
      /^auth\.query: must have at most 20 entries$/,
    ],
  ])('refuses %s', async (_case, auth, message) => {
    const fields = { name: 'X', baseUrl: 'https://api.example.com', authType: 'custom', credentials: { key: 'abc' } };
    const { status, body } = await gateway.tryAdmin('POST /services', { ...fields, auth });
    expect([status, body]).toEqual([400, { error: expect.stringMatching(message), statusCode: 400 }]);
    const service = await gateway.createService({ credentials: { key: 'abc', token: 'abc' } });
    const changed = await gateway.tryAdmin(`PUT /services/${service.id}`, { authType: 'custom', auth });
    expect([changed.status, changed.body.error]).toEqual([400, expect.stringMatching(message)]);
    expect(await gateway.admin(`GET /services/${service.id}`)).toEqual(service);
  });

  it('accepts a new key together with the template that names it, and keeps the others', async () => {
    const { id } = await use({
      authType: 'custom',
      auth: { headers: { 'X-Key': '{{key}}' } },
      credentials: { key: 'planted-key-1' },
    });
    const before = await gateway.admin<Service>(`GET /services/${id}`);
    const auth = { headers: { 'X-Key': '{{key}}', 'X-Account': 'a-{{account}}' } };
    const alone = await gateway.tryAdmin(`PUT /services/${id}`, { auth });
    expect(alone.body.error).toBe('auth.headers.X-Account: there is no credential with the key "account"');
    const changed = await gateway.admin<Service>(`PUT /services/${id}`, {
      auth,
      newCredentials: { account: 'planted-42' },
    });
    expect(changed).toMatchObject({
      credentials: { key: '********', account: '********' },
      missingCredentials: [],
      credentialsRotatedAt: before.credentialsRotatedAt,
    });
    expect((await gateway.proxy()).status).toBe(200);
    expect(gateway.upstream.calls.at(-1)!.headers).toMatchObject({
      'x-key': 'planted-key-1',
      'x-account': 'a-planted-42',
    });
    const [{ details }] = await gateway.audit(`&kind=change&serviceId=${id}`);
    expect(details).toMatchObject({ to: { auth }, addedCredentials: ['account'] });
    expect(JSON.stringify(await gateway.audit())).not.toContain('planted-42');
  });

  it('accepts a single key that a replacement left out', async () => {
    const { id } = await use({
      authType: 'custom',
      auth: { headers: { 'X-Key': '{{key}}' }, query: { id: '{{id}}' } },
      credentials: { key: 'planted-key-1', id: 'planted-id-1' },
    });
    await gateway.admin(`PUT /services/${id}/credentials`, { credentials: { key: 'planted-key-2' } });
    await gateway.admin(`PUT /services/${id}`, { newCredentials: { id: 'planted-id-2' } });
    expect((await gateway.proxy()).status).toBe(200);
    expect(gateway.upstream.calls.at(-1)).toMatchObject({ headers: { 'x-key': 'planted-key-2' } });
    expect(gateway.upstream.calls.at(-1)!.path).toContain('id=planted-id-2');
  });

  it.each<[object, object, RegExp]>([
    [{}, { key: 'other' }, /^credentials\.key: is stored already: replace all credentials$/],
    [{}, {}, /^At least one credential is required$/],
    [{}, { account: 'line\nbreak' }, /^credentials\.account: must not contain line breaks/],
    [
      { auth: { headers: { A: '{{a}}{{b}}' } } },
      { a: 'x' },
      /^auth\.headers\.A: there is no credential with the key "b"$/,
    ],
    [
      {},
      Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 'x'])),
      /^newCredentials: must have at most 50 entries/,
    ],
  ])('refuses to add credentials with %j', async (fields, credentials, message) => {
    const service = await use({
      authType: 'custom',
      auth: { headers: { 'X-Key': '{{key}}' } },
      credentials: { key: 'planted-key-1' },
    });
    const { status, body } = await gateway.tryAdmin(`PUT /services/${service.id}`, {
      ...fields,
      newCredentials: credentials,
    });
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)]);
    expect(await gateway.admin(`GET /services/${service.id}`)).toEqual(service);
  });

  it('refuses to add credentials to an OAuth service, whose tokens belong to its connection', async () => {
    const oauth = {
      grant: 'client_credentials',
      tokenUrl: 'https://id.example.com/t',
      clientId: 'c',
      scopes: [],
      tokenAuth: 'post',
    };
    const { id } = await gateway.createService({ authType: 'oauth2', oauth, credentials: { client_secret: 'x' } });
    const { status, body } = await gateway.tryAdmin(`PUT /services/${id}`, { newCredentials: { refresh_token: 'y' } });
    expect([status, body.error]).toEqual([
      400,
      'newCredentials: cannot add to the credentials of a service with oauth; replace them all',
    ]);
  });

  it('is changed to and from other types together with its settings', async () => {
    const service = await gateway.createService();
    const auth = { headers: { Authorization: 'token {{token}}' } };
    const only = await gateway.tryAdmin(`PUT /services/${service.id}`, { auth });
    expect(only.body.error).toBe('auth: must be null or {"clientCertificate": true}, because authType is bearer');
    expect(await gateway.admin(`PUT /services/${service.id}`, { authType: 'custom', auth })).toMatchObject({ auth });
    expect((await gateway.tryAdmin(`PUT /services/${service.id}`, { authType: 'bearer' })).status).toBe(400);
    const back = await gateway.admin(`PUT /services/${service.id}`, { authType: 'bearer', auth: null });
    expect(back).toMatchObject({ authType: 'bearer', auth: null });
  });
});

describe('HTTP Basic', () => {
  it.each([
    [{ username: '', password: 'planted-password' }, 'Basic OnBsYW50ZWQtcGFzc3dvcmQ='],
    [{ username: 'planted-key', password: '' }, 'Basic cGxhbnRlZC1rZXk6'],
  ])('sends %j with its empty half', async (credentials, authorization) => {
    expect((await use({ authType: 'basic', credentials })).missingCredentials).toEqual([]);
    gateway.upstream.answer((call, response) => response.end(call.headers.authorization));
    const answer = await gateway.proxy();
    expect(lastCall().headers.authorization).toBe(authorization);
    expect(answer.text).toBe('Basic [REDACTED]');
  });

  it('redacts a user name that is the key in every answer, and leaves other text unchanged', async () => {
    const key = 'fd-key-planted';
    await use({ authType: 'basic', credentials: { username: key, password: 'X' } });
    const pair = Buffer.from(`${key}:X`).toString('base64');
    gateway.upstream.answer((call, response) => {
      const [, sent] = call.headers.authorization!.split(' ');
      const plain = Buffer.from(sent, 'base64').toString();
      response.setHeader('X-Echo', `${call.headers.authorization}; XL`);
      response.end(`Xavier sent ${call.headers.authorization}, so ${plain}, so ${plain.split(':').join(' and ')}. XXL`);
    });
    for (const Prefer of ['wait=1', 'stream']) {
      const answer = await gateway.proxy({}, { Prefer });
      expect(answer.headers.get('x-echo')).toBe('Basic [REDACTED]; XL');
      expect(answer.text).toBe('Xavier sent Basic [REDACTED], so [REDACTED]:X, so [REDACTED] and X. XXL');
    }
    expect(lastCall().headers.authorization).toBe(`Basic ${pair}`);
  });
});

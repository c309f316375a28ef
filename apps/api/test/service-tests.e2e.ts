import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Service, TestServiceResult } from '#contracts';
import { call } from './support/accounts.js';
import { eventually } from './support/eventually.js';
import { startFakeUpstream, type FakeUpstream } from './support/fake-upstream.js';
import { createService, SERVICE, signUp } from './support/resources.js';
import { startApp, type TestApp } from './support/start-app.js';

const SECRET = SERVICE.credentials.token;

describe('testing a service', () => {
  let upstream: FakeUpstream;
  let tester: TestApp;
  let token: string;
  beforeAll(async () => {
    upstream = await startFakeUpstream();
    tester = await startApp({ PRIVATE_TARGET_ALLOWLIST: upstream.hostAndPort }, { upstreamMs: 10_000 });
    token = await signUp(tester, 'ada@example.com');
  });
  afterAll(async () => {
    await tester.close();
    await upstream.close();
  });
  const test = async (fields: object, body: object = {}) => {
    const { id } = await createService(tester, token, fields);
    return call<TestServiceResult & { error?: string }>(tester, `POST /services/${id}/test`, { token, body });
  };

  it('sends one real request with the stored credentials', async () => {
    const answer = await test({ baseUrl: `${upstream.url}/v1/` }, { path: '/me?full=1' });
    expect([answer.status, answer.body]).toEqual([200, { status: 200, durationMs: expect.any(Number), reason: null }]);
    const sent = upstream.calls.at(-1)!;
    expect([sent.method, sent.path, sent.headers.authorization]).toEqual(['GET', '/v1/me?full=1', `Bearer ${SECRET}`]);
  });

  it.each(['token\n', '\r\ntoken\r\n', '\uFEFFtoken\n'])(
    'sends %j without the line breaks at its ends',
    async (pasted) => {
      await test({ baseUrl: `${upstream.url}/v1`, credentials: { token: pasted } });
      expect(upstream.calls.at(-1)!.headers.authorization).toBe('Bearer token');
    },
  );

  it('requests the base URL itself by default, and records the test first', async () => {
    upstream.answer((_call, response) => response.writeHead(401).end());
    const answer = await test({ baseUrl: `${upstream.url}/v1` }, { method: 'HEAD' });
    expect(answer.body.status).toBe(401);
    expect(upstream.calls.at(-1)!.path).toBe('/v1');
    const records = await tester.database.query(`SELECT details FROM audit_records WHERE reason = 'service.tested'`);
    expect(records.at(-1).details).toEqual({ method: 'HEAD', path: null });
  });

  it('remembers that the API rejects the stored credentials, until it accepts them or they are replaced', async () => {
    const service = await createService(tester, token, { name: 'Rejecting', baseUrl: `${upstream.url}/v1` });
    const route = `/services/${service.id}`;
    const isRejected = async (): Promise<boolean> =>
      (await call<Service>(tester, `GET ${route}`, { token })).body.credentialsRejected;
    const answered = async (status: number): Promise<boolean> => {
      upstream.answer((_call, response) => response.writeHead(status).end());
      await call(tester, `POST ${route}/test`, { token, body: {} });
      return isRejected();
    };
    const given = { token: 'sk-another' };
    expect(await answered(200)).toBe(false);
    expect(await answered(401)).toBe(true);
    // They say nothing of the credentials.
    for (const status of [404, 429, 500]) expect(await answered(status)).toBe(true);
    expect(await answered(204)).toBe(false);
    expect(await answered(403)).toBe(true);
    await call(tester, `PUT ${route}/credentials`, { token, body: { credentials: given } });
    expect(await isRejected()).toBe(false);
    // The ones that are put back were rejected.
    await call(tester, `POST ${route}/credentials/revert`, { token });
    expect(await isRejected()).toBe(true);
  });

  it('forgets the answer to credentials that are replaced while they are tested', async () => {
    const service = await createService(tester, token, { name: 'Replaced', baseUrl: `${upstream.url}/v1` });
    const route = `/services/${service.id}`;
    const arrived = new Promise<ServerResponse>((resolve) => upstream.answer((_call, response) => resolve(response)));
    const tested = call(tester, `POST ${route}/test`, { token, body: {} });
    const response = await arrived;
    await call(tester, `PUT ${route}/credentials`, { token, body: { credentials: { token: 'sk-another' } } });
    response.writeHead(401).end();
    await tested;
    expect((await call<Service>(tester, `GET ${route}`, { token })).body.credentialsRejected).toBe(false);
    upstream.answer((_call, next) => next.writeHead(200).end('{}'));
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('sends no %s', async (method) => {
    const calls = upstream.calls.length;
    const answer = await test({ baseUrl: upstream.url }, { method });
    expect([answer.status, answer.body.error]).toEqual([400, 'method: must be one of GET, HEAD, OPTIONS']);
    expect(upstream.calls).toHaveLength(calls);
  });

  it.each([
    [{ baseUrl: 'http://127.0.0.1:1' }, {}, 'Access to private IP ranges is forbidden'],
    [{ baseUrl: 'http://localhost:1' }, {}, 'Access to localhost is forbidden'],
    [{ credentials: { other: 'x' } }, {}, 'No credentials found for service'],
  ])('reports why %j can’t be tested', async (fields, body, reason) => {
    const answer = await test(fields, body);
    expect([answer.status, answer.body]).toEqual([200, { status: null, durationMs: expect.any(Number), reason }]);
  });

  it('tests credentials before they are stored, and stores nothing', async () => {
    upstream.answer((call, response) =>
      response.writeHead(call.headers.authorization === 'Bearer sk-untried' ? 200 : 401).end('{}'),
    );
    const service = await createService(tester, token, { baseUrl: `${upstream.url}/v1` });
    const trial = (body: object) =>
      call<TestServiceResult & { error?: string }>(tester, `POST /services/${service.id}/credentials/test`, {
        token,
        body,
      });
    const good = await trial({ credentials: { token: 'sk-untried' }, path: '/me' });
    expect([good.status, good.body]).toEqual([200, { status: 200, durationMs: expect.any(Number), reason: null }]);
    expect(upstream.calls.at(-1)!.path).toBe('/v1/me');
    expect((await trial({ credentials: { token: 'sk-wrong' } })).body.status).toBe(401);
    // The stored credentials have not changed.
    await call(tester, `POST /services/${service.id}/test`, { token, body: {} });
    expect(upstream.calls.at(-1)!.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect((await call(tester, `GET /services/${service.id}`, { token })).body).toEqual({
      ...service,
      // The test of the stored ones is remembered.
      credentialsRejected: true,
      updatedAt: expect.any(String),
    });
    const records = await tester.database.query(
      `SELECT service_id, details FROM audit_records WHERE reason = 'service.credentials_tested' ORDER BY id`,
    );
    expect(records).toEqual([
      { service_id: service.id, details: { credentials: ['token'], method: 'GET', path: '/me' } },
      { service_id: service.id, details: { credentials: ['token'], method: 'GET', path: null } },
    ]);
    for (const table of ['audit_records', 'credentials']) {
      const [{ text }] = await tester.database.query(`SELECT json_agg(t)::text AS text FROM ${table} t`);
      expect(text).not.toMatch(/sk-untried|sk-wrong/);
    }
  });

  it.each([
    [{}, 'At least one credential is required'],
    [{ credentials: {} }, 'At least one credential is required'],
    [{ credentials: { token: 'two\nlines' } }, 'credentials.token: must not contain line breaks or NUL characters'],
    [{ credentials: { token: 't' }, method: 'DELETE' }, 'method: must be one of GET, HEAD, OPTIONS'],
    [{ credentials: { token: 't' }, path: 'me' }, 'path: must start with /'],
  ])('tests no credentials by %j', async (body, error) => {
    const calls = upstream.calls.length;
    const { id } = await createService(tester, token, { baseUrl: upstream.url });
    const answer = await call<{ error: string }>(tester, `POST /services/${id}/credentials/test`, { token, body });
    expect([answer.status, answer.body.error]).toEqual([400, error]);
    expect(upstream.calls).toHaveLength(calls);
  });

  it('tests a service before it is registered, and stores nothing of it', async () => {
    upstream.answer((call, response) =>
      response.writeHead(call.headers.authorization === 'Bearer sk-unstored' ? 200 : 401).end('{}'),
    );
    const before = await call<object[]>(tester, 'GET /services', { token });
    const trial = (secret: string, request: object = {}) =>
      call<TestServiceResult & { error?: string }>(tester, 'POST /services/test', {
        token,
        body: {
          service: { ...SERVICE, name: 'Untried', baseUrl: `${upstream.url}/v1`, credentials: { token: secret } },
          ...request,
        },
      });
    const good = await trial('sk-unstored', { path: '/me' });
    expect([good.status, good.body]).toEqual([200, { status: 200, durationMs: expect.any(Number), reason: null }]);
    expect(upstream.calls.at(-1)!.path).toBe('/v1/me');
    expect((await trial('sk-refused')).body.status).toBe(401);
    expect((await call<object[]>(tester, 'GET /services', { token })).body).toEqual(before.body);
    const [record] = await tester.database.query(
      `SELECT service_id, details FROM audit_records WHERE reason = 'service.credentials_tested' ORDER BY id DESC LIMIT 1`,
    );
    expect(record).toEqual({
      service_id: null,
      details: {
        name: 'Untried',
        baseUrl: `${upstream.url}/v1`,
        credentials: ['token'],
        method: 'GET',
        path: null,
      },
    });
    for (const table of ['audit_records', 'credentials']) {
      const [{ text }] = await tester.database.query(`SELECT json_agg(t)::text AS text FROM ${table} t`);
      expect(text).not.toMatch(/sk-unstored|sk-refused/);
    }
  });

  it.each([
    [{}, 'service.baseUrl'],
    [{ baseUrl: 'ftp://files.example.com' }, 'baseUrl'],
    [{ baseUrl: 'https://ada:pw@api.example.com' }, 'baseUrl'],
    [{ baseUrl: 'https://api.example.com', credentials: { token: 'two\nlines' } }, 'credentials.token'],
    [{ baseUrl: 'https://api.example.com', auth: { headers: { 'X-Key': '{{key}}' } } }, 'auth'],
  ])('tests no new service with %j', async (fields, field) => {
    const { baseUrl: _baseUrl, ...service } = SERVICE;
    const body = { service: { ...service, ...fields } };
    const answer = await call<{ error: string }>(tester, 'POST /services/test', { token, body });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(field);
  });

  it('tests no OAuth service before it is connected, and no private target', async () => {
    const oauth = {
      grant: 'client_credentials',
      tokenUrl: 'https://id.example.com/token',
      clientId: 'agw',
      scopes: [],
      tokenAuth: 'basic',
    };
    const service = { ...SERVICE, authType: 'oauth2', oauth, credentials: { client_secret: 's' } };
    const refused = await call<{ error: string }>(tester, 'POST /services/test', { token, body: { service } });
    expect([refused.status, refused.body.error]).toEqual([
      400,
      'service.oauth: can only be tested after the service is connected',
    ]);
    const local = { ...SERVICE, baseUrl: 'http://127.0.0.1:1' };
    const guarded = await call<TestServiceResult>(tester, 'POST /services/test', { token, body: { service: local } });
    expect(guarded.body).toMatchObject({ status: null, reason: 'Access to private IP ranges is forbidden' });
  });

  it.each([
    ['is longer than a gateway reads', (response: ServerResponse) => response.end(Buffer.alloc(11 * 1024 * 1024))],
    ['breaks off', (response: ServerResponse) => response.write('x', () => response.destroy())],
    ['does not end', (response: ServerResponse) => response.write('x')],
    [
      'is long when it is decoded',
      (response: ServerResponse) =>
        response.setHeader('Content-Encoding', 'gzip').end(gzipSync(Buffer.alloc(11 * 1024 * 1024))),
    ],
  ])('has the status of a response whose body %s', async (_what, send) => {
    upstream.answer((_call, response) => {
      response.statusCode = 401;
      send(response);
    });
    const service = { ...SERVICE, baseUrl: `${upstream.url}/v1` };
    const answer = await call<TestServiceResult>(tester, 'POST /services/test', { token, body: { service } });
    expect(answer.body).toEqual({ status: 401, durationMs: expect.any(Number), reason: null });
  });

  it('sends at most ten tests of one person at once', async () => {
    const held: ServerResponse[] = [];
    upstream.answer((_call, response) => held.push(response));
    const service = { ...SERVICE, baseUrl: `${upstream.url}/v1` };
    const testAs = (person: string) =>
      call<TestServiceResult & { error?: string }>(tester, 'POST /services/test', { token: person, body: { service } });
    const first = Array.from({ length: 10 }, () => testAs(token));
    await eventually(() => held.length === 10);
    const refused = await testAs(token);
    expect([refused.status, refused.body.error]).toEqual([
      429,
      'At most 10 tests of yours can be in progress. Wait until one has ended.',
    ]);
    upstream.answer((_call, response) => response.end());
    for (const response of held) response.end();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect((await testAs(token)).body.status).toBe(200);
  });

  it('tests credentials through the same guard', async () => {
    const { id } = await createService(tester, token, { baseUrl: 'http://127.0.0.1:1' });
    const body = { credentials: { token: 't' } };
    const answer = await call<TestServiceResult>(tester, `POST /services/${id}/credentials/test`, { token, body });
    expect(answer.body).toMatchObject({ status: null, reason: 'Access to private IP ranges is forbidden' });
    const incomplete = { credentials: { other: 't' } };
    const lacking = await call<TestServiceResult>(tester, `POST /services/${id}/credentials/test`, {
      token,
      body: incomplete,
    });
    expect(lacking.body.status).toBeNull();
  });

  it('does not leave the base path', async () => {
    const calls = upstream.calls.length;
    const answer = await test({ baseUrl: `${upstream.url}/v1` }, { path: '/../admin' });
    expect(answer.body.reason).toBe('Target path must start with service baseUrl path (/v1)');
    expect(upstream.calls).toHaveLength(calls);
  });
});

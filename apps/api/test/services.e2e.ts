import type { AuditPage, MessageResponse, ReplaceCredentialsResponse, Service } from '#contracts';
import { AgentDirectory } from '../src/agents/agent-directory.js';
import { CredentialVault } from '../src/credentials/credential-vault.js';
import { ServiceRegistry } from '../src/services/service-registry.js';
import { call } from './support/accounts.js';
import { createAgent, createDocument, createRule, createService, SERVICE, signUp } from './support/resources.js';
import { startApp, type TestApp } from './support/start-app.js';

const SECRET = SERVICE.credentials.token;
const BAD_IDS = ['0', '-1', '1.5', '2147483648', 'abc', '99999999999', '1e3', '%00', '+1'];

let app: TestApp;
let ada: string;
let eve: string;
beforeAll(async () => {
  app = await startApp({ ALLOW_REGISTRATION: 'true' });
  ada = await signUp(app, 'ada@example.com');
  eve = await signUp(app, 'eve@example.com');
});
afterAll(() => app.close());

const inject = async (id: number) => {
  const [{ userId }] = await app.database.query('SELECT user_id AS "userId" FROM services WHERE id = $1', [id]);
  const view = await app.app.get(ServiceRegistry, { strict: false }).view(userId, id);
  return { ...app.app.get(CredentialVault, { strict: false }).injection(view).headers };
};

describe('creating a service', () => {
  it('returns the service with masked credentials', async () => {
    const { status, body, headers } = await call<Service>(app, 'POST /services', {
      token: ada,
      body: { ...SERVICE, id: 999, userId: 2, missingCredentials: ['x'], createdAt: '2000-01-01', extra: 'dropped' },
    });
    expect(status).toBe(201);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body).toEqual({
      id: expect.any(Number),
      userId: 1,
      name: 'Example',
      baseUrl: 'https://api.example.com/v1',
      authType: 'bearer',
      auth: null,
      oauth: null,
      connection: null,
      certificate: null,
      credentials: { token: '********' },
      missingCredentials: [],
      unconfirmedHosts: [],
      rewriteLinks: 'headers',
      requestCodings: 'decode',
      baseUrlDefaults: { idempotency: 'required', wait: 0 },
      askFor: [],
      credentialsRotatedAt: time,
      credentialsRotatedBy: { id: 1, name: 'ada' },
      credentialsRejected: false,
      rotateEveryDays: null,
      rotationDueAt: null,
      previousCredentials: null,
      isPaused: false,
      pausedReason: null,
      pausedAt: null,
      pausedBy: null,
      createdAt: time,
      updatedAt: time,
    });
    expect(body.id).not.toBe(999);
  });

  it('stores only encrypted values', async () => {
    const { id } = await createService(app, ada);
    const [{ value }] = await app.database.query(
      'SELECT encrypted_value AS value FROM credentials WHERE service_id = $1',
      [id],
    );
    expect(value).toMatch(/^[0-9a-f]{24}:[0-9a-f]{32}:[0-9a-f]+$/);
    const everything = await app.database.query('SELECT json_agg(a)::text AS all FROM audit_records a');
    expect(everything[0].all).toContain('service.created');
    expect(everything[0].all).not.toContain(SECRET);
    expect(await inject(id)).toEqual({ Authorization: `Bearer ${SECRET}` });
  });

  it.each([
    ['no name', { name: undefined }, /^name: /],
    ['an empty name', { name: '' }, /^name: /],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, /^name: /],
    ['a name that is not a string', { name: 7 }, /^name: /],
    ['no base URL', { baseUrl: undefined }, /^baseUrl: /],
    ['an invalid base URL', { baseUrl: 'not a url' }, /^baseUrl: must be a valid http or https URL$/],
    ['a base URL of another scheme', { baseUrl: 'ftp://example.com' }, /^baseUrl: /],
    ['a base URL with a query', { baseUrl: 'https://example.com/?a=b' }, /^baseUrl: must not contain/],
    ['a base URL of 513 characters', { baseUrl: `https://example.com/${'x'.repeat(493)}` }, /^baseUrl: /],
    ['another auth type', { authType: 'digest' }, /^authType: /],
    ['no credentials', { credentials: undefined }, /At least one credential is required/],
    ['empty credentials', { credentials: {} }, /At least one credential is required/],
    ['null credentials', { credentials: null }, /At least one credential is required/],
    [
      'a credential that is not a string',
      { credentials: { token: 1 } },
      /^credentials: must be an object whose values/,
    ],
    ['credentials in a list', { credentials: ['x'] }, /At least one credential is required|^credentials: /],
    [
      'a line break in a value',
      { credentials: { token: 'a\nb' } },
      /^credentials\.token: must not contain line breaks/,
    ],
    ['a key that is not a header name', { authType: 'api_key', credentials: { 'a b': 'x' } }, /^credentials\.a b: /],
    ['a hop-by-hop header as key', { authType: 'api_key', credentials: { Connection: 'x' } }, /cannot carry/],
  ])('refuses %s', async (_case, fields, message) => {
    const before = await call<Service[]>(app, 'GET /services', { token: ada });
    const { status, body } = await call(app, 'POST /services', { token: ada, body: { ...SERVICE, ...fields } });
    expect([status, body]).toEqual([400, { error: expect.stringMatching(message), statusCode: 400 }]);
    expect((await call<Service[]>(app, 'GET /services', { token: ada })).body).toEqual(before.body);
  });

  it.each([{ credentials: {} }, { credentials: undefined }])('answers with the exact text for %j', async (fields) => {
    const { body } = await call(app, 'POST /services', { token: ada, body: { ...SERVICE, ...fields } });
    expect(body.error).toBe('At least one credential is required');
  });

  it('accepts values at the limits', async () => {
    const baseUrl = `https://example.com/${'x'.repeat(492)}`;
    expect(baseUrl).toHaveLength(512);
    const service = await createService(app, ada, { name: 'x'.repeat(255), baseUrl });
    expect(service.baseUrl).toBe(baseUrl);
    expect((await createService(app, ada, { name: 'x' })).name).toBe('x');
  });

  it.each([
    ['bearer', { other: 'x' }, ['token']],
    ['oauth2', { token: 'x' }, ['access_token']],
    ['basic', { username: 'x' }, ['password']],
    ['basic', { api_key: 'x' }, ['username', 'password']],
    ['api_key', { 'X-Custom': 'x' }, []],
  ])('names the credentials that %s misses with %j', async (authType, credentials, missing) => {
    expect((await createService(app, ada, { authType, credentials })).missingCredentials).toEqual(missing);
  });
});

describe('reading services', () => {
  it('lists only the user’s own services, without a value', async () => {
    const mine = await createService(app, eve, { name: 'Of Eve' });
    const list = await call<Service[]>(app, 'GET /services', { token: eve });
    expect([list.status, list.body]).toEqual([200, [mine]]);
    expect(JSON.stringify((await call(app, 'GET /services', { token: ada })).body)).not.toContain(SECRET);
    expect((await call<Service>(app, `GET /services/${mine.id}`, { token: eve })).body).toEqual(mine);
  });
});

describe('changing a service', () => {
  it('changes only the given fields, and leaves credentials alone', async () => {
    const service = await createService(app, ada);
    const { status, body } = await call<Service>(app, `PUT /services/${service.id}`, {
      token: ada,
      body: { name: 'Renamed', userId: 2, credentials: { token: 'other' } },
    });
    expect([status, body]).toEqual([200, { ...service, name: 'Renamed', updatedAt: expect.any(String) }]);
    expect(await inject(service.id)).toEqual({ Authorization: `Bearer ${SECRET}` });
  });

  it.each([
    [
      {},
      'At least one of name, baseUrl, authType, auth, oauth, requestCodings, rewriteLinks, baseUrlDefaults, rotateEveryDays, askFor, isPaused, newCredentials is required',
    ],
    [
      { userId: 2 },
      'At least one of name, baseUrl, authType, auth, oauth, requestCodings, rewriteLinks, baseUrlDefaults, rotateEveryDays, askFor, isPaused, newCredentials is required',
    ],
    [{ name: null }, expect.stringMatching(/^name: /)],
    [{ baseUrl: 'https://u:p@example.com' }, expect.stringMatching(/^baseUrl: must not contain user information/)],
    [{ authType: 'digest' }, expect.stringMatching(/^authType: /)],
  ])('refuses %j', async (body, error) => {
    const service = await createService(app, ada);
    const answer = await call(app, `PUT /services/${service.id}`, { token: ada, body });
    expect([answer.status, answer.body.error]).toEqual([400, error]);
    expect((await call(app, `GET /services/${service.id}`, { token: ada })).body).toEqual(service);
  });

  it('refuses an auth type that makes a stored name an invalid header', async () => {
    const { id } = await createService(app, ada, { credentials: { 'my token': 'x' } });
    const answer = await call(app, `PUT /services/${id}`, { token: ada, body: { authType: 'api_key' } });
    expect([answer.status, answer.body.error]).toEqual([400, 'credentials.my token: name must be a valid header name']);
  });
});

describe('changing the auth type to api_key', () => {
  it.each<[string, object, string]>([
    ['a token', {}, 'token'],
    [
      'a password',
      { authType: 'basic', credentials: { username: 'ada', password: 'planted-pass' } },
      'username, password',
    ],
    [
      'the secret of an OAuth client',
      {
        authType: 'oauth2',
        oauth: {
          grant: 'client_credentials',
          tokenUrl: 'https://id.example.com/token',
          clientId: 'gateway',
          scopes: [],
          tokenAuth: 'basic',
        },
        credentials: { client_secret: 'planted-secret' },
      },
      'client_secret',
    ],
  ])('removes %s, which would be sent as a header, until the change is undone', async (_case, fields, names) => {
    const before = await createService(app, ada, fields);
    const { id, authType, oauth } = before;
    const change = (body: object) => call<Service>(app, `PUT /services/${id}`, { token: ada, body });
    const changed = await change({ authType: 'api_key', oauth: null });
    expect(changed.body).toMatchObject({ authType: 'api_key', credentials: {}, missingCredentials: ['api_key'] });
    await expect(inject(id)).rejects.toMatchObject({ message: 'No credentials found for service' });
    const { body: records } = await call<AuditPage>(app, `GET /audit?kind=change&serviceId=${id}`, { token: ada });
    expect(records.items[0].details).toMatchObject({ removedCredentials: names.split(', ') });

    await change({ authType, oauth });
    await call(app, `POST /services/${id}/credentials/revert`, { token: ada });
    const { body: after } = await call<Service>(app, `GET /services/${id}`, { token: ada });
    expect(after).toMatchObject({ credentials: before.credentials, missingCredentials: [] });
  });
});

describe('replacing credentials', () => {
  it('replaces all of them', async () => {
    const service = await createService(app, ada, { credentials: { token: 'old', note: 'x' } });
    const credentials = { token: 'new-value', extra: 'y' };
    const answer = await call<ReplaceCredentialsResponse>(app, `POST /services/${service.id}/credentials`, {
      token: ada,
      body: { credentials },
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      { message: expect.any(String), credentialKeys: ['token', 'extra'], missingCredentials: [] },
    ]);
    const { body } = await call<Service>(app, `GET /services/${service.id}`, { token: ada });
    expect(body.credentials).toEqual({ token: '********', extra: '********' });
    expect(await inject(service.id)).toEqual({ Authorization: 'Bearer new-value' });
  });

  it.each([{}, { credentials: {} }, { credentials: null }, { credentials: 'x' }])('refuses %j', async (body) => {
    const { id } = await createService(app, ada);
    const answer = await call(app, `POST /services/${id}/credentials`, { token: ada, body });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain('At least one credential is required');
    expect(await inject(id)).toEqual({ Authorization: `Bearer ${SECRET}` });
  });

  it('leaves one complete set after parallel replacements', async () => {
    const { id } = await createService(app, ada);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        call(app, `POST /services/${id}/credentials`, {
          token: ada,
          body: { credentials: { token: `t${i}`, [`of${i}`]: 'x' } },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    const { body } = await call<Service>(app, `GET /services/${id}`, { token: ada });
    const { Authorization } = await inject(id);
    expect(Object.keys(body.credentials)).toEqual(['token', `of${Authorization.replace('Bearer t', '')}`]);
  });
});

describe('deleting a service', () => {
  it('deletes its credentials, documents, rules and scopes, and keeps agents and actions', async () => {
    const { id, name } = await createService(app, ada);
    const other = await createService(app, ada);
    const { agent, apiKey } = await createAgent(app, ada, [id, other.id]);
    await createRule(app, ada, id);
    await createDocument(app, ada, id);
    await app.database.query(
      `INSERT INTO actions (id, workspace_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers,
         intent, summary, risk_score, risk_explanation, risk_source, created_at, expires_at)
       VALUES (gen_random_uuid(), 1, $1, 'a', $2, $3, 'PENDING', 'GET', 'https://api.example.com/v1', '{}', 'i', 's', 1, 'e',
         'model', now(), now())`,
      [agent.id, id, name],
    );
    const { status, body } = await call<MessageResponse>(app, `DELETE /services/${id}`, { token: ada });
    expect([status, body]).toEqual([200, { message: expect.any(String) }]);
    for (const table of ['credentials', 'service_documents', 'risk_rules', 'agent_services', 'actions']) {
      expect([table, await app.database.query(`SELECT 1 FROM ${table} WHERE service_id = $1`, [id])]).toEqual([
        table,
        [],
      ]);
    }
    expect(await app.database.query('SELECT service_name FROM actions WHERE agent_id = $1', [agent.id])).toEqual([
      { service_name: name },
    ]);
    const view = await app.app.get(AgentDirectory, { strict: false }).freshByKey(apiKey);
    expect(view.services.map((service) => service.id)).toEqual([other.id]);
    expect((await call(app, `DELETE /services/${id}`, { token: ada })).status).toBe(404);
  });
});

describe('every endpoint of a service', () => {
  const routes: [string, object | undefined][] = [
    ['GET /services/:id', undefined],
    ['PUT /services/:id', { name: 'Taken over' }],
    ['DELETE /services/:id', undefined],
    ['POST /services/:id/credentials', { credentials: { token: 'x' } }],
    ['POST /services/:id/credentials/test', { credentials: { token: 'x' } }],
    ['PUT /services/:id/credentials', { credentials: { token: 'x' } }],
    ['POST /services/:id/credentials/confirm', { hosts: ['api.example.com'] }],
    ['POST /services/:id/credentials/revert', undefined],
    ['POST /services/:id/test', {}],
    ['GET /services/:id/documentation', undefined],
    ['POST /services/:id/documentation', { type: 'text', title: 't', content: 'c' }],
    ['GET /services/:id/documentation/1', undefined],
    ['PUT /services/:id/documentation/1', { title: 't' }],
    ['DELETE /services/:id/documentation/1', undefined],
    ['GET /services/:id/operations', undefined],
    ['GET /services/:id/risk-rules', undefined],
    ['POST /services/:id/risk-rules', { name: 'n', effect: 'deny' }],
    ['POST /services/:id/risk-rules/preview', { name: 'n', effect: 'deny' }],
    ['PUT /services/:id/risk-rules/1', { name: 'n' }],
    ['DELETE /services/:id/risk-rules/1', undefined],
  ];

  it.each(routes)('%s returns 404 to another user and changes nothing', async (route, body) => {
    const service = await createService(app, ada);
    const answer = await call(app, route.replace(':id', String(service.id)), { token: eve, body });
    expect([answer.status, answer.body]).toEqual([404, { error: 'Service not found', statusCode: 404 }]);
    const unknown = await call(app, route.replace(':id', '2147483647'), { token: ada, body });
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'Service not found', statusCode: 404 }]);
    expect((await call(app, `GET /services/${service.id}`, { token: ada })).body).toEqual(service);
    expect(await inject(service.id)).toEqual({ Authorization: `Bearer ${SECRET}` });
  });

  it.each(routes)('%s returns 400 for an invalid id', async (route, body) => {
    for (const id of BAD_IDS) {
      const answer = await call(app, route.replace(':id', id), { token: ada, body });
      expect([id, answer.status, answer.body.statusCode]).toEqual([id, 400, 400]);
    }
  });

  it.each([...routes, ['GET /services', undefined], ['POST /services', SERVICE]] as [string, object | undefined][])(
    '%s returns 401 without a token, before any other check',
    async (route, body) => {
      const missing = await call(app, route.replace(':id', 'abc'), { body });
      expect([missing.status, missing.body.error]).toEqual([401, 'Missing authorization header']);
      const wrong = await call(app, route.replace(':id', '1'), { token: 'x.y.z', body });
      expect([wrong.status, wrong.body.error]).toEqual([401, 'Invalid or expired token']);
    },
  );
});

describe('each change', () => {
  it('records who made it, what and when', async () => {
    const { id, name } = await createService(app, ada);
    await call(app, `PUT /services/${id}`, { token: ada, body: { baseUrl: 'https://new.example.com' } });
    await call(app, `POST /services/${id}/credentials`, { token: ada, body: { credentials: { token: 'n' } } });
    await call(app, `DELETE /services/${id}`, { token: ada });
    const records: object[] = await app.database.query(
      `SELECT kind, outcome, workspace_id, actor_name, service_name, reason, request_id IS NOT NULL AS traced
       FROM audit_records WHERE service_id = $1 ORDER BY id`,
      [id],
    );
    const common = {
      kind: 'change',
      outcome: 'changed',
      workspace_id: 1,
      actor_name: 'ada',
      service_name: name,
      traced: true,
    };
    expect(records).toEqual(
      ['service.created', 'service.updated', 'service.credentials_replaced', 'service.deleted'].map((reason) => ({
        ...common,
        reason,
      })),
    );
  });
});

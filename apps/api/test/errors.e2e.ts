import { call } from './support/accounts.js';
import { SECRET, startGateway, type Gateway, type ProxyBody } from './support/gateway.js';
import { startDatabaseProxy, type TcpProxy } from './support/tcp-proxy.js';

/** The errors that agents and people meet, status by status, with the text of each. */
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

let serial = 0;
const target = (path = '/x'): string => `${gateway.upstream.url}/v1${path}`;

interface Refusal {
  status: number;
  body: unknown;
}
const proxy = async (body: Partial<Record<keyof ProxyBody, unknown>>, headers = {}): Promise<Refusal> => {
  const answer = await gateway.proxy(body as Partial<ProxyBody>, headers);
  return { status: answer.status, body: answer.json() };
};
const admin = (route: string, body?: object, token?: string): Promise<Refusal> => gateway.tryAdmin(route, body, token);
const text = async (path: string, body: string): Promise<Refusal> => {
  const answer = await gateway.agentCall('POST', path, body, {});
  return { status: answer.status, body: answer.json() };
};
const execute = async (id: string, headers = {}): Promise<Refusal> => {
  const answer = await gateway.execute(id, headers);
  return { status: answer.status, body: answer.json() };
};
const authorized = async (authorization?: string): Promise<Refusal> =>
  call(gateway.app, 'GET /services', { headers: authorization === undefined ? {} : { Authorization: authorization } });
const held = async (): Promise<string> => (await gateway.hold({ targetUrl: target(`/held/${++serial}`) })).action_id;

/** An agent with access only to this service. */
async function keyFor(fields: object): Promise<Record<string, string>> {
  const service = await gateway.createService(fields);
  const { apiKey } = await gateway.createAgent(`agent-${++serial}`, [service.id]);
  return { 'Agent-Key': apiKey };
}

const ROWS: [number, string, () => Promise<Refusal>][] = [
  [400, 'id: must be an integer from 1 to 2147483647', () => admin('GET /services/abc')],
  [400, 'Invalid JSON in request body', () => text('/proxy', '{')],
  [
    400,
    'idempotencyKey is required for POST and PATCH requests',
    () => proxy({ method: 'POST', targetUrl: target(), body: '{}' }),
  ],
  [400, 'Only HTTP and HTTPS protocols are allowed', () => proxy({ targetUrl: 'ftp://files.example/x' })],
  [400, 'Only HTTP and HTTPS protocols are allowed', () => proxy({ targetUrl: 'file:///etc/passwd' })],
  [400, 'At least one credential is required', () => admin('POST /services', { ...SERVICE, credentials: {} })],
  [400, 'At least one credential is required', () => admin('POST /services', { ...SERVICE, credentials: undefined })],
  [400, 'At least one service ID is required', () => admin('POST /agents', { name: 'bot', serviceIds: [] })],
  [400, 'At least one service ID is required', () => admin('POST /agents', { name: 'bot' })],
  [401, 'Missing authorization header', () => authorized()],
  [401, 'Invalid authorization header format', () => authorized('Basic abc')],
  [401, 'Invalid authorization header format', () => authorized('Bearer a b')],
  [401, 'Missing token', () => authorized('Bearer')],
  [401, 'Invalid or expired token', () => authorized('Bearer nonsense')],
  [401, 'Missing Agent-Key header', () => proxy({}, { 'Agent-Key': '' })],
  [401, 'Invalid Agent-Key format', () => proxy({}, { 'Agent-Key': 'sk-123' })],
  [401, 'Invalid Agent-Key', () => proxy({}, { 'Agent-Key': `agt_${'0'.repeat(64)}` })],
  [
    401,
    'Agent key has been revoked',
    async () => {
      const { agent, apiKey } = await gateway.createAgent('revoked', [gateway.service.id]);
      await gateway.admin(`PUT /agents/${agent.id}`, { isActive: false });
      return proxy({}, { 'Agent-Key': apiKey });
    },
  ],
  [
    403,
    'Target hostname (api.example.evil.test) does not match service baseUrl (api.example)',
    async () => proxy({ targetUrl: 'http://api.example.evil.test/' }, await keyFor({ baseUrl: 'http://api.example' })),
  ],
  [
    403,
    'Target path must start with service baseUrl path (/v1)',
    () => proxy({ targetUrl: `${gateway.upstream.url}/v1/../admin` }),
  ],
  [
    403,
    'Access to private IP ranges is forbidden',
    async () => proxy({ targetUrl: 'http://10.0.0.1/x' }, await keyFor({ baseUrl: 'http://10.0.0.1' })),
  ],
  [
    403,
    'Access to localhost is forbidden',
    async () => proxy({ targetUrl: 'http://localhost/x' }, await keyFor({ baseUrl: 'http://localhost' })),
  ],
  [
    403,
    'Agent does not have access to this service',
    async () => {
      const other = await gateway.createService({ name: 'Other', baseUrl: 'https://other.example' });
      const { agent, apiKey } = await gateway.createAgent('moved', [gateway.service.id]);
      const { action_id } = await gateway.hold({ targetUrl: target('/moved') }, { 'Agent-Key': apiKey });
      await gateway.approve(action_id);
      await gateway.admin(`PUT /agents/${agent.id}/services`, { serviceIds: [other.id] });
      return execute(action_id, { 'Agent-Key': apiKey });
    },
  ],
  [
    404,
    'No service found matching target URL or agent does not have access',
    () => proxy({ targetUrl: 'https://unknown.example/' }),
  ],
  [404, 'Service not found', () => admin('GET /services/999')],
  [404, 'Service not found', () => admin('POST /agents', { name: 'bot', serviceIds: [999] })],
  [404, 'Resource not found', () => admin('GET /agents/999')],
  [404, 'Action not found', () => execute('5e0f3a52-7a3c-4c0e-9f5e-0d7f8d1d8a11')],
  [
    409,
    'Request with this idempotency key is already being processed',
    async () => {
      const post = { method: 'POST', targetUrl: target(), body: '{}', idempotencyKey: 'busy' };
      const arrived = new Promise<() => void>((resolve) => {
        gateway.upstream.answer((_call, response) => resolve(() => response.end('{}')));
      });
      const first = gateway.proxy(post);
      const finish = await arrived;
      const second = await proxy(post);
      finish();
      await first;
      return second;
    },
  ],
  [409, 'Cannot execute action with status PENDING', async () => execute(await held())],
  [
    409,
    'Cannot execute action with status DENIED',
    async () => {
      const id = await held();
      await gateway.deny(id);
      return execute(id);
    },
  ],
  [
    409,
    'Cannot execute action with status EXECUTED',
    async () => {
      const id = await held();
      await gateway.approve(id);
      await gateway.execute(id);
      return execute(id);
    },
  ],
  [
    410,
    'Service no longer exists',
    async () => {
      const service = await gateway.createService({ name: 'Gone', baseUrl: `${gateway.upstream.url}/gone` });
      const { apiKey } = await gateway.createAgent('orphan', [service.id]);
      const key = { 'Agent-Key': apiKey };
      const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/gone/1` }, key);
      await gateway.approve(action_id);
      await gateway.admin(`DELETE /services/${service.id}`);
      return execute(action_id, key);
    },
  ],
  [
    413,
    'Response size exceeds 10MB limit',
    async () => {
      gateway.upstream.answer((_call, response) => response.end(Buffer.alloc(11 * 1024 * 1024)));
      return proxy({});
    },
  ],
  [
    422,
    'Idempotency key was already used with a different request',
    async () => {
      const post = { method: 'POST', targetUrl: target(), idempotencyKey: 'reused' };
      await proxy({ ...post, body: '"1"' });
      return proxy({ ...post, body: '"2"' });
    },
  ],
  [
    500,
    'No credentials found for service',
    async () => {
      const baseUrl = `${gateway.upstream.url}/bare`;
      return proxy({ targetUrl: `${baseUrl}/x` }, await keyFor({ baseUrl, credentials: { other: 'x' } }));
    },
  ],
  [
    500,
    'Failed to decrypt credentials',
    async () => {
      const baseUrl = `${gateway.upstream.url}/sealed`;
      const key = await keyFor({ name: 'Sealed', baseUrl });
      await gateway.app.database.query(
        `UPDATE credentials SET encrypted_value = 'ff' || encrypted_value
         WHERE service_id = (SELECT id FROM services WHERE name = 'Sealed')`,
      );
      return proxy({ targetUrl: `${baseUrl}/x` }, key);
    },
  ],
  [
    500,
    'Unsupported authentication type: kerberos',
    async () => {
      const baseUrl = `${gateway.upstream.url}/legacy`;
      const key = await keyFor({ name: 'Legacy', baseUrl });
      // Only a database that a newer version has written can contain one.
      await gateway.app.database.query(`
        ALTER TABLE services DROP CONSTRAINT services_auth_type_check;
        UPDATE services SET auth_type = 'kerberos' WHERE name = 'Legacy'`);
      return proxy({ targetUrl: `${baseUrl}/x` }, key);
    },
  ],
  [
    500,
    'Unknown action status: FROZEN',
    async () => {
      const id = await held();
      await gateway.app.database.query(`
        ALTER TABLE actions DROP CONSTRAINT actions_status_check;
        UPDATE actions SET status = 'FROZEN' WHERE id = '${id}'`);
      const answer = await gateway.status(id);
      return { status: answer.status, body: answer.json() };
    },
  ],
];

const SERVICE = {
  name: 'S',
  baseUrl: 'https://s.example',
  authType: 'bearer',
};

describe('the table of errors', () => {
  it.each(ROWS)('%i %s', async (statusCode, error, provoke) => {
    expect(await provoke()).toMatchObject({ status: statusCode, body: { error, statusCode } });
  });

  it.each<[string, Partial<Record<keyof ProxyBody, unknown>>, RegExp]>([
    ['an invalid targetUrl', { targetUrl: 'not a URL' }, /^targetUrl: /],
    ['a missing targetUrl', { targetUrl: undefined }, /^targetUrl: /],
    ['a targetUrl with user info', { targetUrl: 'http://user:pass@api.example/' }, /^targetUrl: /],
    ['an invalid method', { method: 'BREW' }, /^method: /],
    ['a method in the wrong case', { method: 'get' }, /^method: /],
    ['an empty intent', { intent: '' }, /^intent: /],
    ['a long intent', { intent: 'x'.repeat(501) }, /^intent: /],
    ['an empty key', { idempotencyKey: '' }, /^idempotencyKey: /],
    ['a long key', { idempotencyKey: 'x'.repeat(256) }, /^idempotencyKey: /],
    ['a body that is not a string', { method: 'PUT', body: { a: 1 } }, /^body: /],
    ['headers that are not an object', { headers: ['a'] }, /^headers: /],
  ])('400 <field>: <message> for %s', async (_name, body, error) => {
    const answer = await proxy(body);
    expect(answer).toEqual({
      status: 400,
      body: { error: expect.stringMatching(error), statusCode: 400 },
    });
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('428 Request requires human approval', async () => {
    gateway.model.answer({ score: 1 });
    expect(await proxy({ method: 'DELETE', targetUrl: target('/428') })).toMatchObject({
      status: 428,
      body: { error: 'Request requires human approval', action_id: expect.any(String) },
    });
  });

  it('502 Failed to forward request to <host>: <reason>', async () => {
    gateway.upstream.answer((_call, response) => void response.socket?.destroy());
    const { status, body } = await proxy({});
    expect([status, (body as { error: string }).error]).toEqual([
      502,
      expect.stringMatching(/^Failed to forward request to 127\.0\.0\.1: connection was (closed|reset)$/),
    ]);
  });

  it('503 Database connection failed', async () => {
    await databaseProxy.stop();
    try {
      expect(await call(gateway.app, 'GET /ready')).toMatchObject({
        status: 503,
        body: { error: 'Database connection failed', statusCode: 503 },
      });
    } finally {
      await databaseProxy.start();
    }
  });

  it('none of them contains a secret, a stack or SQL', async () => {
    for (const [, , provoke] of ROWS.slice(0, 8)) {
      const shown = JSON.stringify((await provoke()).body);
      expect(shown).not.toMatch(/\bat \w+.*:\d+|SELECT|node_modules/);
      expect(shown).not.toContain(SECRET);
    }
  });
});

it('a refused request with a key also reports that a key was used', async () => {
  const post = { method: 'POST', targetUrl: target(), idempotencyKey: 'refused' };
  await gateway.proxy({ ...post, body: '"1"' });
  const reused = await gateway.proxy({ ...post, body: '"2"' });
  expect([reused.status, reused.headers.get('x-idempotency-status')]).toEqual([422, 'processed']);
  expect(reused.headers.get('x-proxy-status')).toBeNull();
});

import type { AccessToken, AuditPage, CreatedAccessToken, WorkspaceSummary } from '#contracts';
import { call, login, register } from './support/accounts.js';
import { openEvents } from './support/event-stream.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
let mine: number;
let bo: { id: number; token: string };

const inHours = (hours: number): string => new Date(gateway.app.clock.nowMs() + hours * 3_600_000).toISOString();

async function create(role = 'admin', session = gateway.token, extra: object = {}): Promise<CreatedAccessToken> {
  const body = { name: 'CI', workspaceId: mine, role, expiresAt: inHours(1), ...extra };
  const answer = await call<CreatedAccessToken>(gateway.app, 'POST /auth/tokens', { token: session, body });
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body;
}

const as = <T = { error: string }>(token: string, route: string, body?: object, headers?: Record<string, string>) =>
  call<T & { error: string }>(gateway.app, route, { token, body, headers });

const setRole = (role: string): Promise<unknown> =>
  gateway.app.database.query('UPDATE workspace_members SET role = $1 WHERE workspace_id = $2 AND user_id = $3', [
    role,
    mine,
    bo.id,
  ]);

beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  mine = gateway.agent.userId;
  const { id } = await register(gateway.app, 'bo@example.com', { name: 'Bo' });
  bo = { id, token: (await login(gateway.app, 'bo@example.com')).accessToken };
  await gateway.app.database.query(`INSERT INTO workspace_members VALUES ($1, $2, 'admin', now())`, [mine, id]);
});
afterAll(() => gateway?.close());

it('a token is shown once, works in its workspace, and is stored as a hash', async () => {
  const made = await create('admin', bo.token);
  expect(made.token).toMatch(/^agw_[0-9a-f]{64}$/);
  // Without a header, the session of the same person is in the person's own workspace.
  expect((await as<unknown[]>(made.token, 'GET /services')).body).toHaveLength(1);
  expect((await as<unknown[]>(bo.token, 'GET /services')).body).toEqual([]);
  const { body } = await as<AccessToken[]>(bo.token, 'GET /auth/tokens');
  expect(body).toContainEqual({ ...made, token: undefined, lastUsedAt: expect.any(String) as string });
  expect(JSON.stringify(await gateway.app.database.query('SELECT * FROM access_tokens'))).not.toContain(made.token);
});

it('shows when it was last used, and writes that at most once a minute', async () => {
  const { id, token, lastUsedAt } = await create('auditor');
  expect(lastUsedAt).toBeNull();
  const used = async () => {
    // Ten requests at once, of which one writes the time.
    await Promise.all(Array.from({ length: 10 }, () => as(token, 'GET /services')));
    await gateway.app.settled();
    const [row] = await gateway.app.database.query<{ xmin: string }[]>(
      'SELECT xmin::text FROM access_tokens WHERE id = $1',
      [id],
    );
    const listed = await gateway.admin<AccessToken[]>('GET /auth/tokens');
    return { version: row.xmin, at: Date.parse(listed.find((each) => each.id === id)!.lastUsedAt!) };
  };
  const first = await used();
  expect(first.at).toBeLessThanOrEqual(gateway.app.clock.nowMs());
  gateway.app.clock.advance({ seconds: 30 });
  expect(await used()).toEqual(first);
  gateway.app.clock.advance({ seconds: 31 });
  const later = await used();
  expect(later.at - first.at).toBeGreaterThan(60_000);
  expect(later.version).not.toBe(first.version);
});

it('its changes are recorded under the person and its name', async () => {
  const { token } = await create('admin', bo.token, { name: 'deploy' });
  const service = { name: 'By CI', baseUrl: 'https://api.example.com', authType: 'none' };
  expect((await as(token, 'POST /services', service)).status).toBe(201);
  const { items } = await gateway.admin<AuditPage>('GET /audit?kind=change&limit=1');
  expect(items[0]).toMatchObject({
    reason: 'service.created',
    actor: { id: bo.id, name: 'Bo' },
    details: { authType: 'none', token: 'deploy' },
  });
  const url = `${gateway.upstream.url}/callback`;
  expect((await as(token, `PUT /agents/${gateway.agent.id}/callback`, { url })).status).toBe(200);
  const [callback] = (await gateway.admin<AuditPage>('GET /audit?kind=change&limit=1')).items;
  expect(callback).toMatchObject({ reason: 'callback.created', actor: { name: 'Bo' }, details: { token: 'deploy' } });
});

it('a token has the lower of its own role and the current role of its person, from the next request on', async () => {
  const { token: high } = await create('owner', bo.token);
  const { token: low } = await create('auditor', bo.token);
  const tryBoth = async () => [
    (await as(high, 'POST /agents', {})).body.error,
    (await as(low, 'POST /agents', {})).body.error,
  ];
  expect(await tryBoth()).toEqual([expect.stringContaining('name: '), 'Your role (auditor) does not allow this']);
  await setRole('approver');
  expect(await tryBoth()).toEqual([
    'Your role (approver) does not allow this',
    'Your role (auditor) does not allow this',
  ]);
  await setRole('admin');
});

it('it works in no other workspace', async () => {
  const { token } = await create('admin', bo.token);
  const other = await as(token, 'GET /services', undefined, { 'X-Workspace-Id': String(bo.id) });
  expect([other.status, other.body.error]).toEqual([404, 'Resource not found']);
  expect((await as(token, `GET /workspaces/${bo.id}`)).status).toBe(404);
  expect((await as<WorkspaceSummary>(token, `GET /workspaces/${mine}`)).body.role).toBe('admin');
});

it('when a person is removed, their tokens stop working, and the streams of both end', async () => {
  const { token } = await create('auditor', bo.token);
  const stream = await openEvents(gateway.url, token);
  expect(stream.status).toBe(200);
  await gateway.admin(`DELETE /workspaces/${mine}/members/${bo.id}`);
  await stream.ended;
  const answer = await as(token, 'GET /services');
  expect([answer.status, answer.body.error]).toEqual([404, 'Resource not found']);
  await gateway.app.database.query(`INSERT INTO workspace_members VALUES ($1, $2, 'admin', now())`, [mine, bo.id]);
});

it('a revoked token is refused at once, and its stream ends', async () => {
  const { id, token } = await create();
  const stream = await openEvents(gateway.url, token);
  await gateway.admin(`DELETE /auth/tokens/${id}`);
  await stream.ended;
  const answer = await as(token, 'GET /services');
  expect([answer.status, answer.body.error]).toEqual([401, 'Invalid or expired token']);
});

it('nobody can revoke the token of another person', async () => {
  const { id, token } = await create();
  expect((await as(bo.token, `DELETE /auth/tokens/${id}`)).status).toBe(404);
  expect((await as(token, 'GET /services')).status).toBe(200);
});

it.each([
  ['in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 400, 'expiresAt: must be in the future'],
  ['too far ahead', { expiresAt: '2999-01-01T00:00:00Z' }, 400, 'expiresAt: must be at most a year ahead'],
  ['no moment', { expiresAt: 'soon' }, 400, 'expiresAt: must be a date or date-time like 2026-01-31T12:00:00Z'],
  ['of no role', { role: 'boss' }, 400, 'role: must be one of the following values: auditor, approver, admin, owner'],
  ['of a strange workspace', { workspaceId: 2_000_000_000 }, 404, 'Resource not found'],
])('a token %s is not created', async (_what, extra, status, error) => {
  const body = { name: 'CI', workspaceId: mine, role: 'admin', expiresAt: inHours(1), ...extra };
  const answer = await as(gateway.token, 'POST /auth/tokens', body);
  expect([answer.status, answer.body.error]).toEqual([status, error]);
});

it.each(['agw_', `agw_${'0'.repeat(64)}`, `agw_${'0'.repeat(5000)}`])(
  'the invented token %.10s… is refused',
  async (token) => {
    expect((await as(token, 'GET /services')).status).toBe(401);
  },
);

it('it expires by the clock of the database', async () => {
  const { token } = await create();
  await gateway.app.advance({ hours: 2 });
  expect((await as(token, 'GET /services')).status).toBe(401);
});

it('it lasts as long as asked, by the clock of the database', async () => {
  await gateway.logInAgain();
  const { token } = await create('admin', gateway.token, { expiresAt: undefined, expiresInMinutes: 60 });
  await gateway.app.advance({ minutes: 58 });
  await gateway.logInAgain();
  expect((await as(token, 'GET /services')).status).toBe(200);
  await gateway.app.advance({ minutes: 3 });
  expect((await as(token, 'GET /services')).status).toBe(401);
  await gateway.logInAgain();
  for (const end of [{}, { expiresAt: inHours(1), expiresInMinutes: 60 }]) {
    const body = { name: 'CI', workspaceId: mine, role: 'auditor', ...end };
    const { status, body: answer } = await as(gateway.token, 'POST /auth/tokens', body);
    expect([status, answer.error]).toEqual([400, 'expiresAt: give either expiresAt or expiresInMinutes']);
  }
});

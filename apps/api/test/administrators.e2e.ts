import type { Administrator, AuditPage, InstallationWorkspacePage, MeResponse, Workspace } from '#contracts';
import { call, login, PASSWORD, register } from './support/accounts.js';
import { createDatabase } from './support/databases.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { startApp, type TestApp } from './support/start-app.js';

let gateway: Gateway;
let eve: { id: number; token: string; agentKey: string };

const asEve = <T = { error: string }>(route: string, body?: object) =>
  call<T & { error: string }>(gateway.app, route, { token: eve.token, body });

beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true', PRIVATE_TARGET_ACCESS: 'admins' });
  const { id } = await register(gateway.app, 'eve@example.com', { name: 'Eve' });
  eve = { id, token: (await login(gateway.app, 'eve@example.com')).accessToken, agentKey: '' };
  const service = { name: 'S', baseUrl: `${gateway.upstream.url}/v1`, authType: 'none' };
  const made = await asEve<{ id: number }>('POST /services', service);
  const agent = await asEve<{ apiKey: string }>('POST /agents', { name: 'eve-bot', serviceIds: [made.body.id] });
  eve.agentKey = agent.body.apiKey;
});
afterAll(() => gateway?.close());

it('a workspace that is allowed reaches private targets from its next request on, on every instance', async () => {
  const second = await gateway.secondInstance({ PRIVATE_TARGET_ACCESS: 'admins' });
  const statuses = async () =>
    Promise.all([gateway, second].map(async (app) => (await app.proxy({}, { 'Agent-Key': eve.agentKey })).status));
  try {
    for (const allowed of [true, false, true, false]) {
      const answer = await gateway.admin(`PUT /admin/workspaces/${eve.id}`, { privateTargets: allowed });
      expect(answer).toMatchObject({ id: eve.id, privateTargets: allowed });
      expect(await statuses()).toEqual(allowed ? [200, 200] : [403, 403]);
    }
    // The first workspace may use them from the start, until somebody decides otherwise.
    expect((await gateway.proxy()).status).toBe(200);
    await gateway.admin(`PUT /admin/workspaces/${gateway.agent.userId}`, { privateTargets: false });
    expect((await gateway.proxy()).status).toBe(403);
  } finally {
    await second.app.close();
  }
  const { body } = await asEve<AuditPage>('GET /audit?kind=change&limit=1');
  expect(body.items[0]).toMatchObject({ reason: 'workspace.private_targets_changed', actor: { name: 'Ada' } });
});

it('administrators name other administrators, who have the rights from their next request on', async () => {
  const administers = async () => (await asEve<MeResponse>('GET /auth/me')).body.administersInstallation;
  expect((await gateway.admin<MeResponse>('GET /auth/me')).administersInstallation).toBe(true);
  expect(await administers()).toBe(false);
  const refused = await asEve('GET /admin/administrators');
  expect([refused.status, refused.body.error]).toEqual([403, 'Only installation administrators may do this']);
  expect((await asEve(`PUT /admin/workspaces/${eve.id}`, { privateTargets: true })).status).toBe(403);
  expect(await gateway.admin(`PUT /admin/administrators/${eve.id}`)).toMatchObject({ name: 'Eve', reason: 'named' });
  expect(await administers()).toBe(true);
  const { status, body } = await asEve<Administrator[]>('GET /admin/administrators');
  expect([status, body.map(({ name, reason }) => [name, reason])]).toEqual([
    200,
    [
      ['Ada', 'first'],
      ['Eve', 'named'],
    ],
  ]);
  expect((await asEve('GET /admin/status')).status).toBe(200);
  const first = await asEve(`DELETE /admin/administrators/${gateway.agent.userId}`);
  expect([first.status, first.body.error]).toEqual([
    409,
    'The first account and that of ADMIN_EMAIL stay administrators',
  ]);
  expect((await asEve(`DELETE /admin/administrators/${eve.id}`)).status).toBe(200);
  expect((await asEve('GET /admin/status')).status).toBe(403);
});

describe('GET /admin/workspaces', () => {
  const list = (query = '') => gateway.admin<InstallationWorkspacePage>(`GET /admin/workspaces${query}`);

  it('lists all workspaces in pages, with their members and whether they may use private targets', async () => {
    const { id } = await gateway.admin<Workspace>('POST /workspaces', { name: '100%_sure' });
    await gateway.admin(`PUT /admin/workspaces/${eve.id}`, { privateTargets: true });
    const seen: InstallationWorkspacePage['items'] = [];
    let cursor: string | null = null;
    do {
      const page: InstallationWorkspacePage = await list(`?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(page.items).toHaveLength(1);
      seen.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual((await list()).items);
    expect(seen.map(({ id }) => id)).toEqual([...seen.map(({ id }) => id)].sort((a, b) => a - b));
    expect(seen).toContainEqual({ id: eve.id, name: "Eve's workspace", members: 1, privateTargets: true });
    expect(seen).toContainEqual({ id, name: '100%_sure', members: 1, privateTargets: false });
    for (const [q, found] of [
      ['%25_S', ['100%_sure']],
      ['eve', ["Eve's workspace"]],
      ['nothing like it', []],
    ])
      expect((await list(`?q=${String(q)}`)).items.map(({ name }) => name)).toEqual(found);
  });

  it('shows the default while nobody has decided', async () => {
    const second = await gateway.secondInstance({ PRIVATE_TARGET_ACCESS: 'all' });
    try {
      const { body } = await call<InstallationWorkspacePage>(second.app, 'GET /admin/workspaces', {
        token: gateway.token,
      });
      expect(body.items.every(({ privateTargets }) => privateTargets)).toBe(true);
    } finally {
      await second.app.close();
    }
  });
});

it.each([
  ['GET /admin/workspaces?limit=0', undefined, 400],
  ['GET /admin/workspaces?limit=1000000', undefined, 400],
  ['GET /admin/workspaces?cursor=W10', undefined, 400],
  // An id that no integer of the database holds.
  [`GET /admin/workspaces?cursor=${Buffer.from('["9999999999"]').toString('base64url')}`, undefined, 400],
  ['PUT /admin/administrators/2000000000', undefined, 404],
  ['DELETE /admin/administrators/2000000000', undefined, 404],
  ['PUT /admin/administrators/x', undefined, 400],
  ['PUT /admin/workspaces/2000000000', { privateTargets: true }, 404],
  ['PUT /admin/workspaces/1', { privateTargets: 'yes' }, 400],
  ['PUT /admin/workspaces/1', {}, 400],
])('%s %j: %i', async (route, body, status) => {
  expect((await gateway.tryAdmin(route, body)).status).toBe(status);
});

describe('an e-mail that a database may read as that of ADMIN_EMAIL', () => {
  let app: TestApp;
  beforeAll(async () => {
    // This database knows the lower case of all letters, like those of most providers.
    const DATABASE_URL = await createDatabase(
      `TEMPLATE template0 LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' ENCODING 'UTF8'`,
    );
    const before = await startApp({ DATABASE_URL });
    await register(before, 'first@example.com');
    await before.close();
    const administrator = { ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: PASSWORD };
    app = await startApp({ DATABASE_URL, ALLOW_REGISTRATION: 'true', ...administrator });
  });
  afterAll(() => app?.close());

  it.each([
    'adm\u0130n@example.com',
    'ADM\u0130N@EXAMPLE.COM',
    '\uFF41dmin@example.com',
    '\u212Aim@example.com',
    'admin@ex\u24D0mple.com',
  ])('is refused: %s', async (email) => {
    const { status, body } = await call(app, 'POST /auth/register', { body: { email, password: PASSWORD } });
    expect([status, body.error]).toEqual([400, 'email: must not have letters that turn into others in lower case']);
    const administrators = await app.database.query(`SELECT FROM users WHERE lower(email) = 'admin@example.com'`);
    expect(administrators).toEqual([]);
  });

  it.each(['ädmin@example.com', 'администратор@example.com', 'straße@exämple.com', '管理@example.com'])(
    'does not equal %s',
    async (email) => {
      const { status } = await call(app, 'POST /auth/register', { body: { email, password: PASSWORD } });
      expect(status).toBe(201);
    },
  );
});

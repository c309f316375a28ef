import { readFileSync } from 'node:fs';
import type { CreatedAccessToken, Role } from '#contracts';
import { ROLES } from '#contracts/states';
import { apiRoutes, type ApiRoute } from './support/api-routes.js';
import { call, login, PASSWORD, register } from './support/accounts.js';
import { startGateway, type Gateway } from './support/gateway.js';

const PAGE = readFileSync('docs/reference/workspaces.md', 'utf8');

type Who = Role | 'signed in' | 'administrator';

/** The table in the docs: who may call each endpoint, and whether a token may. */
const TABLE = new Map(
  [...PAGE.matchAll(/^\| `([A-Z]+ \/\S*)` *\| ([\w ]+?) *(?:;.*)?\| (yes|no) *\|$/gm)].map(([, name, who, token]) => [
    name,
    { who: who as Who, byToken: token === 'yes' },
  ]),
);

let gateway: Gateway;
let workspaceId: number;
let routes: ApiRoute[];
/** Tokens by role: that of a session, and with the prefix `token `, that of a program. */
const tokens = new Map<string, string>();

const setRole = (email: string, role: Role | null): Promise<unknown> =>
  gateway.app.database.query(
    role === null
      ? 'DELETE FROM workspace_members WHERE workspace_id = $1 AND user_id = (SELECT id FROM users WHERE email = $2)'
      : `INSERT INTO workspace_members (workspace_id, user_id, role, joined_at)
         SELECT $1, id, '${role}', now() FROM users WHERE email = $2
         ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`,
    [workspaceId, email],
  );

beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  workspaceId = gateway.agent.userId;
  routes = (await apiRoutes(gateway)).filter(({ guard, method }) => guard === 'bearer' && String(method) !== 'HEAD');
  for (const role of [...ROLES, 'stranger' as const]) {
    const email = `${role}@example.com`;
    await register(gateway.app, email);
    if (role !== 'stranger') await setRole(email, role);
    const token = (await login(gateway.app, email)).accessToken;
    // Some endpoints need a confirmed session, whatever the role.
    await call(gateway.app, 'POST /auth/confirm', { token, body: { password: PASSWORD } });
    tokens.set(role, token);
  }
  tokens.set('administrator', gateway.token);
  const expiresAt = new Date(gateway.app.clock.nowMs() + 3_600_000).toISOString();
  for (const role of ROLES) {
    const body = { name: role, workspaceId, role, expiresAt };
    tokens.set(`token ${role}`, (await gateway.admin<CreatedAccessToken>('POST /auth/tokens', body)).token);
  }
});
afterAll(() => gateway?.close());

/** Uses ids that nothing has, so that allowed calls change nothing. */
async function ask({ method, path, fields }: ApiRoute, who: string) {
  const filled = path
    .replace(/^\/workspaces\/\{id\}/, `/workspaces/${workspaceId}`)
    .replace('{actionId}', '00000000-0000-4000-8000-000000000000')
    .replace(/\{\w+\}/g, '2147483647');
  const answer = await fetch(gateway.url + filled, {
    method,
    headers: {
      Authorization: `Bearer ${tokens.get(who)}`,
      'X-Workspace-Id': String(workspaceId),
      ...(fields === null ? {} : { 'Content-Type': 'application/json' }),
    },
    body: fields === null ? undefined : '{}',
  });
  if (path === '/events' && answer.status === 200) {
    await answer.body?.cancel();
    return { status: 200, error: undefined };
  }
  const text = await answer.text();
  const error = answer.status >= 400 ? (JSON.parse(text) as { error: string }).error : undefined;
  return { status: answer.status, error };
}

it('the page lists every endpoint of people, and no other', () => {
  expect([...TABLE.keys()].sort()).toEqual(routes.map(({ name }) => name).sort());
});

/** The text of the 403; null: the endpoint lets the role in. */
function expectedRefusal(who: Who, role: Role): string | null {
  if (who === 'signed in') return null;
  if (who === 'administrator') return 'Only installation administrators may do this';
  return ROLES.indexOf(role) >= ROLES.indexOf(who) ? null : `Your role (${role}) does not allow this`;
}

const isAsExpected = (status: number, error: string | undefined, refusal: string | null): boolean =>
  refusal === null ? status !== 403 && status < 500 : status === 403 && error === refusal;

describe('each endpoint accepts the roles that the page names', () => {
  it.each(ROLES)('%s', async (role) => {
    const faults: unknown[] = [];
    for (const route of routes) {
      // These end the session that the test needs.
      if (route.name === 'DELETE /auth/sessions') continue;
      const { status, error } = await ask(route, role);
      const expected = expectedRefusal(TABLE.get(route.name)!.who, role);
      if (!isAsExpected(status, error, expected)) faults.push([route.name, status, error]);
    }
    expect(faults).toEqual([]);
  });

  it.each(ROLES)('a token with the role %s', async (role) => {
    const faults: unknown[] = [];
    for (const route of routes) {
      const { who, byToken } = TABLE.get(route.name)!;
      const { status, error } = await ask(route, `token ${role}`);
      const expected = byToken ? expectedRefusal(who, role) : 'Personal access tokens are not allowed here: log in';
      if (!isAsExpected(status, error, expected)) faults.push([route.name, status, error]);
    }
    expect(faults).toEqual([]);
  });

  it('an administrator of the installation', async () => {
    for (const route of routes.filter(({ name }) => TABLE.get(name)!.who === 'administrator')) {
      expect([route.name, (await ask(route, 'administrator')).status]).not.toEqual([route.name, 403]);
    }
  });

  it('a person who is not a member', async () => {
    const faults: unknown[] = [];
    for (const route of routes.filter(({ name }) => !/signed in|administrator/.test(TABLE.get(name)!.who))) {
      const { status, error } = await ask(route, 'stranger');
      if (status !== 404 || error !== 'Resource not found') faults.push([route.name, status, error]);
    }
    expect(faults).toEqual([]);
  });
});

describe('the workspace of a request', () => {
  const services = (headers: Record<string, string>, who = 'auditor') =>
    call<unknown[] & { error: string }>(gateway.app, 'GET /services', { token: tokens.get(who), headers });

  it('is the oldest of the person without a header', async () => {
    // The account's own workspace, which is empty.
    expect((await services({})).body).toEqual([]);
    expect((await services({ 'X-Workspace-Id': String(workspaceId) })).body).toHaveLength(1);
  });

  it.each(['', 'x', '1.5', '0', '2147483648', '1, 2', '-1'])('is refused as %j', async (given) => {
    const { status, body } = await services({ 'X-Workspace-Id': given });
    expect([status, body.error]).toEqual([400, 'X-Workspace-Id: must be an integer from 1 to 2147483647']);
  });

  it('is the one of the path, whatever the header says', async () => {
    const { status, body } = await call<{ id: number; role: Role }>(gateway.app, `GET /workspaces/${workspaceId}`, {
      token: tokens.get('approver'),
      headers: { 'X-Workspace-Id': '12345' },
    });
    expect([status, body.id, body.role]).toEqual([200, workspaceId, 'approver']);
  });

  it('does not exist for a person without a membership', async () => {
    await register(gateway.app, 'nobody@example.com');
    const { accessToken: token } = await login(gateway.app, 'nobody@example.com');
    await gateway.app.database.query(
      `DELETE FROM workspace_members WHERE user_id = (SELECT id FROM users WHERE email = 'nobody@example.com')`,
    );
    const answer = await call(gateway.app, 'GET /services', { token });
    expect([answer.status, answer.body.error]).toEqual([404, 'Resource not found']);
    expect((await call(gateway.app, 'GET /workspaces', { token })).body).toEqual([]);
    expect((await call(gateway.app, 'GET /auth/me', { token })).status).toBe(200);
  });
});

it('a changed role applies to the next request on every instance', async () => {
  const second = await gateway.secondInstance();
  const create = (app: { url: string }) =>
    call(app, 'POST /agents', {
      token: tokens.get('approver'),
      body: {},
      headers: { 'X-Workspace-Id': String(workspaceId) },
    });
  try {
    expect([(await create(gateway)).status, (await create(second)).status]).toEqual([403, 403]);
    await setRole('approver@example.com', 'admin');
    expect([(await create(gateway)).status, (await create(second)).status]).toEqual([400, 400]);
    await setRole('approver@example.com', null);
    expect([(await create(gateway)).status, (await create(second)).status]).toEqual([404, 404]);
  } finally {
    await setRole('approver@example.com', 'approver');
    await second.app.close();
  }
});

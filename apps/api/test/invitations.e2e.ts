import type {
  CreatedInvitation,
  Invitation,
  LoginResponse,
  Member,
  OpenedInvitation,
  User,
  WorkspaceSummary,
} from '#contracts';
import { call, login, PASSWORD, register } from './support/accounts.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
let mine: number;
let accounts = 0;

const as = <T = { error: string }>(token: string, route: string, body?: object) =>
  call<T & { error: string }>(gateway.app, route, { token, body });

const invite = async (email: string, role = 'approver'): Promise<string> => {
  const made = await gateway.admin<CreatedInvitation>(`POST /workspaces/${mine}/invitations`, { email, role });
  return made.url.split('#')[1];
};

/** A new account with a workspace of its own. */
async function account(): Promise<{ email: string; token: string; user: User }> {
  const email = `guest${++accounts}@example.com`;
  await gateway.app.database.query(
    `INSERT INTO users (email, name, password_hash, created_at, updated_at)
     SELECT $1, 'Guest', password_hash, now(), now() FROM users WHERE id = $2`,
    [email, mine],
  );
  const { accessToken, user } = await login(gateway.app, email);
  return { email, token: accessToken, user };
}

beforeAll(async () => {
  gateway = await startGateway({ PUBLIC_URL: 'https://gateway.example.com' });
  mine = gateway.agent.userId;
});
afterAll(() => gateway?.close());

const readRole = async (userId: number): Promise<string | undefined> =>
  (await gateway.admin<Member[]>(`GET /workspaces/${mine}/members`)).find(({ id }) => id === userId)?.role;

it('an invitation is a link that is shown once', async () => {
  const body = { email: 'Once@example.com', role: 'admin' };
  const made = await gateway.admin<CreatedInvitation>(`POST /workspaces/${mine}/invitations`, body);
  expect(made).toMatchObject(body);
  expect(made.url).toMatch(/^https:\/\/gateway\.example\.com\/dashboard\/invitations#[0-9a-f]{64}$/);
  const open = await gateway.admin<Invitation[]>(`GET /workspaces/${mine}/invitations`);
  const shown = JSON.stringify(open);
  expect(shown).toContain('Once@example.com');
  expect(shown).not.toContain('url');
  const stored = JSON.stringify(await gateway.app.database.query('SELECT * FROM invitations'));
  expect(stored).not.toContain(made.url.split('#')[1]);
});

it('the link says who invites to what before there is an account, and no more', async () => {
  const secret = await invite('Reader@example.com', 'auditor');
  const opened = await call<OpenedInvitation>(gateway.app, 'POST /invitations/open', { body: { token: secret } });
  const workspace = (await gateway.admin<WorkspaceSummary[]>('GET /workspaces')).find(({ id }) => id === mine)!.name;
  expect([opened.status, opened.body]).toEqual([
    200,
    { workspace, role: 'auditor', email: 'Reader@example.com', invitedBy: 'Ada', expiresAt: expect.any(String) },
  ]);
});

it('an account with the e-mail accepts it, whatever the letter case', async () => {
  const { email, token, user } = await account();
  const accepted = await as<WorkspaceSummary>(token, 'POST /invitations/accept', {
    token: await invite(email.toUpperCase()),
  });
  expect([accepted.status, accepted.body.id, accepted.body.role]).toEqual([200, mine, 'approver']);
  expect(await readRole(user.id)).toBe('approver');
  const { body } = await as<WorkspaceSummary[]>(token, 'GET /workspaces');
  expect(body.map(({ id }) => id)).toEqual([user.id, mine]);
});

it('a new account registers with it while registration is closed, and gets no workspace of its own', async () => {
  const email = 'invited@example.com';
  const closed = await call(gateway.app, 'POST /auth/register', { body: { email, password: PASSWORD } });
  expect([closed.status, closed.body.error]).toEqual([403, 'Registration is closed']);
  const user = await register(gateway.app, email, { name: 'Ivy', invitation: await invite(email, 'auditor') });
  const { accessToken: token } = await login(gateway.app, email);
  const { body } = await as<WorkspaceSummary[]>(token, 'GET /workspaces');
  expect(body.map(({ id, role }) => [id, role])).toEqual([[mine, 'auditor']]);
  expect((await as<unknown[]>(token, 'GET /services')).body).toHaveLength(1);
  expect(await gateway.app.database.query('SELECT FROM workspaces WHERE id = $1', [user.id])).toEqual([]);
});

describe('an invitation that cannot be accepted', () => {
  const tries = async (secret: string, { token, email }: { token: string; email: string }) => {
    const accepted = await as(token, 'POST /invitations/accept', { token: secret });
    const registered = await call(gateway.app, 'POST /auth/register', {
      body: { email: `other-${email}`, password: PASSWORD, invitation: secret },
    });
    const opened = await call(gateway.app, 'POST /invitations/open', { body: { token: secret } });
    return [accepted.status, accepted.body.error, registered.status, opened.status];
  };

  it('unknown', async () => {
    expect(await tries('f'.repeat(64), await account())).toEqual([404, 'Invitation not found', 404, 404]);
  });

  it('deleted', async () => {
    const guest = await account();
    const secret = await invite(guest.email);
    const open = await gateway.admin<Invitation[]>(`GET /workspaces/${mine}/invitations`);
    const { id } = open.find(({ email }) => email === guest.email)!;
    await gateway.admin(`DELETE /workspaces/${mine}/invitations/${id}`);
    expect(await tries(secret, guest)).toEqual([404, 'Invitation not found', 404, 404]);
  });

  it('used before, also after the person has left', async () => {
    const guest = await account();
    const secret = await invite(guest.email);
    const GONE = 'This invitation was used or has expired: ask for a new one';
    expect((await as(guest.token, 'POST /invitations/accept', { token: secret })).status).toBe(200);
    expect(await tries(secret, guest)).toEqual([410, GONE, 410, 410]);
    await as(guest.token, `DELETE /workspaces/${mine}/members/${guest.user.id}`);
    expect(await tries(secret, guest)).toEqual([410, GONE, 410, 410]);
    expect(await readRole(guest.user.id)).toBeUndefined();
  });

  it('for another e-mail', async () => {
    const secret = await invite('somebody-else@example.com');
    expect(await tries(secret, await account())).toEqual([403, 'This invitation is for another e-mail', 403, 200]);
  });

  it('replaced by a newer one', async () => {
    const guest = await account();
    const first = await invite(guest.email);
    await invite(guest.email);
    expect(await tries(first, guest)).toEqual([404, 'Invitation not found', 404, 404]);
  });

  it('for a workspace that is gone', async () => {
    const guest = await account();
    const { id } = await gateway.admin<WorkspaceSummary>('POST /workspaces', { name: 'Gone' });
    const made = await gateway.admin<CreatedInvitation>(`POST /workspaces/${id}/invitations`, {
      email: guest.email,
      role: 'admin',
    });
    await gateway.admin(`DELETE /workspaces/${id}`);
    expect(await tries(made.url.split('#')[1], guest)).toEqual([404, 'Invitation not found', 404, 404]);
  });

  it('to a person who is a member', async () => {
    const { status, body } = await gateway.tryAdmin(`POST /workspaces/${mine}/invitations`, {
      email: 'ADA@example.com',
      role: 'auditor',
    });
    expect([status, body.error]).toEqual([409, 'This person is already a member']);
  });

  it.each([
    [{ email: 'x', role: 'admin' }, 'email'],
    [{ email: 'x@example.com', role: 'boss' }, 'role'],
    [{ email: 'x@example.com' }, 'role'],
  ])('%j', async (body, field) => {
    const answer = await gateway.tryAdmin(`POST /workspaces/${mine}/invitations`, body);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(`${field}: `)]);
  });
});

it('of ten calls with one invitation at the same time, one is accepted', async () => {
  const guest = await account();
  const token = await invite(guest.email);
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => as(guest.token, 'POST /invitations/accept', { token })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array<number>(9).fill(410)]);
});

it.each([
  ['removed', (id: number) => ['DELETE', `/${id}`, undefined] as const],
  ['no owner any more', (id: number) => ['PUT', `/${id}`, { role: 'admin' }] as const],
])('an invitation ends when its sender is %s', async (_what, change) => {
  const [sender, guest] = [await account(), await account()];
  await as(sender.token, 'POST /invitations/accept', { token: await invite(sender.email, 'owner') });
  const route = `POST /workspaces/${mine}/invitations`;
  const made = await as<CreatedInvitation>(sender.token, route, { email: guest.email, role: 'owner' });
  expect(made.status).toBe(201);
  const [method, path, body] = change(sender.user.id);
  expect((await as(gateway.token, `${method} /workspaces/${mine}/members${path}`, body)).status).toBe(200);
  const accepted = await as(guest.token, 'POST /invitations/accept', { token: made.body.url.split('#')[1] });
  expect([accepted.status, await readRole(guest.user.id)]).toEqual([404, undefined]);
  const records = (await gateway.audit('&kind=change')).map(({ reason, details }) => [reason, details]);
  expect(records).toContainEqual(['invitation.deleted', { email: guest.email, role: 'owner' }]);
});

it('an invitation that is accepted while it is being deleted is not reported as deleted', async () => {
  const { email, token, user } = await account();
  const secret = await invite(email);
  const [{ id }]: { id: number }[] = await gateway.app.database.query('SELECT id FROM invitations WHERE email = $1', [
    email,
  ]);
  const takenBack = await gateway.app.database.manager.transaction(async (tx) => {
    // Locks the invitation like an acceptance does, until the deletion waits for it.
    await tx.query('UPDATE invitations SET accepted_at = now() WHERE id = $1', [id]);
    const started = as(gateway.token, `DELETE /workspaces/${mine}/invitations/${id}`);
    await eventually(async () => {
      const waiting: unknown[] = await gateway.app.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    return [started];
  });
  expect((await takenBack[0]).body.error).toBe('Invitation not found');
  expect((await as(token, 'POST /invitations/accept', { token: secret })).status).toBe(410);
  expect(await readRole(user.id)).toBeUndefined();
});

it('nobody becomes an administrator by an invitation for the address of ADMIN_EMAIL', async () => {
  const email = 'operator@example.com';
  const invitation = await invite(email, 'owner');
  const other = await gateway.secondInstance({ ADMIN_EMAIL: email, ADMIN_PASSWORD: PASSWORD });
  const answer = await call(other.app, 'POST /auth/register', { body: { email, password: PASSWORD, invitation } });
  expect([answer.status, answer.body.error]).toEqual([403, 'Registration is closed']);
  await other.app.close();
});

it('expires after seven days by the clock of the database', async () => {
  const guest = await account();
  const secret = await invite(guest.email);
  await gateway.app.advance({ hours: 7 * 24 + 1 });
  const { accessToken } = (
    await call<LoginResponse>(gateway.app, 'POST /auth/login', { body: { email: guest.email, password: PASSWORD } })
  ).body;
  const answer = await as(accessToken, 'POST /invitations/accept', { token: secret });
  expect([answer.status, answer.body.error]).toEqual([
    410,
    'This invitation was used or has expired: ask for a new one',
  ]);
});

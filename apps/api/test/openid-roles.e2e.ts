import type { AuditPage, CreatedInvitation, Member, Role, TokenPair, UserResponse, WorkspaceSummary } from '#contracts';
import { call, login, PASSWORD, register } from './support/accounts.js';
import { openEvents } from './support/event-stream.js';
import { eventually } from './support/eventually.js';
import { Browser, startOpenIdProvider, type OpenIdProviderProcess, type Person } from './support/openid-provider.js';
import { startApp, type TestApp } from './support/start-app.js';

const PUBLIC_URL = 'https://gateway.example.com';
const HOME = '/dashboard/';

let provider: OpenIdProviderProcess;
let app: TestApp;
/** The token of the owner of the first workspace. */
let token: string;
let first: number;
const settings = (roles = true): Record<string, string> => ({
  PUBLIC_URL,
  ...provider.settings,
  ...(roles ? { OIDC_ROLES_CLAIM: 'groups', OIDC_ROLE_MAP: 'ops=admin,desk=approver,audit=auditor' } : {}),
});
beforeAll(async () => {
  provider = await startOpenIdProvider(`${PUBLIC_URL}/auth/oidc/callback`);
  app = await startApp(settings());
  await register(app, 'owner@example.com');
  token = (await login(app, 'owner@example.com')).accessToken;
  [{ id: first }] = (await call<WorkspaceSummary[]>(app, 'GET /workspaces', { token })).body;
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

let people = 0;
const somebody = (fields: Partial<Person> = {}): Person => {
  const sub = `member-${++people}`;
  return { sub, email: `${sub}@example.com`, email_verified: true, name: `Member ${people}`, ...fields };
};

/** A whole sign-in. @returns where the gateway sends the browser at the end, and the person's token */
async function signIn(person: Person, at = app): Promise<{ page: string; token: string }> {
  await provider.set({ person });
  const browser = new Browser();
  const back = await browser.follow(`${at.url}/auth/oidc/start`, ({ origin }) => origin === PUBLIC_URL);
  const end = await browser.get(at.url + back.pathname + back.search);
  const cookie = browser.cookies(at.url);
  const { body } = await call<TokenPair>(at, 'POST /auth/refresh', { body: {}, headers: { cookie } });
  return { page: end.headers.get('location') ?? '', token: body.accessToken };
}

const members = async (): Promise<Member[]> =>
  (await call<Member[]>(app, `GET /workspaces/${first}/members`, { token })).body;
const readRole = async ({ email }: Person): Promise<Role | undefined> =>
  (await members()).find((member) => member.email === email)?.role;
const listWorkspaces = async (person: string): Promise<WorkspaceSummary[]> =>
  (await call<WorkspaceSummary[]>(app, 'GET /workspaces', { token: person })).body;
const setRole = async (person: Person, role: Role): Promise<void> => {
  const { id } = (await members()).find(({ email }) => email === person.email)!;
  await call(app, `PUT /workspaces/${first}/members/${id}`, { token, body: { role } });
};
const invite = async (person: Person, role: Role, workspaceId = first): Promise<CreatedInvitation> =>
  (
    await call<CreatedInvitation>(app, `POST /workspaces/${workspaceId}/invitations`, {
      token,
      body: { email: person.email, role },
    })
  ).body;

describe('a first sign-in', () => {
  it('creates an account in the first workspace for a person whose group has a role, and no other workspace', async () => {
    const person = somebody({ groups: ['everybody', 'desk'] });
    const { page, token: theirs } = await signIn(person);
    expect(page).toBe(HOME);
    expect(await listWorkspaces(theirs)).toEqual([expect.objectContaining({ id: first, role: 'approver' })]);
    const { body } = await call<AuditPage>(app, 'GET /audit?kind=change', { token });
    expect(body.items[0]).toMatchObject({
      reason: 'member.joined',
      actor: { name: person.name },
      details: { role: 'approver', by: 'single sign-on' },
    });
  });

  it.each([[['audit', 'ops', 'desk'], 'admin'] as const, [['audit', 'desk'], 'approver'] as const])(
    'of groups %j gives the highest role',
    async (groups, role) => {
      const person = somebody({ groups });
      await signIn(person);
      expect(await readRole(person)).toBe(role);
    },
  );

  it('creates nothing for a person without a role, without an invitation, while registration is closed', async () => {
    const person = somebody({ groups: ['everybody'] });
    expect((await signIn(person)).page).toBe('/dashboard/login?error=no_account');
    expect(await app.database.query('SELECT FROM users WHERE email = $1', [person.email])).toEqual([]);
    expect(await app.database.query('SELECT FROM identities WHERE email = $1', [person.email])).toEqual([]);
  });

  it.each([[7], [{ ops: true }], [['ops', 1]]])('refuses groups %j, and creates nothing', async (groups) => {
    const person = somebody({ groups });
    expect((await signIn(person)).page).toBe('/dashboard/login?error=sign_in_failed');
    expect(await readRole(person)).toBeUndefined();
  });

  it('refuses groups that the provider left out because there are too many', async () => {
    const { page } = await signIn(somebody({ _claim_names: { groups: 'src1' } }));
    expect(page).toBe('/dashboard/login?error=sign_in_failed');
  });

  it('accepts the invitations for the verified e-mail; each works once', async () => {
    const person = somebody({ groups: ['everybody'] });
    const second = await call<{ id: number }>(app, 'POST /workspaces', { token, body: { name: 'Second' } });
    const { url } = await invite({ ...person, email: String(person.email).toUpperCase() }, 'auditor');
    await invite(person, 'admin', second.body.id);
    const { page, token: theirs } = await signIn(person);
    expect(page).toBe(HOME);
    expect((await listWorkspaces(theirs)).map(({ id, role }) => [id, role])).toEqual([
      [first, 'auditor'],
      [second.body.id, 'admin'],
    ]);
    const again = await call(app, 'POST /invitations/accept', { token: theirs, body: { token: url.split('#')[1] } });
    expect(again.status).toBe(410);
  });

  it('of a person with a group and an invitation gives the role of the group', async () => {
    const person = somebody({ groups: ['desk'] });
    await invite(person, 'owner');
    await signIn(person);
    // The invitation made an owner, and the provider changes no owner.
    expect(await readRole(person)).toBe('owner');
    const other = somebody({ groups: ['desk'] });
    await invite(other, 'admin');
    await signIn(other);
    expect(await readRole(other)).toBe('approver');
  });

  it('by an invitation that has expired creates nothing', async () => {
    const person = somebody();
    const { id } = await invite(person, 'admin');
    await app.database.query(`UPDATE invitations SET expires_at = now() WHERE id = $1`, [id]);
    expect((await signIn(person)).page).toBe('/dashboard/login?error=no_account');
  });

  it('of a person with a role is refused if an account has the e-mail, and that account does not change', async () => {
    const before = await members();
    const { page } = await signIn(somebody({ email: 'owner@example.com', groups: ['audit'] }));
    expect(page).toBe('/dashboard/login?error=email_taken');
    expect((await members()).map(({ id, role }) => [id, role])).toEqual(before.map(({ id, role }) => [id, role]));
  });

  it('never creates the first account, even with a group that is mapped to a role', async () => {
    const other = await startApp(settings());
    expect((await signIn(somebody({ groups: ['ops'] }), other)).page).toBe('/dashboard/login?error=no_account');
    await other.close();
  });

  it('twenty times at once makes one member', async () => {
    const person = somebody({ groups: ['desk'] });
    await provider.set({ person });
    const pages = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const browser = new Browser();
        const back = await browser.follow(`${app.url}/auth/oidc/start`, ({ origin }) => origin === PUBLIC_URL);
        return (await browser.get(app.url + back.pathname + back.search)).headers.get('location');
      }),
    );
    expect(pages).toEqual(Array(20).fill(HOME));
    expect((await members()).filter(({ email }) => email === person.email)).toHaveLength(1);
  });
});

describe('every later sign-in', () => {
  it('applies the groups: raises, lowers, removes and adds again', async () => {
    const person = somebody({ groups: ['desk'] });
    await signIn(person);
    for (const [groups, role] of [
      [['ops'], 'admin'],
      [['audit'], 'auditor'],
      [[], undefined],
      [undefined, undefined],
      ['desk', 'approver'],
    ] as const) {
      expect((await signIn({ ...person, groups })).page).toBe(HOME);
      expect([groups, await readRole(person)]).toEqual([groups, role]);
    }
    const { body } = await call<AuditPage>(app, 'GET /audit?kind=change&limit=4', { token });
    expect(body.items.map(({ reason }) => reason)).toEqual([
      'member.joined',
      'member.removed',
      'member.role_changed',
      'member.role_changed',
    ]);
  });

  it('ends the streams of a person whose group was taken away; their next request is 404', async () => {
    const person = somebody({ groups: ['desk'] });
    const { token: theirs } = await signIn(person);
    const stream = await openEvents(app.url, theirs);
    expect(stream.status).toBe(200);
    await signIn({ ...person, groups: [] });
    await stream.ended;
    expect((await call(app, 'GET /approvals', { token: theirs })).status).toBe(404);
    expect((await call<UserResponse>(app, 'GET /auth/me', { token: theirs })).status).toBe(200);
  });

  it('replaces a role that an owner gave, but changes no owner', async () => {
    const person = somebody({ groups: ['desk'] });
    await signIn(person);
    await setRole(person, 'admin');
    await signIn(person);
    expect(await readRole(person)).toBe('approver');
    await setRole(person, 'owner');
    await signIn(person);
    await signIn({ ...person, groups: [] });
    expect(await readRole(person)).toBe('owner');
  });

  it('keeps a member whom an owner invited and who has no group', async () => {
    const person = somebody();
    await invite(person, 'admin');
    await signIn(person);
    await signIn(person);
    expect(await readRole(person)).toBe('admin');
  });

  it('changes no role where no groups are mapped', async () => {
    const person = somebody({ groups: ['desk'] });
    await signIn(person);
    const other = await startApp({ ...settings(false), DATABASE_URL: app.databaseUrl });
    expect((await signIn({ ...person, groups: [] }, other)).page).toBe(HOME);
    expect(await readRole(person)).toBe('approver');
    await other.close();
  });

  it('with a password changes no role', async () => {
    await provider.set({});
    await call(app, 'POST /auth/login', { body: { email: 'owner@example.com', password: PASSWORD } });
    expect((await members()).find(({ email }) => email === 'owner@example.com')?.role).toBe('owner');
  });
});

it('joins a person who accepts an invitation at the same moment, with the role of the group', async () => {
  const person = somebody({ groups: ['desk'] });
  await signIn(person);
  await signIn({ ...person, groups: [] });
  const signingIn = await app.database.manager.transaction(async (tx) => {
    await tx.query(`INSERT INTO workspace_members SELECT $1, id, 'auditor', now() FROM users WHERE email = $2`, [
      first,
      person.email,
    ]);
    const started = signIn(person);
    await eventually(async () => {
      const waiting: unknown[] = await app.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    return [started];
  });
  expect((await signingIn[0]).page).toBe(HOME);
  expect(await readRole(person)).toBe('approver');
});

it('groups give no role in the workspace of somebody else after the first workspace was deleted', async () => {
  const open = await startApp({ ...settings(), ALLOW_REGISTRATION: 'true' });
  await register(open, 'owner@example.com');
  const { accessToken: owner } = await login(open, 'owner@example.com');
  const [own] = (await call<WorkspaceSummary[]>(open, 'GET /workspaces', { token: owner })).body;
  await register(open, 'stranger@example.com');
  const known = somebody({ groups: ['ops'] });
  await signIn(known, open);
  expect((await call(open, `DELETE /workspaces/${own.id}`, { token: owner })).status).toBe(200);
  const closed = await startApp({ ...settings(), DATABASE_URL: open.databaseUrl });
  const again = await signIn(known, closed);
  expect(again.page).toBe(HOME);
  expect((await call<WorkspaceSummary[]>(closed, 'GET /workspaces', { token: again.token })).body).toEqual([]);
  expect((await signIn(somebody({ groups: ['ops'] }), closed)).page).toBe('/dashboard/login?error=no_account');
  await closed.close();
  await open.close();
});

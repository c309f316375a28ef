import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { AuditPage, WorkspaceSummary } from '#contracts';
import { call, login, PASSWORD, readMeStatus, refresh, register } from './support/accounts.js';
import { openEvents } from './support/event-stream.js';
import { startApp, type TestApp } from './support/start-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ ALLOW_REGISTRATION: 'true' });
});
afterAll(() => app.close());

interface End {
  code: number;
  output: string;
  errors: string;
}

/** Runs the built program behind `agent-gateway reset-password`. */
function reset(args: string[], databaseUrl = app.databaseUrl): Promise<End> {
  const program = [join(process.cwd(), 'dist/apps/api/src/reset-password.js'), ...args];
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  return new Promise((resolve) =>
    execFile(process.execPath, program, { env }, (error, output, errors) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, output, errors }),
    ),
  );
}
const passwordIn = ({ output }: End): string => /^ {2}([\w-]{24})$/m.exec(output)![1];

it('prints a new password that works, and ends every session and stream of the account', async () => {
  await register(app, 'Lost@example.com', { name: 'Lost' });
  await register(app, 'other@example.com');
  const [here, there] = [await login(app, 'lost@example.com'), await login(app, 'lost@example.com')];
  const other = await login(app, 'other@example.com');
  const stream = await openEvents(app.url, here.accessToken);
  // Failed guesses have used up the limit.
  const guess = () =>
    call(app, 'POST /auth/login', { body: { email: 'lost@example.com', password: 'wrong password' } });
  for (let i = 0; i < 10; i++) await guess();
  expect((await guess()).status).toBe(429);

  const end = await reset(['lost@example.com']);
  expect([end.code, end.errors]).toEqual([0, '']);
  expect(end.output).toContain('The new password of Lost, shown only now:');
  expect(end.output).toContain('Sessions that ended: 2.');
  expect(end.output).not.toContain('Passkeys:');
  await stream.ended;
  for (const { accessToken } of [here, there]) expect(await readMeStatus(app, accessToken)).toBe(401);
  expect((await refresh(app, here.refreshToken)).status).toBe(401);
  expect(await readMeStatus(app, other.accessToken)).toBe(200);

  expect(
    (await call(app, 'POST /auth/login', { body: { email: 'lost@example.com', password: PASSWORD } })).status,
  ).toBe(401);
  const { accessToken: token } = await login(app, 'lost@example.com', passwordIn(end));
  const { body } = await call<AuditPage>(app, 'GET /audit?kind=access', { token });
  expect(body.items.map(({ reason }) => reason)).toContain('password.reset');
  expect(JSON.stringify(body)).not.toContain(passwordIn(end));
});

it('gives a password to a person who had none, records it in each workspace, and lists the other ways to log in that still work', async () => {
  await register(app, 'sso@example.com');
  const { user, accessToken } = await login(app, 'sso@example.com');
  await call<WorkspaceSummary>(app, 'POST /workspaces', { token: accessToken, body: { name: 'Second' } });
  await app.database.query('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
  await app.database.query(
    `INSERT INTO passkeys (user_id, user_handle, credential_id, public_key, counter, transports, name, created_at)
     VALUES ($1, 'h', 'c', '', 0, '{}', 'Phone', now())`,
    [user.id],
  );
  const expiresAt = new Date(app.clock.nowMs() + 3_600_000).toISOString();
  const made = await call(app, 'POST /auth/tokens', {
    token: accessToken,
    body: { name: 'ci', workspaceId: user.id, role: 'owner', expiresAt },
  });
  expect(made.status).toBe(201);
  const end = await reset(['sso@example.com']);
  expect(end.output).toContain('Passkeys: 1, linked sign-ins: 0, personal access tokens: 1.\nThey still work');
  await login(app, 'sso@example.com', passwordIn(end));
  const rows = await app.database.query<object[]>(
    `SELECT workspace_id FROM audit_records WHERE reason = 'password.reset' AND actor_id = $1`,
    [user.id],
  );
  expect(rows).toHaveLength(2);
});

it.each<[string, string[], string | undefined, string]>([
  ['an unknown e-mail', ['nobody@example.com'], undefined, 'No account has the e-mail nobody@example.com.'],
  ['no e-mail', [], undefined, 'Usage: agent-gateway reset-password <email>'],
  ['two e-mails', ['a@example.com', 'b@example.com'], undefined, 'Usage: agent-gateway reset-password <email>'],
  ['a database that is unavailable', ['a@example.com'], 'postgres://x@127.0.0.1:9/x', 'Nothing has changed: '],
])('refuses %s, and changes nothing', async (_what, args, url, text) => {
  const hashes = async () =>
    JSON.stringify(await app.database.query('SELECT id, password_hash FROM users ORDER BY id'));
  const before = await hashes();
  const end = await reset(args, url);
  expect(end.code).toBe(1);
  expect(end.errors).toContain(text);
  expect(await hashes()).toBe(before);
});

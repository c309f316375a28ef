import type { Confirmation, CreatedAccessToken, Session, Workspace } from '#contracts';
import { Confirmations } from '../src/auth/confirmations.js';
import { call, login, PASSWORD, refresh } from './support/accounts.js';
import { AccountsApp } from './support/accounts-app.js';
import { startApp } from './support/start-app.js';

const accounts = new AccountsApp();

const confirm = (token: string, password = PASSWORD, headers = {}) =>
  call<Confirmation & { error?: string }>(accounts.app, 'POST /auth/confirm', { token, body: { password }, headers });
const state = async (token: string): Promise<Confirmation> =>
  (await call<Confirmation>(accounts.app, 'GET /auth/confirm', { token })).body;

async function readSessionId(token: string): Promise<string> {
  const { body } = await call<Session[]>(accounts.app, 'GET /auth/sessions', { token });
  return body.find(({ current }) => current)!.id;
}
const assertConfirmed = (sessionId: string | null): Promise<void> =>
  accounts.app.app.get(Confirmations).assertConfirmed(null, { sessionId });
const REQUIRED = { statusCode: 403, code: 'confirmation_required', message: 'Confirm first that it is you' };

describe('a confirmation', () => {
  it('needs the password, and lasts five minutes by the clock of the database', async () => {
    const { accessToken: token } = await login(accounts.app, await accounts.newAccount());
    const id = await readSessionId(token);
    expect(await state(token)).toEqual({ confirmedUntil: null, password: true, passkey: false });
    await expect(assertConfirmed(id)).rejects.toMatchObject(REQUIRED);

    const { status, body } = await confirm(token);
    expect([status, body]).toEqual([200, { confirmedUntil: expect.any(String), password: true, passkey: false }]);
    await assertConfirmed(id);
    expect(await state(token)).toEqual(body);
    const rows = await accounts.app.database.query<{ kept: Date }[]>(
      `UPDATE sessions SET confirmed_at = confirmed_at - interval '5 minutes' WHERE id = $1
       RETURNING confirmed_at + interval '10 minutes' AS kept`,
      [id],
    );
    expect(JSON.stringify(rows)).toContain(body.confirmedUntil);
    await expect(assertConfirmed(id)).rejects.toMatchObject(REQUIRED);
    expect((await state(token)).confirmedUntil).toBeNull();
    expect(await accounts.told()).toContain('session.confirmed');
  });

  it('survives a refresh, applies on other instances, and belongs to one session', async () => {
    const email = await accounts.newAccount();
    const [here, there] = [await login(accounts.app, email), await login(accounts.app, email)];
    await confirm(here.accessToken);
    const renewed = (await refresh(accounts.app, here.refreshToken)).body.accessToken;
    const { confirmedUntil } = await state(renewed);
    expect(confirmedUntil).not.toBeNull();
    const other = await startApp({ DATABASE_URL: accounts.app.databaseUrl });
    await other.app.get(Confirmations).assertConfirmed(null, { sessionId: await readSessionId(renewed) });
    await other.close();
    expect((await state(there.accessToken)).confirmedUntil).toBeNull();
  });

  it('is refused for a wrong password, which counts as a failed log-in', async () => {
    const { accessToken: token } = await login(accounts.app, await accounts.newAccount());
    const headers = { 'X-Forwarded-For': '203.0.113.60' };
    const refused = await confirm(token, 'wrong password', headers);
    expect([refused.status, refused.body]).toEqual([403, { error: 'Current password is wrong', statusCode: 403 }]);
    for (let i = 1; i < 10; i++) expect((await confirm(token, 'wrong password', headers)).status).toBe(403);
    const late = await confirm(token, PASSWORD, headers);
    expect(late.status).toBe(429);
    expect(late.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await state(token)).confirmedUntil).toBeNull();
    expect(await accounts.told()).toContain('session.confirm_failed');
  });

  it.each([[{}], [{ password: '' }], [{ password: 1 }], [{ password: 'x'.repeat(1025) }], [{ password: null }]])(
    'refuses %j',
    async (body) => {
      const { accessToken: token } = await login(accounts.app, await accounts.newAccount());
      expect((await call(accounts.app, 'POST /auth/confirm', { token, body })).status).toBe(400);
    },
  );

  it('can be neither created nor used by a personal access token', async () => {
    const { accessToken: token } = await login(accounts.app, await accounts.newAccount());
    const [{ id: workspaceId }] = (await call<Workspace[]>(accounts.app, 'GET /workspaces', { token })).body;
    const made = await call<CreatedAccessToken>(accounts.app, 'POST /auth/tokens', {
      token,
      body: { name: 'ci', workspaceId, role: 'owner', expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
    });
    expect((await confirm(made.body.token)).status).toBe(403);
    await expect(assertConfirmed(null)).rejects.toMatchObject({ statusCode: 403, code: 'token_not_allowed' });
  });

  it('is refused if the password changes after it was checked', async () => {
    const email = await accounts.newAccount();
    const { accessToken: token } = await login(accounts.app, email);
    const [answer] = await accounts.whileHeld(
      `UPDATE users SET password_hash = 'changed' WHERE email = '${email}'; LOCK TABLE sessions IN SHARE ROW EXCLUSIVE MODE`,
      1,
      () => [confirm(token)],
    );
    expect((await answer).status).toBe(401);
    expect((await state(token)).confirmedUntil).toBeNull();
  });

  it('ends with its session', async () => {
    const { accessToken: token, refreshToken } = await login(accounts.app, await accounts.newAccount());
    const id = await readSessionId(token);
    await confirm(token);
    await call(accounts.app, 'POST /auth/logout', { body: { refreshToken } });
    await expect(assertConfirmed(id)).rejects.toMatchObject({ statusCode: 401 });
  });
});

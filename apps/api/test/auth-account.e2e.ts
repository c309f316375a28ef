import type { Session, User } from '#contracts';
import { SessionRegistry } from '../src/auth/sessions.js';
import { call, login, PASSWORD, readMeStatus, refresh } from './support/accounts.js';
import { AccountsApp } from './support/accounts-app.js';

const accounts = new AccountsApp();

describe('the password', () => {
  it('changes, ends every other session and keeps this one', async () => {
    const email = await accounts.newAccount();
    const [here, there] = [await login(accounts.app, email), await login(accounts.app, email)];
    const stranger = await login(accounts.app, await accounts.newAccount());
    const body = { currentPassword: PASSWORD, newPassword: 'another long password' };
    const answer = await call<{ message: string }>(accounts.app, 'POST /auth/password', {
      token: here.accessToken,
      body,
    });
    expect(answer.status).toBe(200);
    expect(await readMeStatus(accounts.app, here.accessToken)).toBe(200);
    expect((await refresh(accounts.app, here.refreshToken)).status).toBe(200);
    expect(await readMeStatus(accounts.app, there.accessToken)).toBe(401);
    expect((await refresh(accounts.app, there.refreshToken)).status).toBe(401);
    expect(await readMeStatus(accounts.app, stranger.accessToken)).toBe(200);

    expect((await call(accounts.app, 'POST /auth/login', { body: { email, password: PASSWORD } })).status).toBe(401);
    await login(accounts.app, email, body.newPassword);
    expect(await accounts.told()).toContain('password.changed');
  });

  it('opens no session for a password that changes after the log-in has checked it', async () => {
    const email = await accounts.newAccount();
    const [answer] = await accounts.whileHeld(
      `UPDATE users SET password_hash = 'changed' WHERE email = '${email}'`,
      1,
      () => [call(accounts.app, 'POST /auth/login', { body: { email, password: PASSWORD } })],
    );
    expect(await answer).toMatchObject({ status: 401, body: { error: 'Invalid credentials' } });
  });

  it('lets only one of two parallel changes succeed', async () => {
    const email = await accounts.newAccount();
    const { accessToken: token } = await login(accounts.app, email);
    const answers = await Promise.all(
      ['first new password', 'second new password'].map((newPassword) =>
        call(accounts.app, 'POST /auth/password', { token, body: { currentPassword: PASSWORD, newPassword } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  });
});

describe('the profile', () => {
  it('changes the name and nothing else', async () => {
    const { accessToken: token, user } = await login(accounts.app, await accounts.newAccount());
    const answer = await call<{ user: User }>(accounts.app, 'PATCH /auth/me', {
      token,
      body: { name: ' Ada ', email: 'evil@example.com', id: 1, passwordHash: 'x' },
    });
    expect([answer.status, answer.body]).toEqual([200, { user: { ...user, name: 'Ada' } }]);
    expect((await call(accounts.app, 'PATCH /auth/me', { token, body: {} })).status).toBe(400);
  });
});

describe('sessions', () => {
  it('are listed with their origin, and the current one is marked', async () => {
    const email = await accounts.newAccount();
    await call(accounts.app, 'POST /auth/login', {
      body: { email, password: PASSWORD },
      headers: { 'User-Agent': 'Lynx/2.9', 'X-Forwarded-For': '192.0.2.7' },
    });
    const { accessToken: token } = await login(accounts.app, email);
    await login(accounts.app, await accounts.newAccount());
    const { body } = await call<Session[]>(accounts.app, 'GET /auth/sessions', { token });
    expect(body).toHaveLength(2);
    expect(body.filter(({ current }) => current)).toHaveLength(1);
    expect(body.find(({ current }) => !current)).toEqual({
      id: expect.any(String),
      current: false,
      userAgent: 'Lynx/2.9',
      address: '192.0.2.7',
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      expiresAt: expect.any(String),
    });
  });

  it('are ended one by one, only by their owner', async () => {
    const email = await accounts.newAccount();
    const [here, there] = [await login(accounts.app, email), await login(accounts.app, email)];
    const stranger = await login(accounts.app, await accounts.newAccount());
    const { body } = await call<Session[]>(accounts.app, 'GET /auth/sessions', { token: there.accessToken });
    const route = `DELETE /auth/sessions/${body.find(({ current }) => current)!.id}`;

    const refused = await call(accounts.app, route, { token: stranger.accessToken });
    expect([refused.status, refused.body]).toEqual([404, { error: 'Session not found', statusCode: 404 }]);
    expect(await readMeStatus(accounts.app, there.accessToken)).toBe(200);

    expect((await call(accounts.app, route, { token: here.accessToken })).status).toBe(200);
    expect(await readMeStatus(accounts.app, there.accessToken)).toBe(401);
    expect((await refresh(accounts.app, there.refreshToken)).status).toBe(401);
    expect((await call(accounts.app, route, { token: here.accessToken })).status).toBe(404);
    expect((await call(accounts.app, 'DELETE /auth/sessions/17', { token: here.accessToken })).status).toBe(404);
    expect(await accounts.told()).toContain('session.revoked');
  });

  it('can all be ended except the current one', async () => {
    const email = await accounts.newAccount();
    const [here, ...others] = [
      await login(accounts.app, email),
      await login(accounts.app, email),
      await login(accounts.app, email),
    ];
    const answer = await call(accounts.app, 'DELETE /auth/sessions', { token: here.accessToken });
    expect([answer.status, answer.body]).toEqual([200, { message: '2 other sessions ended', revoked: 2 }]);
    for (const { accessToken } of others) expect(await readMeStatus(accounts.app, accessToken)).toBe(401);
    expect(await readMeStatus(accounts.app, here.accessToken)).toBe(200);
  });

  it('are deleted after they expire', async () => {
    const email = await accounts.newAccount();
    const [gone, kept] = [await login(accounts.app, email), await login(accounts.app, email)];
    await call(accounts.app, 'POST /auth/logout', { body: { refreshToken: gone.refreshToken } });
    await accounts.app.app.get(SessionRegistry).purge();
    const rows = () =>
      accounts.app.database.query<object[]>('SELECT id FROM sessions WHERE user_id = $1', [kept.user.id]);
    expect(await rows()).toHaveLength(1);
    expect(await readMeStatus(accounts.app, kept.accessToken)).toBe(200);
    expect((await refresh(accounts.app, gone.refreshToken)).status).toBe(401);
    accounts.app.clock.advance({ hours: 49 });
    await accounts.app.app.get(SessionRegistry).purge();
    expect(await rows()).toHaveLength(0);
  });
});

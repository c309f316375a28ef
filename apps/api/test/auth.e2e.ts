import type { LoginResponse, Session, User } from '#contracts';
import { AccessEvents, type AccessEvent } from '../src/auth/access-events.js';
import { SessionRegistry } from '../src/auth/sessions.js';
import { call, login, PASSWORD, refresh, register, statusOf } from './support/accounts.js';
import { startApp, type TestApp } from './support/start-app.js';

const INVALID_TOKEN = { error: 'Invalid or expired token', statusCode: 401 };

describe('accounts', () => {
  let app: TestApp;
  let events: AccessEvent[];
  let emails = 0;

  /** A new account, so that tests don't share attempts or sessions. */
  const newAccount = async (): Promise<string> => {
    const email = `user${++emails}@example.com`;
    await register(app, email);
    return email;
  };

  beforeAll(async () => {
    app = await startApp({
      ALLOW_REGISTRATION: 'true',
      TRUST_PROXY: 'true',
      JWT_ACCESS_EXPIRY: '10m',
      JWT_REFRESH_EXPIRY: '2d',
    });
    app.app.get(AccessEvents).subscribe((event) => {
      events.push(event);
    });
  });
  beforeEach(() => {
    events = [];
  });
  afterAll(() => app.close());

  /** Starts `work` while a transaction holds what `statement` locks; commits when so many queries wait for it. */
  const whileHeld = async <T>(statement: string, waiting: number, work: () => Promise<T>[]): Promise<Promise<T>[]> =>
    app.database.transaction(async (tx) => {
      await tx.query(statement);
      const started = work();
      for (let blocked = 0; blocked < waiting;) {
        const rows = await app.database.query<object[]>(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        blocked = rows.length;
      }
      return started;
    });

  const told = async (): Promise<string[]> => {
    await app.settled();
    return events.map(({ action }) => action);
  };

  describe('log-in', () => {
    it('answers with both tokens, the lifetime and the user, and no cache keeps it', async () => {
      const email = await newAccount();
      const answer = await call<LoginResponse>(app, 'POST /auth/login', {
        body: { email: email.toUpperCase(), password: PASSWORD },
      });
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.body).sort()).toEqual(['accessToken', 'expiresIn', 'refreshToken', 'user']);
      expect(answer.body.expiresIn).toBe(600);
      expect(Object.keys(answer.body.user).sort()).toEqual(['createdAt', 'email', 'id', 'name']);
      expect(answer.headers.get('cache-control')).toContain('no-store');

      const me = await call<{ user: User }>(app, 'GET /auth/me', { token: answer.body.accessToken });
      expect(me.body).toEqual({ user: answer.body.user });
      expect(await told()).toEqual(['account.created', 'login']);
    });

    it('answers the same to a wrong e-mail and to a wrong password', async () => {
      const email = await newAccount();
      const expected = [401, { error: 'Invalid credentials', statusCode: 401 }];
      const wrong = await call(app, 'POST /auth/login', { body: { email, password: 'wrong password' } });
      const unknown = await call(app, 'POST /auth/login', {
        body: { email: 'nobody@example.com', password: PASSWORD },
      });
      expect([wrong.status, wrong.body]).toEqual(expected);
      expect([unknown.status, unknown.body]).toEqual(expected);
      expect(await told()).toEqual(['account.created', 'login.failed']);
    });

    it('takes the same time for both', async () => {
      const email = await newAccount();
      const timeOf = async (name: string, address: string): Promise<number> => {
        // Each from its own address: this is about time, not about the limit.
        const headers = { 'X-Forwarded-For': address };
        const start = performance.now();
        await call(app, 'POST /auth/login', { body: { email: name, password: 'wrong password' }, headers });
        return performance.now() - start;
      };
      const ratioOf = async (round: number): Promise<number> => {
        const times = { wrong: [] as number[], unknown: [] as number[] };
        for (let i = 0; i < 15; i++) {
          const address = `198.51.${round}.${i}`;
          times.wrong.push(await timeOf(email, address));
          times.unknown.push(await timeOf('nobody@example.com', address));
        }
        const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];
        return median(times.unknown) / median(times.wrong);
      };
      // A busy machine may blur one round. A log-in that skips the hash is off by a factor in each.
      const ratios: number[] = [];
      const within = (ratio: number): boolean => ratio > 0.8 && ratio < 1.25;
      for (let round = 0; round < 5 && !ratios.some(within); round++) ratios.push(await ratioOf(round));
      expect(ratios.some(within) ? 'the same' : ratios).toBe('the same');
    });
  });

  describe('the limit of failed log-ins', () => {
    const attempt = (on: TestApp, email: string, address: string, password = 'wrong password') =>
      call(on, 'POST /auth/login', { body: { email, password }, headers: { 'X-Forwarded-For': address } });

    it('is ten for one account and address, holds over two instances, and lets go after 15 minutes', async () => {
      const email = await newAccount();
      const other = await startApp({ DATABASE_URL: app.databaseUrl, TRUST_PROXY: 'true' });
      for (let i = 0; i < 10; i++) {
        expect((await attempt(i % 2 ? app : other, email, '203.0.113.1')).status).toBe(401);
      }
      const refused = await attempt(other, email, '203.0.113.1', PASSWORD);
      expect([refused.status, refused.body]).toEqual([
        429,
        { error: 'Too many failed logins. Try again later.', statusCode: 429 },
      ]);
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(880);
      expect(seconds).toBeLessThanOrEqual(900);
      await other.close();

      // The owner elsewhere is not locked out, nor is somebody else here.
      expect((await attempt(app, email, '203.0.113.2', PASSWORD)).status).toBe(200);
      expect((await attempt(app, await newAccount(), '203.0.113.1', PASSWORD)).status).toBe(200);
      app.clock.advance({ seconds });
      expect((await attempt(app, email, '203.0.113.1', PASSWORD)).status).toBe(200);
    });

    it('is thirty for one address, whatever the accounts, existing or not', async () => {
      for (let i = 0; i < 30; i++) {
        expect((await attempt(app, `guess${i}@example.com`, '203.0.113.3')).status).toBe(401);
      }
      expect((await attempt(app, await newAccount(), '203.0.113.3', PASSWORD)).status).toBe(429);
    });

    it('counts a whole IPv6 network of one host as one address', async () => {
      const email = await newAccount();
      for (let i = 0; i < 10; i++) expect((await attempt(app, email, `2001:db8:1:2::${i + 1}`)).status).toBe(401);
      expect((await attempt(app, email, '2001:db8:1:2:ffff::1')).status).toBe(429);
      expect((await attempt(app, email, '2001:db8:1:3::1', PASSWORD)).status).toBe(200);
    });

    it('lets no more than ten of forty guesses through that are counted at the same moment, over two instances', async () => {
      const email = await newAccount();
      const settings = { DATABASE_URL: app.databaseUrl, DATABASE_POOL_SIZE: '20', TRUST_PROXY: 'true' };
      const both = [await startApp(settings), await startApp(settings)];
      // Each has counted none before it, and waits between its INSERT and the commit.
      await app.database.query(`
        CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
        CREATE TRIGGER wait_for_test AFTER INSERT ON login_attempts
          FOR EACH ROW EXECUTE FUNCTION wait_for_test();
      `);
      const guesses = await whileHeld('SELECT pg_advisory_xact_lock(1)', 40, () =>
        Array.from({ length: 40 }, (_, i) => attempt(both[i % 2], email, '203.0.113.4')),
      );
      const answers = await Promise.all(guesses);
      const tried = answers.filter(({ status }) => status === 401).length;
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - tried);
      expect(tried).toBeLessThanOrEqual(10);
      for (const each of both) await each.close();
      await app.database.query('DROP FUNCTION wait_for_test CASCADE');
    });

    it('forgets typing errors after the right password', async () => {
      const email = await newAccount();
      for (let round = 0; round < 2; round++) {
        for (let i = 0; i < 9; i++) expect((await attempt(app, email, '203.0.113.5')).status).toBe(401);
        expect((await attempt(app, email, '203.0.113.5', PASSWORD)).status).toBe(200);
      }
    });

    it('holds for guesses of the current password too', async () => {
      const email = await newAccount();
      const { accessToken: token } = await login(app, email);
      const guess = () =>
        call(app, 'POST /auth/password', {
          token,
          headers: { 'X-Forwarded-For': '203.0.113.6' },
          body: { currentPassword: 'wrong password', newPassword: 'another long password' },
        });
      for (let i = 0; i < 10; i++) {
        expect((await guess()).body).toEqual({ error: 'Current password is wrong', statusCode: 403 });
      }
      expect((await guess()).status).toBe(429);
    });
  });

  describe('refresh', () => {
    it('spends the token and answers with the next ones', async () => {
      const first = await login(app, await newAccount());
      const second = await refresh(app, first.refreshToken);
      expect(second.status).toBe(200);
      expect(Object.keys(second.body).sort()).toEqual(['accessToken', 'expiresIn', 'refreshToken']);
      expect(await statusOf(app, second.body.accessToken)).toBe(200);
      expect((await refresh(app, second.body.refreshToken)).status).toBe(200);
    });

    it('ends the whole session when a spent token comes again', async () => {
      const first = await login(app, await newAccount());
      const second = await refresh(app, first.refreshToken);
      const reused = await refresh(app, first.refreshToken);
      expect([reused.status, reused.body]).toEqual([401, INVALID_TOKEN]);
      expect((await refresh(app, second.body.refreshToken)).status).toBe(401);
      expect(await statusOf(app, second.body.accessToken)).toBe(401);
      expect(await told()).toEqual(['account.created', 'login', 'session.reuse']);
    });

    it('answers one of 20 parallel calls, then the session is over', async () => {
      const { refreshToken } = await login(app, await newAccount());
      const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(app, refreshToken)));
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
      expect((await refresh(app, won[0].body.refreshToken)).status).toBe(401);
      expect(await statusOf(app, won[0].body.accessToken)).toBe(401);
    });

    it('ends with the lifetime of its token, which each use renews', async () => {
      const first = await login(app, await newAccount());
      app.clock.advance({ hours: 47 });
      const second = await refresh(app, first.refreshToken);
      expect(second.status).toBe(200);
      app.clock.advance({ hours: 47 });
      const third = await refresh(app, second.body.refreshToken);
      expect(third.status).toBe(200);
      app.clock.advance({ hours: 48 });
      expect((await refresh(app, third.body.refreshToken)).body).toEqual(INVALID_TOKEN);
    });

    it('needs a token', async () => {
      const answer = await call(app, 'POST /auth/refresh', { body: {} });
      expect([answer.status, answer.body]).toEqual([401, { error: 'Missing token', statusCode: 401 }]);
    });
  });

  describe('log-out', () => {
    it('ends the session at once, and again is no error', async () => {
      const { refreshToken, accessToken } = await login(app, await newAccount());
      const answer = await call(app, 'POST /auth/logout', { body: { refreshToken } });
      expect([answer.status, answer.body]).toEqual([200, { message: 'Logged out' }]);
      expect(await statusOf(app, accessToken)).toBe(401);
      expect((await refresh(app, refreshToken)).body).toEqual(INVALID_TOKEN);
      expect((await call(app, 'POST /auth/logout', { body: { refreshToken } })).status).toBe(200);
      expect(await told()).toEqual(['account.created', 'login', 'logout']);
    });

    it('is seen by the next request on another instance', async () => {
      const other = await startApp({ DATABASE_URL: app.databaseUrl });
      other.clock.advance({ ms: app.clock.nowMs() - other.clock.nowMs() });
      const { refreshToken, accessToken } = await login(app, await newAccount());
      expect(await statusOf(other, accessToken)).toBe(200);
      await call(app, 'POST /auth/logout', { body: { refreshToken } });
      expect(await statusOf(other, accessToken)).toBe(401);
      expect(await statusOf(app, accessToken)).toBe(401);
      await other.close();
    });
  });

  describe('the cookie', () => {
    const cookieOf = (headers: Headers): string => headers.getSetCookie().find((c) => c.startsWith('agw_refresh='))!;
    const loginAnswer = async (headers: Record<string, string> = {}) =>
      call<LoginResponse>(app, 'POST /auth/login', {
        headers,
        body: { email: await newAccount(), password: PASSWORD },
      });

    it('holds the refresh token where no script and no other site gets at it', async () => {
      const { headers, body } = await loginAnswer();
      const [pair, ...attributes] = cookieOf(headers).split('; ');
      expect(pair).toBe(`agw_refresh=${body.refreshToken}`);
      expect(attributes).toEqual(
        expect.arrayContaining(['HttpOnly', 'SameSite=Strict', 'Path=/auth', 'Max-Age=172800']),
      );
      expect(attributes).not.toContain('Secure');
    });

    it('is Secure under https', async () => {
      const { headers } = await loginAnswer({ 'X-Forwarded-Proto': 'https' });
      expect(cookieOf(headers)).toContain('; Secure');
    });

    it('refreshes and logs out without a body', async () => {
      const { body } = await loginAnswer();
      const Cookie = `theme=dark; agw_refresh=${body.refreshToken}`;
      const second = await call<LoginResponse>(app, 'POST /auth/refresh', { headers: { Cookie } });
      expect(second.status).toBe(200);
      expect(cookieOf(second.headers)).toContain(second.body.refreshToken);

      const out = await call(app, 'POST /auth/logout', {
        headers: { Cookie: `agw_refresh=${second.body.refreshToken}` },
      });
      expect(out.status).toBe(200);
      expect(cookieOf(out.headers)).toMatch(/^agw_refresh=; Path=\/auth; Expires=Thu, 01 Jan 1970/);
      expect(await statusOf(app, second.body.accessToken)).toBe(401);
    });

    it('gives way to the body', async () => {
      const cookie = (await loginAnswer()).body.refreshToken;
      const { refreshToken } = (await loginAnswer()).body;
      const headers = { Cookie: `agw_refresh=${cookie}` };
      expect((await call(app, 'POST /auth/refresh', { headers, body: { refreshToken } })).status).toBe(200);
      expect((await refresh(app, cookie)).status).toBe(200);
    });

    it.each(['cross-site', 'same-site'])('is not taken from a %s request', async (site) => {
      const { body } = await loginAnswer();
      const headers = { Cookie: `agw_refresh=${body.refreshToken}`, 'Sec-Fetch-Site': site };
      expect((await call(app, 'POST /auth/refresh', { headers })).status).toBe(401);
      expect((await refresh(app, body.refreshToken)).status).toBe(200);
    });
  });

  it('keeps parallel requests of different people apart', async () => {
    const people: LoginResponse[] = [];
    for (let i = 0; i < 4; i++) people.push(await login(app, await newAccount()));
    const asked = Array.from({ length: 60 }, (_, i) => people[i % people.length]);
    const answers = await Promise.all(
      asked.map(({ accessToken: token }) => call<{ user: User }>(app, 'GET /auth/me', { token })),
    );
    expect(answers.map(({ body }) => body.user)).toEqual(asked.map(({ user }) => user));
  });

  describe('the password', () => {
    it('changes, ends every other session and keeps this one', async () => {
      const email = await newAccount();
      const [here, there] = [await login(app, email), await login(app, email)];
      const stranger = await login(app, await newAccount());
      const body = { currentPassword: PASSWORD, newPassword: 'another long password' };
      const answer = await call<{ message: string }>(app, 'POST /auth/password', { token: here.accessToken, body });
      expect(answer.status).toBe(200);
      expect(await statusOf(app, here.accessToken)).toBe(200);
      expect((await refresh(app, here.refreshToken)).status).toBe(200);
      expect(await statusOf(app, there.accessToken)).toBe(401);
      expect((await refresh(app, there.refreshToken)).status).toBe(401);
      expect(await statusOf(app, stranger.accessToken)).toBe(200);

      expect((await call(app, 'POST /auth/login', { body: { email, password: PASSWORD } })).status).toBe(401);
      await login(app, email, body.newPassword);
      expect(await told()).toContain('password.changed');
    });

    it('opens no session for a password that was changed after it had been checked', async () => {
      const email = await newAccount();
      const [answer] = await whileHeld(`UPDATE users SET password_hash = 'changed' WHERE email = '${email}'`, 1, () => [
        call(app, 'POST /auth/login', { body: { email, password: PASSWORD } }),
      ]);
      expect(await answer).toMatchObject({ status: 401, body: { error: 'Invalid credentials' } });
    });

    it('has one winner of two parallel changes', async () => {
      const email = await newAccount();
      const { accessToken: token } = await login(app, email);
      const answers = await Promise.all(
        ['first new password', 'second new password'].map((newPassword) =>
          call(app, 'POST /auth/password', { token, body: { currentPassword: PASSWORD, newPassword } }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    });
  });

  describe('the profile', () => {
    it('changes the name and nothing else', async () => {
      const { accessToken: token, user } = await login(app, await newAccount());
      const answer = await call<{ user: User }>(app, 'PATCH /auth/me', {
        token,
        body: { name: ' Ada ', email: 'evil@example.com', id: 1, passwordHash: 'x' },
      });
      expect([answer.status, answer.body]).toEqual([200, { user: { ...user, name: 'Ada' } }]);
      expect((await call(app, 'PATCH /auth/me', { token, body: {} })).status).toBe(400);
    });
  });

  describe('sessions', () => {
    it('are listed with where they came from, the asking one marked', async () => {
      const email = await newAccount();
      await call(app, 'POST /auth/login', {
        body: { email, password: PASSWORD },
        headers: { 'User-Agent': 'Lynx/2.9', 'X-Forwarded-For': '192.0.2.7' },
      });
      const { accessToken: token } = await login(app, email);
      await login(app, await newAccount());
      const { body } = await call<Session[]>(app, 'GET /auth/sessions', { token });
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

    it('end one by one, by their owner only', async () => {
      const email = await newAccount();
      const [here, there] = [await login(app, email), await login(app, email)];
      const stranger = await login(app, await newAccount());
      const { body } = await call<Session[]>(app, 'GET /auth/sessions', { token: there.accessToken });
      const route = `DELETE /auth/sessions/${body.find(({ current }) => current)!.id}`;

      const refused = await call(app, route, { token: stranger.accessToken });
      expect([refused.status, refused.body]).toEqual([404, { error: 'Session not found', statusCode: 404 }]);
      expect(await statusOf(app, there.accessToken)).toBe(200);

      expect((await call(app, route, { token: here.accessToken })).status).toBe(200);
      expect(await statusOf(app, there.accessToken)).toBe(401);
      expect((await refresh(app, there.refreshToken)).status).toBe(401);
      expect((await call(app, route, { token: here.accessToken })).status).toBe(404);
      expect((await call(app, 'DELETE /auth/sessions/17', { token: here.accessToken })).status).toBe(404);
      expect(await told()).toContain('session.revoked');
    });

    it('end all but the asking one', async () => {
      const email = await newAccount();
      const [here, ...others] = [await login(app, email), await login(app, email), await login(app, email)];
      const answer = await call(app, 'DELETE /auth/sessions', { token: here.accessToken });
      expect([answer.status, answer.body]).toEqual([200, { message: '2 other sessions ended', revoked: 2 }]);
      for (const { accessToken } of others) expect(await statusOf(app, accessToken)).toBe(401);
      expect(await statusOf(app, here.accessToken)).toBe(200);
    });

    it('are deleted when they are over', async () => {
      const email = await newAccount();
      const [gone, kept] = [await login(app, email), await login(app, email)];
      await call(app, 'POST /auth/logout', { body: { refreshToken: gone.refreshToken } });
      await app.app.get(SessionRegistry).purge();
      const rows = () => app.database.query<object[]>('SELECT id FROM sessions WHERE user_id = $1', [kept.user.id]);
      expect(await rows()).toHaveLength(1);
      expect(await statusOf(app, kept.accessToken)).toBe(200);
      expect((await refresh(app, gone.refreshToken)).status).toBe(401);
      app.clock.advance({ hours: 49 });
      await app.app.get(SessionRegistry).purge();
      expect(await rows()).toHaveLength(0);
    });
  });

  it('tells who, where and which request, and never a secret', async () => {
    const email = await newAccount();
    const answer = await call<LoginResponse>(app, 'POST /auth/login', {
      body: { email, password: PASSWORD },
      headers: { 'X-Request-Id': 'req-1', 'User-Agent': 'Lynx/2.9', 'X-Forwarded-For': '192.0.2.8' },
    });
    await app.settled();
    const { id, name } = answer.body.user;
    expect(events.at(-1)).toEqual({
      at: expect.any(Date),
      action: 'login',
      user: { id, name },
      address: '192.0.2.8',
      userAgent: 'Lynx/2.9',
      requestId: 'req-1',
    });
  });

  it('stores neither passwords nor tokens as they are', async () => {
    const email = await newAccount();
    const { accessToken, refreshToken } = await login(app, email);
    const dump = JSON.stringify([
      await app.database.query('SELECT * FROM users'),
      await app.database.query('SELECT * FROM sessions'),
      await app.database.query('SELECT * FROM login_attempts'),
    ]);
    expect(dump).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    for (const secret of [PASSWORD, accessToken, refreshToken, refreshToken.split('.')[2]]) {
      expect(dump).not.toContain(secret);
    }
  });
});

import type { LoginResponse, MeResponse, User } from '#contracts';
import { call, login, PASSWORD, readMeStatus, refresh } from './support/accounts.js';
import { AccountsApp } from './support/accounts-app.js';
import { startApp } from './support/start-app.js';

const INVALID_TOKEN = { error: 'Invalid or expired token', statusCode: 401 };
const accounts = new AccountsApp();

describe('log-in', () => {
  it('returns both tokens, their lifetime and the user, and forbids caching', async () => {
    const email = await accounts.newAccount();
    const answer = await call<LoginResponse>(accounts.app, 'POST /auth/login', {
      body: { email: email.toUpperCase(), password: PASSWORD },
    });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).sort()).toEqual(['accessToken', 'expiresIn', 'refreshToken', 'user']);
    expect(answer.body.expiresIn).toBe(600);
    expect(Object.keys(answer.body.user).sort()).toEqual(['createdAt', 'email', 'id', 'name']);
    expect(answer.headers.get('cache-control')).toContain('no-store');

    const me = await call<MeResponse>(accounts.app, 'GET /auth/me', { token: answer.body.accessToken });
    // The first account is an administrator of the installation.
    const administersInstallation = answer.body.user.id === 1;
    expect(me.body).toEqual({ user: answer.body.user, administersInstallation, sendsMail: false, token: null });
    expect(await accounts.told()).toEqual(['account.created', 'login']);
  });

  it('returns the same for a wrong e-mail as for a wrong password', async () => {
    const email = await accounts.newAccount();
    const expected = [401, { error: 'Invalid credentials', statusCode: 401 }];
    const wrong = await call(accounts.app, 'POST /auth/login', { body: { email, password: 'wrong password' } });
    const unknown = await call(accounts.app, 'POST /auth/login', {
      body: { email: 'nobody@example.com', password: PASSWORD },
    });
    expect([wrong.status, wrong.body]).toEqual(expected);
    expect([unknown.status, unknown.body]).toEqual(expected);
    expect(await accounts.told()).toEqual(['account.created', 'login.failed']);
  });

  it('takes the same time for both', async () => {
    const email = await accounts.newAccount();
    const timeLogin = async (name: string, address: string): Promise<number> => {
      // Each log-in has its own address, because the test measures the time and not the limit.
      const headers = { 'X-Forwarded-For': address };
      const start = performance.now();
      await call(accounts.app, 'POST /auth/login', { body: { email: name, password: 'wrong password' }, headers });
      return performance.now() - start;
    };
    const measureRatio = async (round: number): Promise<number> => {
      const times = { wrong: [] as number[], unknown: [] as number[] };
      for (let i = 0; i < 15; i++) {
        const address = `198.51.${round}.${i}`;
        times.wrong.push(await timeLogin(email, address));
        times.unknown.push(await timeLogin('nobody@example.com', address));
      }
      const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];
      return median(times.unknown) / median(times.wrong);
    };
    // A busy machine may distort one round. A log-in that skips the hash differs by a factor in every round.
    const ratios: number[] = [];
    const within = (ratio: number): boolean => ratio > 0.8 && ratio < 1.25;
    for (let round = 0; round < 5 && !ratios.some(within); round++) ratios.push(await measureRatio(round));
    expect(ratios.some(within) ? 'the same' : ratios).toBe('the same');
  });
});

describe('refresh', () => {
  it('consumes the token and returns the next pair', async () => {
    const first = await login(accounts.app, await accounts.newAccount());
    const second = await refresh(accounts.app, first.refreshToken);
    expect(second.status).toBe(200);
    expect(Object.keys(second.body).sort()).toEqual(['accessToken', 'expiresIn', 'refreshToken']);
    expect(await readMeStatus(accounts.app, second.body.accessToken)).toBe(200);
    expect((await refresh(accounts.app, second.body.refreshToken)).status).toBe(200);
  });

  it('ends the whole session when a token is used again', async () => {
    const first = await login(accounts.app, await accounts.newAccount());
    const second = await refresh(accounts.app, first.refreshToken);
    const reused = await refresh(accounts.app, first.refreshToken);
    expect([reused.status, reused.body]).toEqual([401, INVALID_TOKEN]);
    expect((await refresh(accounts.app, second.body.refreshToken)).status).toBe(401);
    expect(await readMeStatus(accounts.app, second.body.accessToken)).toBe(401);
    expect(await accounts.told()).toEqual(['account.created', 'login', 'session.reuse']);
  });

  it('lets one of 20 parallel calls succeed and then ends the session', async () => {
    const { refreshToken } = await login(accounts.app, await accounts.newAccount());
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(accounts.app, refreshToken)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
    expect((await refresh(accounts.app, won[0].body.refreshToken)).status).toBe(401);
    expect(await readMeStatus(accounts.app, won[0].body.accessToken)).toBe(401);
  });

  it('expires with its token, and each use renews the lifetime', async () => {
    const first = await login(accounts.app, await accounts.newAccount());
    accounts.app.clock.advance({ hours: 47 });
    const second = await refresh(accounts.app, first.refreshToken);
    expect(second.status).toBe(200);
    accounts.app.clock.advance({ hours: 47 });
    const third = await refresh(accounts.app, second.body.refreshToken);
    expect(third.status).toBe(200);
    accounts.app.clock.advance({ hours: 48 });
    expect((await refresh(accounts.app, third.body.refreshToken)).body).toEqual(INVALID_TOKEN);
  });

  it('ends a login after SESSION_MAX_DAYS, however often it is used', async () => {
    let { refreshToken } = await login(accounts.app, await accounts.newAccount());
    accounts.events.length = 0;
    for (let day = 1; day < 30; day++) {
      accounts.app.clock.advance({ hours: 24 });
      const { status, body } = await refresh(accounts.app, refreshToken);
      expect([day, status]).toEqual([day, 200]);
      refreshToken = body.refreshToken;
    }
    accounts.app.clock.advance({ hours: 24 });
    expect((await refresh(accounts.app, refreshToken)).body).toEqual(INVALID_TOKEN);
    // Nobody has a copy of the token.
    expect(accounts.events).toEqual([]);
  });

  it('needs a token', async () => {
    const answer = await call(accounts.app, 'POST /auth/refresh', { body: {} });
    expect([answer.status, answer.body]).toEqual([401, { error: 'Missing token', statusCode: 401 }]);
  });
});

describe('log-out', () => {
  it('ends the session immediately, and a second log-out is not an error', async () => {
    const { refreshToken, accessToken } = await login(accounts.app, await accounts.newAccount());
    const answer = await call(accounts.app, 'POST /auth/logout', { body: { refreshToken } });
    expect([answer.status, answer.body]).toEqual([200, { message: 'Logged out' }]);
    expect(await readMeStatus(accounts.app, accessToken)).toBe(401);
    expect((await refresh(accounts.app, refreshToken)).body).toEqual(INVALID_TOKEN);
    expect((await call(accounts.app, 'POST /auth/logout', { body: { refreshToken } })).status).toBe(200);
    expect(await accounts.told()).toEqual(['account.created', 'login', 'logout']);
  });

  it('applies to the next request on another instance', async () => {
    const other = await startApp({ DATABASE_URL: accounts.app.databaseUrl });
    other.clock.advance({ ms: accounts.app.clock.nowMs() - other.clock.nowMs() });
    const { refreshToken, accessToken } = await login(accounts.app, await accounts.newAccount());
    expect(await readMeStatus(other, accessToken)).toBe(200);
    await call(accounts.app, 'POST /auth/logout', { body: { refreshToken } });
    expect(await readMeStatus(other, accessToken)).toBe(401);
    expect(await readMeStatus(accounts.app, accessToken)).toBe(401);
    await other.close();
  });
});

describe('the cookie', () => {
  const findRefreshCookie = (headers: Headers): string =>
    headers.getSetCookie().find((c) => c.startsWith('agw_refresh='))!;
  const loginAnswer = async (headers: Record<string, string> = {}) =>
    call<LoginResponse>(accounts.app, 'POST /auth/login', {
      headers,
      body: { email: await accounts.newAccount(), password: PASSWORD },
    });

  it('keeps the refresh token out of reach of scripts and other sites', async () => {
    const { headers, body } = await loginAnswer();
    const [pair, ...attributes] = findRefreshCookie(headers).split('; ');
    expect(pair).toBe(`agw_refresh=${body.refreshToken}`);
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Strict', 'Path=/auth', 'Max-Age=172800']));
    expect(attributes).not.toContain('Secure');
  });

  it('is Secure under https', async () => {
    const { headers } = await loginAnswer({ 'X-Forwarded-Proto': 'https' });
    expect(findRefreshCookie(headers)).toContain('; Secure');
  });

  it('refreshes and logs out without a body', async () => {
    const { body } = await loginAnswer();
    const Cookie = `theme=dark; agw_refresh=${body.refreshToken}`;
    const second = await call<LoginResponse>(accounts.app, 'POST /auth/refresh', { headers: { Cookie } });
    expect(second.status).toBe(200);
    expect(findRefreshCookie(second.headers)).toContain(second.body.refreshToken);

    const out = await call(accounts.app, 'POST /auth/logout', {
      headers: { Cookie: `agw_refresh=${second.body.refreshToken}` },
    });
    expect(out.status).toBe(200);
    expect(findRefreshCookie(out.headers)).toMatch(/^agw_refresh=; Path=\/auth; Expires=Thu, 01 Jan 1970/);
    expect(await readMeStatus(accounts.app, second.body.accessToken)).toBe(401);
  });

  it('each answer clears the marker that the dashboard sets before a refresh, a refusal too', async () => {
    const answers = [
      await loginAnswer(),
      await call(accounts.app, 'POST /auth/refresh', { headers: { Cookie: 'agw_refresh=spent' } }),
      await call(accounts.app, 'POST /auth/logout', { headers: { Cookie: 'agw_refresh=spent' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401]);
    for (const { headers } of answers) {
      expect(headers.getSetCookie().find((cookie) => cookie.startsWith('agw_refreshing='))).toMatch(
        /^agw_refreshing=; Path=\/dashboard; Expires=Thu, 01 Jan 1970/,
      );
    }
  });

  it('is ignored when the body has a token', async () => {
    const cookie = (await loginAnswer()).body.refreshToken;
    const { refreshToken } = (await loginAnswer()).body;
    const headers = { Cookie: `agw_refresh=${cookie}` };
    expect((await call(accounts.app, 'POST /auth/refresh', { headers, body: { refreshToken } })).status).toBe(200);
    expect((await refresh(accounts.app, cookie)).status).toBe(200);
  });

  it.each(['cross-site', 'same-site'])('is not accepted from a %s request', async (site) => {
    const { body } = await loginAnswer();
    const headers = { Cookie: `agw_refresh=${body.refreshToken}`, 'Sec-Fetch-Site': site };
    expect((await call(accounts.app, 'POST /auth/refresh', { headers })).status).toBe(401);
    expect((await refresh(accounts.app, body.refreshToken)).status).toBe(200);
  });
});

it('keeps parallel requests of different users apart', async () => {
  const people: LoginResponse[] = [];
  for (let i = 0; i < 4; i++) people.push(await login(accounts.app, await accounts.newAccount()));
  const asked = Array.from({ length: 60 }, (_, i) => people[i % people.length]);
  const answers = await Promise.all(
    asked.map(({ accessToken: token }) => call<{ user: User }>(accounts.app, 'GET /auth/me', { token })),
  );
  expect(answers.map(({ body }) => body.user)).toEqual(asked.map(({ user }) => user));
});

it('records the user, the address and the request, and never a secret', async () => {
  const email = await accounts.newAccount();
  const answer = await call<LoginResponse>(accounts.app, 'POST /auth/login', {
    body: { email, password: PASSWORD },
    headers: { 'X-Request-Id': 'req-1', 'User-Agent': 'Lynx/2.9', 'X-Forwarded-For': '192.0.2.8' },
  });
  await accounts.app.settled();
  const { id, name } = answer.body.user;
  expect(accounts.events.at(-1)).toEqual({
    at: expect.any(Date),
    action: 'login',
    user: { id, name },
    address: '192.0.2.8',
    userAgent: 'Lynx/2.9',
    requestId: 'req-1',
  });
});

it('stores only hashes of passwords and tokens', async () => {
  const email = await accounts.newAccount();
  const { accessToken, refreshToken } = await login(accounts.app, email);
  const dump = JSON.stringify([
    await accounts.app.database.query('SELECT * FROM users'),
    await accounts.app.database.query('SELECT * FROM sessions'),
    await accounts.app.database.query('SELECT * FROM login_attempts'),
  ]);
  expect(dump).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
  for (const secret of [PASSWORD, accessToken, refreshToken, refreshToken.split('.')[2]]) {
    expect(dump).not.toContain(secret);
  }
});

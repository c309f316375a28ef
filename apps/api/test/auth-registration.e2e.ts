import type { SetupState, User } from '#contracts';
import { call, login, PASSWORD, register } from './support/accounts.js';
import { startApp, type TestApp } from './support/start-app.js';

describe('registration', () => {
  const apps: TestApp[] = [];
  const start = async (overrides: Record<string, string> = {}): Promise<TestApp> => {
    const app = await startApp(overrides);
    apps.push(app);
    return app;
  };
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });

  it('is open for the first account and closed after it', async () => {
    const app = await start();
    const before = await call<SetupState>(app, 'GET /auth/setup');
    expect(before.body).toEqual({
      setupRequired: true,
      setupTokenRequired: false,
      registrationOpen: false,
      publicUrl: null,
    });

    const created = await call<{ user: User }>(app, 'POST /auth/register', {
      body: { email: ' Ada@Example.com ', password: PASSWORD, id: 77, createdAt: '2000-01-01T00:00:00.000Z' },
    });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      user: { id: 1, email: 'Ada@Example.com', name: 'Ada', createdAt: expect.stringMatching(/^20[2-9]\d-.*Z$/) },
    });
    expect(new Date(created.body.user.createdAt).getFullYear()).toBeGreaterThan(2000);

    const second = await call(app, 'POST /auth/register', { body: { email: 'eve@example.com', password: PASSWORD } });
    expect([second.status, second.body]).toEqual([403, { error: 'Registration is closed', statusCode: 403 }]);
    expect((await call<SetupState>(app, 'GET /auth/setup')).body.setupRequired).toBe(false);
  });

  it('lets only one of many parallel first registrations succeed, across two instances', async () => {
    const one = await start();
    const two = await start({ DATABASE_URL: one.databaseUrl });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        call(i % 2 ? one : two, 'POST /auth/register', { body: { email: `user${i}@example.com`, password: PASSWORD } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(11).fill(403)]);
    expect(await one.database.query('SELECT count(*)::int AS n FROM users')).toEqual([{ n: 1 }]);
  });

  it('needs the setup token only for the first account', async () => {
    const app = await start({ SETUP_TOKEN: 'only-the-operator-knows', ALLOW_REGISTRATION: 'true' });
    const body = { email: 'ada@example.com', password: PASSWORD };
    for (const setupToken of [undefined, '', 'wrong', 'only-the-operator-know', 'only the-operator-knows']) {
      const refused = await call(app, 'POST /auth/register', { body: { ...body, setupToken } });
      expect([setupToken, refused.status]).toEqual([setupToken, 403]);
      expect(refused.body.error).toBe('Setup token is missing or wrong');
    }
    // As people paste it.
    await register(app, 'ada@example.com', { setupToken: 'only-the-operator-knows\n' });
    await register(app, 'bob@example.com');
  });

  it('returns 409 for an e-mail that differs only in letter case, also in a race', async () => {
    const app = await start({ ALLOW_REGISTRATION: 'true' });
    const answers = await Promise.all(
      ['ada@example.com', 'ADA@example.com', 'Ada@Example.COM'].map((email) =>
        call(app, 'POST /auth/register', { body: { email, password: PASSWORD } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body.error).toBe('An account with this e-mail already exists');
  });

  it('creates the account of ADMIN_EMAIL once when two instances start together', async () => {
    const admin = { ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: PASSWORD };
    const empty = await start();
    const both = { ...admin, DATABASE_URL: empty.databaseUrl };
    const [one] = await Promise.all([start(both), start(both)]);
    await login(one, 'ROOT@example.com');
    expect(await one.database.query('SELECT count(*)::int AS n FROM users')).toEqual([{ n: 1 }]);

    const later = await start({ ...both, ADMIN_EMAIL: 'other@example.com' });
    const refused = await call(later, 'POST /auth/login', { body: { email: 'other@example.com', password: PASSWORD } });
    expect(refused.status).toBe(401);
  });

  it.each([
    [{ email: 'ada@example.com', password: 'short' }, /^password: /],
    [{ email: 'ada@example.com', password: 'x'.repeat(129) }, /^password: /],
    [{ email: 'not-an-address', password: PASSWORD }, /^email: /],
    [{ email: ['ada@example.com'], password: PASSWORD }, /^email: /],
    [{ email: 'ada@example.com', password: PASSWORD, name: '  ' }, /^name: /],
    [{}, /^email: .*; password: /],
  ])('refuses %j', async (body, text) => {
    const app = await start();
    const answer = await call(app, 'POST /auth/register', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatch(text);
  });
});

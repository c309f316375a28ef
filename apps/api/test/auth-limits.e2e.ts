import { call, login, PASSWORD } from './support/accounts.js';
import { AccountsApp } from './support/accounts-app.js';
import { startApp, type TestApp } from './support/start-app.js';

const accounts = new AccountsApp();

describe('the limit of failed log-ins', () => {
  const attempt = (on: TestApp, email: string, address: string, password = 'wrong password') =>
    call(on, 'POST /auth/login', { body: { email, password }, headers: { 'X-Forwarded-For': address } });

  it('is ten for one account and address, applies across two instances, and resets after 15 minutes', async () => {
    const email = await accounts.newAccount();
    const other = await startApp({ DATABASE_URL: accounts.app.databaseUrl, TRUST_PROXY: 'true' });
    const firstMs = Date.now();
    for (let i = 0; i < 10; i++) {
      expect((await attempt(i % 2 ? accounts.app : other, email, '203.0.113.1')).status).toBe(401);
    }
    const refused = await attempt(other, email, '203.0.113.1', PASSWORD);
    expect([refused.status, refused.body]).toEqual([
      429,
      { error: 'Too many failed logins. Try again later.', statusCode: 429 },
    ]);
    const seconds = Number(refused.headers.get('retry-after'));
    // The limit lasts a quarter of an hour from the first attempt.
    expect(seconds).toBeGreaterThanOrEqual(900 - (Date.now() - firstMs) / 1000 - 1);
    expect(seconds).toBeLessThanOrEqual(900);
    await other.close();

    // The owner can log in from another address, and another account can log in from this address.
    expect((await attempt(accounts.app, email, '203.0.113.2', PASSWORD)).status).toBe(200);
    expect((await attempt(accounts.app, await accounts.newAccount(), '203.0.113.1', PASSWORD)).status).toBe(200);
    accounts.app.clock.advance({ seconds });
    expect((await attempt(accounts.app, email, '203.0.113.1', PASSWORD)).status).toBe(200);
  });

  it('is thirty for one address, for all accounts together, existing or not', async () => {
    for (let i = 0; i < 30; i++) {
      expect((await attempt(accounts.app, `guess${i}@example.com`, '203.0.113.3')).status).toBe(401);
    }
    expect((await attempt(accounts.app, await accounts.newAccount(), '203.0.113.3', PASSWORD)).status).toBe(429);
  });

  it('counts the whole IPv6 network of a host as one address', async () => {
    const email = await accounts.newAccount();
    for (let i = 0; i < 10; i++)
      expect((await attempt(accounts.app, email, `2001:db8:1:2::${i + 1}`)).status).toBe(401);
    expect((await attempt(accounts.app, email, '2001:db8:1:2:ffff::1')).status).toBe(429);
    expect((await attempt(accounts.app, email, '2001:db8:1:3::1', PASSWORD)).status).toBe(200);
  });

  it('lets no more than ten of forty parallel guesses through, across two instances', async () => {
    const email = await accounts.newAccount();
    const settings = { DATABASE_URL: accounts.app.databaseUrl, DATABASE_POOL_SIZE: '20', TRUST_PROXY: 'true' };
    const both = [await startApp(settings), await startApp(settings)];
    // Each log-in has seen no earlier one, and waits between its INSERT and its commit.
    await accounts.app.database.query(`
      CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
      CREATE TRIGGER wait_for_test AFTER INSERT ON login_attempts
        FOR EACH ROW EXECUTE FUNCTION wait_for_test();
    `);
    const guesses = await accounts.whileHeld('SELECT pg_advisory_xact_lock(1)', 40, () =>
      Array.from({ length: 40 }, (_, i) => attempt(both[i % 2], email, '203.0.113.4')),
    );
    const answers = await Promise.all(guesses);
    const tried = answers.filter(({ status }) => status === 401).length;
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - tried);
    expect(tried).toBeLessThanOrEqual(10);
    for (const each of both) await each.close();
    await accounts.app.database.query('DROP FUNCTION wait_for_test CASCADE');
  });

  it('forgets failed attempts after the right password', async () => {
    const email = await accounts.newAccount();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 9; i++) expect((await attempt(accounts.app, email, '203.0.113.5')).status).toBe(401);
      expect((await attempt(accounts.app, email, '203.0.113.5', PASSWORD)).status).toBe(200);
    }
  });

  it('applies to guesses of the current password too', async () => {
    const email = await accounts.newAccount();
    const { accessToken: token } = await login(accounts.app, email);
    const guess = () =>
      call(accounts.app, 'POST /auth/password', {
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

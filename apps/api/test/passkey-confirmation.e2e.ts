import type { AuthMethods, Confirmation, CreatedAccessToken, Passkey, Workspace } from '#contracts';
import { call, login, PASSWORD } from './support/accounts.js';
import type { Authenticator, Bend } from './support/authenticator.js';
import { ORIGIN, PasskeyApp, REFUSED } from './support/passkey-app.js';
import { startApp } from './support/start-app.js';

const passkeys = new PasskeyApp();

describe('confirming with a passkey', () => {
  async function confirmWith(token: string, device: Authenticator, bend?: Bend) {
    const { options, cookie } = await passkeys.begin('/auth/confirm/options', token);
    return passkeys.send<Confirmation & { error?: string }>(
      '/auth/confirm',
      { passkey: device.sign(options, bend) },
      { cookie, token },
    );
  }

  it('confirms the session, also if the device does not name the owner of the passkey', async () => {
    const { email, device } = await passkeys.withPasskey();
    const token = (await login(passkeys.app, email)).accessToken;
    const { status, body } = await confirmWith(token, device, { userHandle: null });
    expect([status, body]).toEqual([200, { confirmedUntil: expect.any(String), password: true, passkey: true }]);
    await passkeys.app.settled();
    expect(passkeys.told).toContain('session.confirmed');
  });

  it.each<[string, Bend]>([
    ['a device that did not verify its person', { flags: 0x01 }],
    ['the handle of another person', { userHandle: 'c29tZWJvZHk' }],
  ])('refuses %s with 403, so that the session continues', async (_what, bend) => {
    const { email, device } = await passkeys.withPasskey();
    const token = (await login(passkeys.app, email)).accessToken;
    const { status, body } = await confirmWith(token, device, bend);
    expect([status, body.error]).toEqual([403, 'Passkey not accepted']);
    expect((await call<Confirmation>(passkeys.app, 'GET /auth/confirm', { token })).body.confirmedUntil).toBeNull();
    await passkeys.app.settled();
    expect(passkeys.told).toContain('session.confirm_failed');
  });

  it('refuses the passkey of another person', async () => {
    const { device } = await passkeys.withPasskey();
    const { token } = await passkeys.newPerson();
    expect((await confirmWith(token, device)).status).toBe(403);
  });

  it('needs either password or passkey', async () => {
    const { token, device } = await passkeys.withPasskey();
    const { options, cookie } = await passkeys.begin('/auth/confirm/options', token);
    const both = { password: PASSWORD, passkey: device.sign(options) };
    for (const body of [{}, both]) {
      const answer = await passkeys.send('/auth/confirm', body, { cookie, token });
      expect([answer.status, answer.body.error]).toEqual([400, 'Send either password or passkey']);
    }
  });

  it('is closed to personal access tokens', async () => {
    const { token } = await passkeys.newPerson();
    const [{ id: workspaceId }] = (await call<Workspace[]>(passkeys.app, 'GET /workspaces', { token })).body;
    const body = { name: 'ci', workspaceId, role: 'owner', expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
    const made = await call<CreatedAccessToken>(passkeys.app, 'POST /auth/tokens', { token, body });
    for (const route of ['POST /auth/confirm/options', 'POST /auth/passkeys/options', 'GET /auth/passkeys']) {
      expect((await call(passkeys.app, route, { token: made.body.token })).status).toBe(403);
    }
  });
});

describe('a passkey', () => {
  it('is renamed and removed by its owner only; after that it opens nothing', async () => {
    const { token, device, passkey } = await passkeys.withPasskey();
    const stranger = await passkeys.newPerson();
    await passkeys.confirm(stranger.token);
    const path = `/auth/passkeys/${passkey.id}`;
    for (const route of [`PATCH ${path}`, `DELETE ${path}`]) {
      const body = route.startsWith('PATCH') ? { name: 'Mine' } : undefined;
      const refused = await call(passkeys.app, route, { token: stranger.token, body });
      expect([refused.status, refused.body.error]).toEqual([404, 'Passkey not found']);
    }
    const renamed = await call<Passkey>(passkeys.app, `PATCH ${path}`, { token, body: { name: 'Old phone' } });
    expect(renamed.body).toEqual({ ...passkey, name: 'Old phone' });
    await passkeys.app.database.query('UPDATE sessions SET confirmed_at = NULL');
    const unconfirmed = await call(passkeys.app, `DELETE ${path}`, { token });
    expect([unconfirmed.status, unconfirmed.body.error]).toEqual([403, 'Confirm first that it is you']);
    expect(await passkeys.list(token)).toHaveLength(1);
    await passkeys.confirm(token);
    expect((await call(passkeys.app, `DELETE ${path}`, { token })).status).toBe(200);
    expect(await passkeys.list(token)).toEqual([]);
    expect((await passkeys.signIn(device)).body).toEqual(REFUSED);
    await passkeys.app.settled();
    expect(passkeys.told).toContain('passkey.removed');
  });

  it('is not removed if it is the only way to log in, even by two calls at once', async () => {
    const { email, token, passkey } = await passkeys.withPasskey();
    const second = await passkeys.add(token);
    await passkeys.app.database.query('UPDATE users SET password_hash = NULL WHERE email = $1', [email]);
    const answers = await Promise.all(
      [passkey, second].map(({ id }) => call(passkeys.app, `DELETE /auth/passkeys/${id}`, { token })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await passkeys.list(token)).toHaveLength(1);
  });
});

describe('a gateway with other settings', () => {
  it.each([[{}], [{ PUBLIC_URL: 'http://gateway.example.com' }], [{ PUBLIC_URL: 'https://203.0.113.5' }]])(
    'has passkeys off, and the answer says why: %j',
    async (settings) => {
      const other = await startApp({ DATABASE_URL: passkeys.app.databaseUrl, ...settings });
      const { token } = await passkeys.newPerson();
      await passkeys.confirm(token);
      const off = { error: 'Passkeys need PUBLIC_URL: https, with a host name', statusCode: 404 };
      expect((await call<AuthMethods>(other, 'GET /auth/methods')).body.passkeys).toBe(false);
      expect((await call(other, 'POST /auth/passkeys/login/options')).body).toEqual(off);
      expect((await call(other, 'POST /auth/passkeys/options', { token })).body).toEqual(off);
      expect((await call(other, 'POST /auth/confirm/options', { token })).body).toEqual(off);
      await other.close();
    },
  );

  it('with PASSWORD_LOGIN=false lets passkeys confirm, but everybody logs in at the provider', async () => {
    const other = await startApp({
      DATABASE_URL: passkeys.app.databaseUrl,
      PUBLIC_URL: ORIGIN,
      PASSWORD_LOGIN: 'false',
      OIDC_ISSUER: 'http://127.0.0.1:9',
      OIDC_CLIENT_ID: 'x',
      OIDC_CLIENT_SECRET: 'y',
    });
    const { token } = await passkeys.withPasskey();
    expect((await call<AuthMethods>(other, 'GET /auth/methods')).body.passkeys).toBe(false);
    expect((await call(other, 'POST /auth/passkeys/login/options')).body).toEqual({
      error: 'Logging in with a passkey is turned off',
      statusCode: 403,
    });
    expect((await call(other, 'POST /auth/confirm/options', { token })).status).toBe(200);
    await other.close();
  });
});

import { login, PASSWORD } from '../support/accounts.js';
import { Authenticator } from '../support/authenticator.js';
import { BAD_ID, METRICS_TOKEN, NO_ID, PUBLIC_URL, type DescribedGateway } from './described-gateway.js';

export async function ofAccounts({ check, gateway }: DescribedGateway): Promise<void> {
  await check('GET /health', 200);
  await check('GET /ready', 200);
  await check('GET /metrics', 200, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } });
  await check('GET /metrics', 401);
  await check('GET /admin/status', 200);
  await check('POST /admin/model/test', 200);
  await check('GET /auth/setup', 200);
  await check('POST /auth/register', 403, { body: { email: 'b@example.com', password: PASSWORD } });
  await check('POST /auth/register', 400, { body: {} });
  await check('POST /auth/login', 401, { body: { email: 'b@example.com', password: PASSWORD } });
  const body = { email: 'ada@example.com', password: PASSWORD };
  const { refreshToken } = await check<{ refreshToken: string }>('POST /auth/login', 200, { body });
  const spent = await check<{ refreshToken: string }>('POST /auth/refresh', 200, { body: { refreshToken } });
  await check('POST /auth/logout', 200, { body: { refreshToken: spent.refreshToken } });
  await check('POST /auth/refresh', 401, { body: { refreshToken } });
  await check('GET /auth/me', 200);
  await check('PATCH /auth/me', 200, { body: { name: 'Ada' } });
  await check('PATCH /auth/me', 400, { body: { name: 1 } });
  await login(gateway.app, 'ada@example.com');
  const sessions = await check<{ id: string; current: boolean }[]>('GET /auth/sessions', 200);
  const other = sessions.find(({ current }) => !current);
  await check('DELETE /auth/sessions/{id}', 200, { path: [other!.id] });
  await check('DELETE /auth/sessions/{id}', 404, { path: ['00000000-0000-4000-8000-000000000000'] });
  await check('DELETE /auth/sessions', 200);
  const change = { currentPassword: PASSWORD, newPassword: 'another long password' };
  await check('POST /auth/password', 200, { body: change });
  await check('POST /auth/password', 403, { body: change });
  await check('POST /auth/password', 200, {
    body: { currentPassword: change.newPassword, newPassword: PASSWORD },
  });
}

export async function ofConfirmations({ check }: DescribedGateway): Promise<void> {
  await check('GET /auth/confirm', 200);
  await check('POST /auth/confirm', 200, { body: { password: PASSWORD } });
  await check('POST /auth/confirm', 400, { body: {} });
  await check('POST /auth/confirm', 403, { body: { password: 'wrong' } });
  await check('POST /auth/confirm/options', 200);
}

export async function ofPasskeys({ check, answerOptions }: DescribedGateway): Promise<void> {
  await check('POST /auth/passkeys/options', 200);
  const device = new Authenticator(PUBLIC_URL);
  const added = await answerOptions<{ id: number }>('/auth/passkeys/options', '/auth/passkeys', 201, (options) => ({
    name: 'Phone',
    passkey: device.register(options),
  }));
  await check('POST /auth/passkeys', 400, { body: {} });
  await check('GET /auth/passkeys', 200);
  await check('PATCH /auth/passkeys/{id}', 200, { path: [added.id], body: { name: 'Old phone' } });
  await check('PATCH /auth/passkeys/{id}', 400, { path: [added.id], body: {} });
  await check('PATCH /auth/passkeys/{id}', 404, { ...NO_ID, body: { name: 'Phone' } });
  await check('POST /auth/passkeys/login/options', 200);
  await check('POST /auth/passkeys/login', 400, { body: {} });
  const signed = (options: object) => ({ passkey: device.sign(options) });
  await answerOptions('/auth/passkeys/login/options', '/auth/passkeys/login', 200, signed);
  await answerOptions('/auth/confirm/options', '/auth/confirm', 200, signed);
  const bent = (options: object) => ({ passkey: device.sign(options, { flags: 0 }) });
  await answerOptions('/auth/passkeys/login/options', '/auth/passkeys/login', 401, bent);
  await answerOptions('/auth/confirm/options', '/auth/confirm', 403, bent);
  await check('DELETE /auth/passkeys/{id}', 200, { path: [added.id] });
  await check('DELETE /auth/passkeys/{id}', 404, NO_ID);
  await check('DELETE /auth/passkeys/{id}', 400, BAD_ID);
}

export async function ofSingleSignOn({ check, gateway }: DescribedGateway): Promise<void> {
  await check('GET /auth/methods', 200);
  await check('GET /auth/oidc/start', 302);
  await check('GET /auth/oidc/callback', 302);
  await gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
  await check('POST /auth/oidc/link', 403);
  await check('POST /auth/confirm', 200, { body: { password: PASSWORD } });
  await check('POST /auth/oidc/link', 200);
  await gateway.app.database.query(
    `INSERT INTO identities (user_id, issuer, subject, email, created_at, last_used_at)
     SELECT id, 'https://id.example.com', 'ada', email, now(), now() FROM users`,
  );
  const [{ id }] = await check<{ id: number }[]>('GET /auth/oidc/identities', 200);
  await check('DELETE /auth/oidc/identities/{id}', 200, { path: [id] });
  await check('DELETE /auth/oidc/identities/{id}', 404, NO_ID);
  await check('DELETE /auth/oidc/identities/{id}', 400, BAD_ID);
}

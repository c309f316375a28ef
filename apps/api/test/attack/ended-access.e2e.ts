import type { LoginResponse } from '#contracts';
import { call, login, PASSWORD, readMeStatus, refresh, register } from '../support/accounts.js';
import { startGateway, type Gateway } from '../support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  await register(gateway.app, 'bob@example.com');
});
afterAll(() => gateway?.close());

describe('the end of a session on one instance', () => {
  let second: Gateway;
  beforeAll(async () => {
    second = await gateway.secondInstance({ ALLOW_REGISTRATION: 'true' });
  });
  afterAll(() => second?.app.close());

  const sessionId = ({ accessToken }: LoginResponse): string =>
    (JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString()) as { sid: string }).sid;
  const ways: [string, (ended: LoginResponse, other: LoginResponse) => Promise<{ status: number }>, number][] = [
    ['log-out', ({ refreshToken }) => call(gateway.app, 'POST /auth/logout', { body: { refreshToken } }), 200],
    [
      'its revocation',
      (ended, { accessToken }) =>
        call(gateway.app, `DELETE /auth/sessions/${sessionId(ended)}`, { token: accessToken }),
      200,
    ],
    [
      'the revocation of all others',
      (_ended, { accessToken }) => call(gateway.app, 'DELETE /auth/sessions', { token: accessToken }),
      200,
    ],
    [
      'a new password',
      (_ended, { accessToken }) =>
        call(gateway.app, 'POST /auth/password', {
          token: accessToken,
          body: { currentPassword: PASSWORD, newPassword: PASSWORD },
        }),
      200,
    ],
    [
      'a reused refresh token',
      async ({ refreshToken }) => {
        await refresh(gateway.app, refreshToken);
        return refresh(gateway.app, refreshToken);
      },
      401,
    ],
  ];

  it('also rejects requests with an idempotency key on another instance after the agent is deleted', async () => {
    const send = (apiKey: string, method: string, n: number) =>
      second.proxy({ method, idempotencyKey: `${apiKey.slice(-8)}-${n}` }, { 'Agent-Key': apiKey });
    gateway.model.answer({ score: 0 });
    for (const [n, method] of ['POST', 'PATCH', 'GET'].entries()) {
      const { agent, apiKey } = await gateway.createAgent(`short-lived-${n}`, [gateway.service.id]);
      expect((await send(apiKey, method, 0)).status).toBe(200);
      await gateway.admin(`DELETE /agents/${agent.id}`);
      expect([method, (await send(apiKey, method, 1)).status]).toEqual([method, 401]);
    }
  });

  it.each(ways)('by %s applies to the next request on the other instance', async (_name, end, status) => {
    const ended = await login(gateway.app, 'bob@example.com');
    const other = await login(gateway.app, 'bob@example.com');
    expect([
      await readMeStatus(gateway.app, ended.accessToken),
      await readMeStatus(second.app, ended.accessToken),
    ]).toEqual([200, 200]);
    expect((await end(ended, other)).status).toBe(status);
    expect([
      await readMeStatus(second.app, ended.accessToken),
      await readMeStatus(gateway.app, ended.accessToken),
    ]).toEqual([401, 401]);
    expect((await refresh(second.app, ended.refreshToken)).status).toBe(401);
  });
});

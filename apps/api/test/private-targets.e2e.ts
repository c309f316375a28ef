import type { GatewayStatus, HeldResponse, TestServiceResult } from '#contracts';
import { call, PASSWORD } from './support/accounts.js';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';
import { createAgent, createService, signUp } from './support/resources.js';

/** The upstream is at a private address that the operator has listed. Ada has the first account; Eve is a stranger. */
const REFUSED = 'Access to private IP ranges is forbidden';
const NOT_CREATED_AT_START = { ADMIN_EMAIL: 'Eve@Example.com', ADMIN_PASSWORD: PASSWORD };

let gateway: Gateway;
let eve: { token: string; service: number; agentKey: string };
beforeAll(async () => {
  gateway = await startGateway({ PRIVATE_TARGET_ACCESS: 'admins', ALLOW_REGISTRATION: 'true' });
  const token = await signUp(gateway.app, 'eve@example.com');
  const service = await createService(gateway.app, token, { name: 'Shop', baseUrl: `${gateway.upstream.url}/v1` });
  const { apiKey } = await createAgent(gateway.app, token, [service.id]);
  eve = { token, service: service.id, agentKey: apiKey };
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.model.answer({ score: 0 });
});

const proxyAsEve = (at: Gateway, headers = {}, body = {}): Promise<ProxyAnswer> =>
  at.proxy(body, { 'Agent-Key': eve.agentKey, ...headers });

it('an installation administrator reaches private targets', async () => {
  expect((await gateway.proxy()).status).toBe(200);
});

it('other users are refused as for any private address, on every path, and no socket is opened', async () => {
  const all = await gateway.secondInstance({ PRIVATE_TARGET_ACCESS: 'all' });
  gateway.model.answer({ score: 0.9 });
  const held = await proxyAsEve(all, {}, { method: 'DELETE' });
  const { action_id: id } = held.json<HeldResponse>();
  await gateway.tryAdmin(`PATCH /approvals/${id}/approve`, {}, eve.token);
  await all.app.close();
  gateway.model.answer({ score: 0 });
  const before = gateway.upstream.connections;
  const key = { 'Agent-Key': eve.agentKey };
  const answers = [
    await proxyAsEve(gateway),
    await proxyAsEve(gateway, { Prefer: 'handling=dry-run' }),
    await proxyAsEve(gateway, { 'Idempotency-Key': 'x' }, { method: 'POST', body: '{}' }),
    await gateway.agentCall('GET', '/s/Shop/customers', undefined, key),
    await gateway.execute(id, key),
  ];
  expect(answers.map((answer) => [answer.status, answer.json().error])).toEqual(answers.map(() => [403, REFUSED]));
  const { body: tested } = await gateway.tryAdmin<TestServiceResult>(
    `POST /services/${eve.service}/test`,
    {},
    eve.token,
  );
  expect(tested).toMatchObject({ status: null, reason: REFUSED });
  const request = { serviceId: eve.service, method: 'GET', targetUrl: `${gateway.upstream.url}/v1/x`, intent: 'look' };
  const { body: assessed } = await gateway.tryAdmin('POST /risk/assess', request, eve.token);
  expect(assessed).toEqual({ error: REFUSED, statusCode: 403 });
  expect(gateway.upstream.connections).toBe(before);
});

it.each([
  ['the ADMIN_EMAIL of that user', NOT_CREATED_AT_START],
  ['PRIVATE_TARGET_ACCESS=all', { PRIVATE_TARGET_ACCESS: 'all' }],
])('another user reaches private targets with %s', async (_name, environment) => {
  const other = await gateway.secondInstance({ PRIVATE_TARGET_ACCESS: 'admins', ...environment });
  expect((await proxyAsEve(other)).status).toBe(200);
  await other.app.close();
});

it('a stranger does not become an administrator by registering with the address of ADMIN_EMAIL', async () => {
  const other = await gateway.secondInstance({
    ALLOW_REGISTRATION: 'true',
    ADMIN_EMAIL: 'Operator@Example.com',
    ADMIN_PASSWORD: PASSWORD,
  });
  const answer = await call(other.app, 'POST /auth/register', {
    body: { email: 'operator@example.COM', password: PASSWORD },
  });
  expect([answer.status, answer.body]).toEqual([403, { error: 'Registration is closed', statusCode: 403 }]);
  await other.app.close();
});

it('the list is shown to administrators of the installation only', async () => {
  const own = await gateway.admin<GatewayStatus>('GET /admin/status');
  expect(own.privateTargetAllowlist).toEqual([gateway.upstream.hostAndPort]);
  const { body } = await gateway.tryAdmin('GET /admin/status', undefined, eve.token);
  expect(body).toEqual({ error: 'Only installation administrators may do this', statusCode: 403 });
});

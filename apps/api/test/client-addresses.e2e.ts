/** A proxy may send the address of a client with a port or in brackets. Every part of the gateway reads the same address. */
import type { Session } from '#contracts';
import { call, login, PASSWORD, register } from './support/accounts.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { startApp } from './support/start-app.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ TRUST_PROXY: '1', ALLOW_REGISTRATION: 'true' });
});
afterAll(() => gateway.close());

const FORMS = [
  ['203.0.113.7:51234', '203.0.113.7'],
  ['[2001:db8::5]:443', '2001:db8::5'],
  ['[2001:DB8::6]', '2001:db8::6'],
  ['::ffff:203.0.113.8', '203.0.113.8'],
  ['198.51.100.1, 203.0.113.9:80', '203.0.113.9'],
] as const;

it.each(FORMS)('a session from %s shows %s', async (sent, address) => {
  const email = `ann${address.replaceAll(/[.:]/g, '')}@example.com`;
  await register(gateway.app, email);
  const { body } = await call<{ accessToken: string }>(gateway.app, 'POST /auth/login', {
    body: { email, password: PASSWORD },
    headers: { 'X-Forwarded-For': sent },
  });
  const sessions = await call<Session[]>(gateway.app, 'GET /auth/sessions', { token: body.accessToken });
  expect(sessions.body.map((session) => session.address)).toContain(address);
});

it('the limit of log-ins counts one address with different ports as one address', async () => {
  const attempt = (port: number) =>
    call(gateway.app, 'POST /auth/login', {
      body: { email: 'ada@example.com', password: 'wrong password' },
      headers: { 'X-Forwarded-For': `[2001:db8:9::1]:${port}` },
    });
  for (let port = 1; port <= 10; port++) expect((await attempt(port)).status).toBe(401);
  expect((await attempt(11)).status).toBe(429);
});

it.each(FORMS)('an agent that may come from one address comes from %s', async (sent, address) => {
  const { apiKey, agent } = await gateway.createAgent(`bot ${address}`, [gateway.service.id]);
  await gateway.admin(`PUT /agents/${agent.id}`, { addresses: [address] });
  const answer = await gateway.proxy({}, { 'Agent-Key': apiKey, 'X-Forwarded-For': sent });
  expect(answer.status).toBe(200);
  const other = await gateway.proxy({}, { 'Agent-Key': apiKey, 'X-Forwarded-For': '203.0.113.99:51234' });
  expect([other.status, other.text]).toEqual([403, expect.stringContaining('203.0.113.99')]);
  expect(other.text).not.toContain('51234');
});

it('a trusted proxy is recognised although its own address has a port', async () => {
  const app = await startApp({ DATABASE_URL: gateway.app.databaseUrl, TRUST_PROXY: 'loopback, 198.51.100.0/24' });
  const { body } = await call<{ accessToken: string }>(app, 'POST /auth/login', {
    body: { email: 'ada@example.com', password: PASSWORD },
    headers: { 'X-Forwarded-For': '203.0.113.20:1, 198.51.100.4:55' },
  });
  const sessions = await call<Session[]>(app, 'GET /auth/sessions', { token: body.accessToken });
  expect(sessions.body.map((session) => session.address)).toContain('203.0.113.20');
  await app.close();
});

it('a session from an invalid address shows no address', async () => {
  const { accessToken } = await login(gateway.app, 'ada@example.com');
  await call(gateway.app, 'POST /auth/login', {
    body: { email: 'ada@example.com', password: PASSWORD },
    headers: { 'X-Forwarded-For': '<script>:443' },
  });
  const sessions = await call<Session[]>(gateway.app, 'GET /auth/sessions', { token: accessToken });
  expect(sessions.body.map((session) => session.address)).toContain(null);
});

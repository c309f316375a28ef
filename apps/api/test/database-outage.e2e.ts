import { EventHub } from '../src/events/event-hub.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { expectEnvelope, JSON_TYPE, sendPlain } from './support/plain-http.js';
import { startDatabaseProxy, type TcpProxy } from './support/tcp-proxy.js';

let gateway: Gateway;
let databaseProxy: TcpProxy;
beforeAll(async () => {
  const { link, databaseUrl } = await startDatabaseProxy();
  databaseProxy = link;
  gateway = await startGateway({ DATABASE_URL: databaseUrl });
});
afterAll(async () => {
  await gateway.close();
  await databaseProxy.stop();
});
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.upstream.answer((_call, response) => response.end('{}'));
  gateway.model.answer({ score: 0 });
});

const raw = (method: string, path: string, headers?: Record<string, string>, body?: string | Buffer) =>
  sendPlain(gateway.url, method, path, headers, body);
const admin = () => ({ Authorization: `Bearer ${gateway.token}` });

describe('while the database is unavailable', () => {
  let actionId: string;
  beforeAll(async () => {
    actionId = (await gateway.hold()).action_id;
    await gateway.approve(actionId);
    gateway.model.answer({ score: 0 });
    expect((await gateway.proxy()).status).toBe(200);
    await gateway.app.settled();
    await databaseProxy.stop();
  });

  it('GET /health still returns ok', async () => {
    expect((await raw('GET', '/health')).status).toBe(200);
  });

  it('every other endpoint returns 503 with Retry-After in time', async () => {
    const agent = () => ({ 'Agent-Key': gateway.agentKey });
    const proxy = (method: string, key?: string) =>
      JSON.stringify({
        targetUrl: `${gateway.upstream.url}/v1/x`,
        method,
        intent: 'look',
        ...(key && { idempotencyKey: key }),
      });
    const credentials = JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' });
    const calls: [string, string, Record<string, string>, string?][] = [
      ['GET', '/ready', {}],
      ['POST', '/proxy', { ...agent(), ...JSON_TYPE }, proxy('GET')],
      ['POST', '/proxy', { ...agent(), ...JSON_TYPE }, proxy('POST', 'away')],
      ['POST', '/proxy', { 'Agent-Key': `agt_${'1'.repeat(64)}`, ...JSON_TYPE }, proxy('GET')],
      ['POST', `/proxy/execute/${actionId}`, agent()],
      ['GET', `/status/${actionId}`, agent()],
      ['GET', `/status/${actionId}`, { ...agent(), Prefer: 'wait=60' }],
      ['POST', '/auth/login', JSON_TYPE, credentials],
      ['POST', '/auth/register', JSON_TYPE, credentials],
      ['GET', '/auth/setup', {}],
      ['GET', '/auth/me', admin()],
      ['GET', '/services', admin()],
      ['GET', '/services/1', admin()],
      ['GET', '/agents', admin()],
      ['GET', '/approvals', admin()],
      ['GET', '/approvals/counts', admin()],
      ['PATCH', `/approvals/${actionId}/deny`, { ...admin(), ...JSON_TYPE }, '{}'],
      ['GET', '/audit', admin()],
      ['GET', '/audit/export?format=csv', admin()],
      ['GET', '/audit/stats', admin()],
      ['GET', '/events', admin()],
      ['GET', '/admin/status', admin()],
    ];
    await Promise.all(
      calls.map(async ([method, path, headers, body]) => {
        const answer = await raw(method, path, headers, body);
        expect([method, path, answer.status, answer.body]).toEqual([
          method,
          path,
          503,
          '{"error":"Database connection failed","statusCode":503}',
        ]);
        expectEnvelope(answer, 503, 'Database connection failed');
        expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      }),
    );
  });

  it('nothing is forwarded', async () => {
    await Promise.all(Array.from({ length: 20 }, () => gateway.proxy()));
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('everything works again without a restart when it returns', async () => {
    await databaseProxy.start();
    await eventually(async () => (await raw('GET', '/ready')).status === 200);
    expect((await gateway.proxy()).status).toBe(200);
    expect((await gateway.proxy({ method: 'POST', body: '{}', idempotencyKey: 'back' })).status).toBe(200);
    expect((await gateway.status(actionId)).json()).toMatchObject({ status: 'APPROVED' });
    expect((await gateway.execute(actionId)).status).toBe(200);
    await gateway.admin('GET /services');
    await eventually(() => gateway.app.app.get(EventHub).connected);
  });

  it('a response from the outage is stored before the agent gets it', async () => {
    const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/77` });
    await gateway.approve(action_id);
    const ended = new Promise<void>((resolve) => {
      gateway.upstream.answer((_call, response) => {
        void databaseProxy.stop().then(() => response.end('while away', resolve));
      });
    });
    const executed = gateway.execute(action_id);
    await ended;
    // While the gateway answers these, it also tries to store the response.
    for (let asked = 0; asked < 3; asked++) expect((await raw('GET', '/ready')).status).toBe(503);
    await databaseProxy.start();
    const answer = await executed;
    expect([answer.status, answer.text]).toEqual([200, 'while away']);
    const status = await eventually(async () => {
      const now = await gateway.status(action_id);
      return now.status === 200 && now;
    });
    expect(status.json()).toMatchObject({ status: 'EXECUTED', result: { body: 'while away' } });
    expect(gateway.upstream.calls).toHaveLength(1);
  });
});

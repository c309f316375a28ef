import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { eventually } from './support/eventually.js';
import { SECRET, startGateway, type Gateway } from './support/gateway.js';
import { expectError, heldRequests } from './support/held-requests.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const { target, storedAction, hold, approved } = heldRequests(() => gateway);

describe('POST /proxy/execute/:actionId', () => {
  it('sends the stored request with fresh credentials, and returns the upstream’s response directly', async () => {
    gateway.upstream.answer((_call, response) => {
      response.writeHead(202, { 'Content-Type': 'application/vnd.shop+json', ETag: '"7"' }).end('{"queued":true}');
    });
    const id = await approved({
      method: 'PUT',
      targetUrl: target('/things/a?b=c'),
      headers: { 'X-Custom': 'kept' },
      body: '{"a":1}',
    });
    const answer = await gateway.execute(id);
    expect([answer.status, answer.text]).toEqual([202, '{"queued":true}']);
    expect(answer.headers.get('x-proxy-status')).toBe('executed-approved');
    expect(answer.headers.get('x-idempotency-status')).toBeNull();
    expect(answer.headers.get('content-type')).toBe('application/vnd.shop+json');
    expect(answer.headers.get('etag')).toBe('"7"');
    expect(gateway.upstream.calls).toHaveLength(1);
    expect(gateway.upstream.calls[0]).toMatchObject({ method: 'PUT', path: '/v1/things/a?b=c' });
    expect(gateway.upstream.calls[0].body.toString()).toBe('{"a":1}');
    expect(gateway.upstream.calls[0].headers).toMatchObject({
      'x-custom': 'kept',
      'content-type': 'application/json',
      authorization: `Bearer ${SECRET}`,
    });
  });

  it('passes on any status of the upstream', async () => {
    gateway.upstream.answer((_call, response) => response.writeHead(503).end('busy'));
    const id = await approved();
    expect((await gateway.execute(id)).status).toBe(503);
    expect((await storedAction(id)).status).toBe('EXECUTED');
  });

  it('401 without a valid agent key', async () => {
    const id = await approved();
    expectError(await gateway.execute(id, { 'Agent-Key': '' }), 401, 'Missing Agent-Key header');
    expectError(await gateway.execute(id, { 'Agent-Key': 'x' }), 401, 'Invalid Agent-Key format');
    expectError(await gateway.execute(id, { 'Agent-Key': `agt_${'0'.repeat(64)}` }), 401, 'Invalid Agent-Key');
  });

  it('401 after the agent is revoked', async () => {
    const { agent, apiKey } = await gateway.createAgent('revoked-bot', [gateway.service.id]);
    const id = await approved({}, { 'Agent-Key': apiKey });
    await gateway.admin(`PUT /agents/${agent.id}`, { isActive: false });
    expectError(await gateway.execute(id, { 'Agent-Key': apiKey }), 401, 'Agent key has been revoked');
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('404 for an unknown action, and for an action of another agent', async () => {
    const id = await approved();
    const { apiKey } = await gateway.createAgent('other-bot', [gateway.service.id]);
    for (const answer of [
      await gateway.execute(id, { 'Agent-Key': apiKey }),
      await gateway.status(id, { 'Agent-Key': apiKey }),
      await gateway.execute(randomUUID()),
      await gateway.status(randomUUID()),
      await gateway.execute('no-uuid'),
      await gateway.status('no-uuid'),
    ]) {
      expectError(answer, 404, 'Action not found');
    }
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('409 with the status unless it is APPROVED', async () => {
    const pending = (await hold()).action_id;
    const denied = (await hold()).action_id;
    await gateway.deny(denied);
    const executed = await approved();
    await gateway.execute(executed);
    for (const [id, status] of [
      [pending, 'PENDING'],
      [denied, 'DENIED'],
      [executed, 'EXECUTED'],
    ]) {
      expectError(await gateway.execute(id), 409, `Cannot execute action with status ${status}`);
    }
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('409 while an execution is in progress', async () => {
    let finish!: () => void;
    const arrived = new Promise<void>((resolve) => {
      gateway.upstream.answer((_call, response) => {
        finish = () => response.end('{}');
        resolve();
      });
    });
    const id = await approved();
    const first = gateway.execute(id);
    await arrived;
    expectError(await gateway.execute(id), 409, 'Cannot execute action with status APPROVED (execution in progress)');
    expect((await gateway.status(id)).json()).toMatchObject({ status: 'APPROVED' });
    finish();
    expect((await first).status).toBe(200);
  });

  it('410 when the service is deleted', async () => {
    const service = await gateway.createService({ name: 'Doomed', baseUrl: `${gateway.upstream.url}/doomed` });
    const { apiKey } = await gateway.createAgent('doomed-bot', [service.id, gateway.service.id]);
    const id = await approved({ targetUrl: `${gateway.upstream.url}/doomed/1` }, { 'Agent-Key': apiKey });
    await gateway.admin(`DELETE /services/${service.id}`);
    expectError(await gateway.execute(id, { 'Agent-Key': apiKey }), 410, 'Service no longer exists');
    expect(await storedAction(id)).toMatchObject({ status: 'APPROVED', service: { id: null, name: 'Doomed' } });
  });

  it('403 when the service is no longer in the scope of the agent', async () => {
    const other = await gateway.createService({ name: 'Other', baseUrl: `${gateway.upstream.url}/other` });
    const { agent, apiKey } = await gateway.createAgent('moved-bot', [gateway.service.id]);
    const id = await approved({}, { 'Agent-Key': apiKey });
    await gateway.admin(`PUT /agents/${agent.id}/services`, { serviceIds: [other.id] });
    expectError(await gateway.execute(id, { 'Agent-Key': apiKey }), 403, 'Agent does not have access to this service');
    await gateway.admin(`PUT /agents/${agent.id}/services`, { serviceIds: [gateway.service.id] });
    expect((await gateway.execute(id, { 'Agent-Key': apiKey })).status).toBe(200);
  });

  it('403 when the base URL of the service has changed, so that its credentials never go to the old address', async () => {
    const service = await gateway.createService({ name: 'Moving', baseUrl: `${gateway.upstream.url}/moving` });
    const { apiKey } = await gateway.createAgent('moving-bot', [service.id]);
    const id = await approved({ targetUrl: `${gateway.upstream.url}/moving/1` }, { 'Agent-Key': apiKey });
    await gateway.admin(`PUT /services/${service.id}`, { baseUrl: 'https://new-home.example/v2' });
    expectError(
      await gateway.execute(id, { 'Agent-Key': apiKey }),
      403,
      'Target hostname (127.0.0.1) does not match service baseUrl (new-home.example)',
    );
    await gateway.admin(`PUT /services/${service.id}`, { baseUrl: `${gateway.upstream.url}/moving/inner` });
    expectError(
      await gateway.execute(id, { 'Agent-Key': apiKey }),
      403,
      'Target path must start with service baseUrl path (/moving/inner)',
    );
    expect(gateway.upstream.calls).toHaveLength(0);
    expect((await storedAction(id)).status).toBe('APPROVED');
  });

  it('403 when the operator no longer allows the private address', async () => {
    const id = await approved();
    const strict = await gateway.secondInstance({ PRIVATE_TARGET_ALLOWLIST: '' });
    try {
      expectError(await strict.execute(id), 403, 'Access to private IP ranges is forbidden');
      expect(gateway.upstream.calls).toHaveLength(0);
    } finally {
      await strict.app.close();
    }
    expect((await gateway.execute(id)).status).toBe(200);
  });

  it('500 when the credentials are missing; it can be executed after they are stored', async () => {
    const id = await approved();
    const credentials = `POST /services/${gateway.service.id}/credentials`;
    await gateway.admin(credentials, { credentials: { other: 'x' } });
    expectError(await gateway.execute(id), 500, 'No credentials found for service');
    await gateway.admin(credentials, { credentials: { token: 'renewed-token' } });
    expect((await gateway.execute(id)).status).toBe(200);
    expect(gateway.upstream.calls).toHaveLength(1);
    expect(gateway.upstream.calls[0].headers.authorization).toBe('Bearer renewed-token');
    await gateway.admin(credentials, { credentials: { token: SECRET } });
  });

  it('stores the result before the agent gets it', async () => {
    const id = await approved();
    const holder = new Client({ connectionString: gateway.app.databaseUrl });
    await holder.connect();
    const asked = new Promise<void>((resolve) => {
      gateway.upstream.answer((_call, response) => {
        // The gateway must wait for this lock to store the result.
        void holder
          .query('BEGIN; SELECT 1 FROM actions WHERE id = ' + holder.escapeLiteral(id) + ' FOR UPDATE')
          .then(() => {
            response.end('late');
            resolve();
          });
      });
    });
    let answered = false;
    const execution = gateway.execute(id).finally(() => (answered = true));
    await asked;
    await eventually(async () => {
      const waiting = await gateway.app.database.query<unknown[]>(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'UPDATE "actions"%'`,
      );
      return waiting.length > 0;
    });
    expect(answered).toBe(false);
    await holder.query('COMMIT');
    await holder.end();
    expect((await execution).text).toBe('late');
    expect((await gateway.status(id)).json()).toMatchObject({ status: 'EXECUTED', result: { body: 'late' } });
  });
});

it('records a refused execution with its action', async () => {
  // Other tests have moved the clock past the expiry of the token.
  await gateway.logInAgain();
  const { action_id: id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/refused` });
  expect((await gateway.execute(id)).status).toBe(409);
  const [record] = await gateway.audit(`&actionId=${id}&outcome=refused`);
  expect(record).toMatchObject({ kind: 'execution', actionId: id, status: 409 });
});

import type {
  Callback,
  CallbackDelivery,
  CallbackDeliveryPage,
  RotatedCallbackSecret,
  SavedCallback,
} from '#contracts';
import { CallbackReceiver } from '../src/callbacks/callback-receiver.js';
import { DeliveryQueue } from '../src/callbacks/delivery-queue.js';
import { login, register } from './support/accounts.js';
import { AgentCallback } from './support/agent-callback.js';
import { dumpDatabase } from './support/database-dump.js';

const hook = new AgentCallback();

describe('the secret', () => {
  it('rotates, and both secrets stay valid for a day', async () => {
    const { secret: fresh, callback: rotated } = await hook.gateway.admin<RotatedCallbackSecret>(
      `POST ${hook.route}/rotate-secret`,
    );
    expect(fresh).not.toBe(hook.secret);
    expect(Date.parse(rotated.previousSecretExpiresAt!) - hook.gateway.app.clock.nowMs()).toBeGreaterThan(86_000_000);
    await hook.sendTest();
    const [call] = await hook.received(1);
    await Promise.all([hook.open(call), hook.open(call, fresh)]);
    await hook.delivery(({ state }) => state === 'delivered');
    await hook.gateway.app.advance({ hours: 25 });
    await hook.gateway.logInAgain();
    expect(await hook.stored()).toMatchObject({ previousSecretExpiresAt: null });
    await hook.sendTest();
    const [, later] = await hook.received(2);
    await hook.open(later, fresh);
    await expect(hook.open(later)).rejects.toThrow('no signature');
    await hook.gateway.app.app.get(DeliveryQueue).purge();
    const [stored] = await hook.gateway.app.database.query(
      'SELECT encrypted_previous_secret AS previous FROM callbacks',
    );
    expect(stored).toEqual({ previous: null });
  });

  it('is shown once, and is stored only encrypted', async () => {
    const { secret: fresh } = await hook.gateway.admin<RotatedCallbackSecret>(`POST ${hook.route}/rotate-secret`);
    await hook.gateway.deny(await hook.hold());
    await hook.received(1);
    await hook.delivery(({ state }) => state === 'delivered');
    const answers = [await hook.stored(), await hook.deliveries(), await hook.gateway.audit()];
    const tables = await dumpDatabase((sql) => hook.gateway.app.database.query<Record<string, unknown>[]>(sql));
    for (const text of [JSON.stringify(answers), JSON.stringify(tables)]) {
      expect(text).toContain(hook.receiver.hostAndPort);
      for (const each of [hook.secret, fresh]) expect(text).not.toContain(each.slice('whsec_'.length));
    }
    // A query of the receiver's URL may be secret.
    expect(JSON.stringify(await hook.gateway.audit())).not.toContain('receivers-own');
  });

  it("that can't be decrypted fails the delivery with a clear error", async () => {
    await hook.gateway.app.database.query(`UPDATE callbacks SET encrypted_secret = 'of another key'`);
    await hook.sendTest();
    expect(await hook.delivery(({ lastError }) => lastError !== null)).toMatchObject({
      lastError: 'The signing secret cannot be decrypted: rotate it',
    });
    expect(hook.calls).toEqual([]);
  });
});

describe('an agent', () => {
  const own = (method: string, path = '', body?: object) =>
    hook.gateway.agentCall(
      method,
      `/agent/callback${path}`,
      body && JSON.stringify(body),
      body ? { 'Content-Type': 'application/json' } : {},
    );

  it('registers, rotates, tests and removes its own callback', async () => {
    expect((await own('DELETE')).json()).toEqual({ message: 'Callback removed' });
    expect((await own('GET')).json()).toEqual({ callback: null });
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
      ['POST', '/test'],
    ]) {
      const answer = await own(method, path);
      expect([answer.status, answer.json().error]).toEqual([404, 'Callback not found']);
    }
    const made = (await own('PUT', '', { url: `${hook.receiver.url}/own` })).json<SavedCallback>();
    expect(made.callback).toMatchObject({ url: `${hook.receiver.url}/own`, enabled: true, disabledReason: null });
    expect((await own('PUT', '', { url: `${hook.receiver.url}/moved` })).json<SavedCallback>().secret).toBeNull();
    const { secret: fresh } = (await own('POST', '/rotate-secret')).json<RotatedCallbackSecret>();
    hook.path = '/moved';
    expect((await own('POST', '/test')).json()).toMatchObject({ type: 'callback.test', state: 'pending' });
    const [call] = await hook.received(1);
    await Promise.all([hook.open(call, made.secret!), hook.open(call, fresh)]);
    expect((await own('GET')).json()).toEqual({ callback: await hook.stored() });
    const records = await hook.gateway.audit(`&kind=change&agentId=${hook.gateway.agent.id}`);
    expect(records.slice(0, 5).map(({ reason, actor }) => [reason, actor])).toEqual(
      ['callback.tested', 'callback.secret_rotated', 'callback.updated', 'callback.created', 'callback.removed'].map(
        (reason) => [reason, { id: null, name: 'support-bot' }],
      ),
    );
  });

  it('has at most one test in progress', async () => {
    hook.receiver.answer((_call, response) => response.writeHead(500).end());
    const answers = await Promise.all([own('POST', '/test'), own('POST', '/test'), own('POST', '/test')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('that is revoked gets no events', async () => {
    const [held, second] = [await hook.hold(), await hook.hold()];
    hook.receiver.answer((_call, response) => response.writeHead(500).end());
    await hook.gateway.deny(held);
    await hook.delivery(({ lastError }) => lastError !== null);
    const before = hook.calls.length;
    await hook.gateway.admin(`PUT /agents/${hook.gateway.agent.id}`, { isActive: false });
    await hook.gateway.deny(second);
    await hook.gateway.app.advance({ seconds: 10 });
    hook.look();
    await hook.gateway.app.settled();
    expect([hook.calls.length, (await hook.deliveries()).length]).toEqual([before, 1]);
    expect((await hook.gateway.tryAdmin(`POST ${hook.route}/test`)).status).toBe(409);
    await hook.gateway.admin(`PUT /agents/${hook.gateway.agent.id}`, { isActive: true });
    hook.look();
    await hook.received(before + 1);
  });

  const change = (route: string, body: object) => (agentId: number) =>
    hook.gateway.admin(route.replace('/', `/agents/${agentId}/`).replace(/\/$/, ''), body);
  const inDatabase = (sql: string) => (agentId: number) => hook.gateway.app.database.query(sql, [agentId]);
  it.each<{ what: string; happens: ((agentId: number) => Promise<unknown>) | null; status: number }>([
    { what: 'nothing', happens: null, status: 200 },
    { what: 'being revoked', happens: change('PUT /', { isActive: false }), status: 401 },
    { what: 'getting another key', happens: change('POST /rotate-key', {}), status: 401 },
    {
      what: 'getting another key with a grace time',
      happens: change('POST /rotate-key', { graceMinutes: 9 }),
      status: 200,
    },
    {
      what: 'the end of this grace time',
      happens: async (agentId) => {
        await change('POST /rotate-key', { graceMinutes: 9 })(agentId);
        await inDatabase('UPDATE previous_agent_keys SET expires_at = now() WHERE agent_id = $1')(agentId);
      },
      status: 401,
    },
    {
      what: 'the end of the lifetime of its key',
      happens: inDatabase(
        "UPDATE agents SET key_lifetime_days = 1, key_created_at = now() - interval '2 days' WHERE id = $1",
      ),
      status: 401,
    },
    { what: 'a change of its addresses', happens: change('PUT /', { addresses: ['203.0.113.7'] }), status: 403 },
  ])('whose callback registration overlaps with $what gets $status', async ({ what, happens, status }) => {
    const { app, service } = hook.gateway;
    const { agent, apiKey } = await hook.gateway.createAgent(`late ${what}`, [service.id]);
    await hook.gateway.admin(`PUT /agents/${agent.id}`, { callbackHosts: [hook.receiver.hostAndPort] });
    jest.spyOn(app.app.get(CallbackReceiver), 'assertReachable').mockImplementationOnce(async () => {
      await happens?.(agent.id);
    });
    const url = `${hook.receiver.url}/late`;
    const headers = { 'Agent-Key': apiKey, 'Content-Type': 'application/json' };
    const answer = await hook.gateway.agentCall('PUT', '/agent/callback', JSON.stringify({ url }), headers);
    const { callback } = await hook.gateway.admin<{ callback: Callback | null }>(`GET /agents/${agent.id}/callback`);
    expect([answer.status, callback?.url]).toEqual([status, status === 200 ? url : undefined]);
  });

  it('that is deleted leaves no callbacks and no deliveries', async () => {
    const { agent, apiKey } = await hook.gateway.createAgent('short-bot', [hook.gateway.service.id]);
    await hook.gateway.admin(`PUT /agents/${agent.id}/callback`, { url: hook.receiver.url + hook.path });
    const target = `${hook.gateway.upstream.url}/v1/short`;
    await hook.gateway.hold({ targetUrl: target }, { 'Agent-Key': apiKey });
    await hook.gateway.admin(`DELETE /agents/${agent.id}`);
    await hook.gateway.app.settled();
    const left = await hook.gateway.app.database.query(
      'SELECT agent_id FROM callbacks WHERE agent_id = $1 UNION ALL SELECT agent_id FROM callback_deliveries WHERE agent_id = $1',
      [agent.id],
    );
    expect([left, hook.calls]).toEqual([[], []]);
  });
});

describe('the owner', () => {
  it('disables it: no new event is queued, and the gateway gives up pending ones', async () => {
    hook.receiver.answer((_call, response) => response.writeHead(500).end());
    await hook.gateway.deny(await hook.hold());
    await hook.delivery(({ lastError }) => lastError !== null);
    const { url } = await hook.stored();
    await hook.gateway.admin(`PUT ${hook.route}`, { url, enabled: false });
    await hook.gateway.deny(await hook.hold());
    expect(await hook.deliveries()).toMatchObject([{ state: 'failed', lastError: 'The callback was disabled' }]);
  });

  it('pages through the deliveries, newest first', async () => {
    for (let count = 0; count < 5; count++) await hook.gateway.deny(await hook.hold());
    const all = await hook.eventually(async () => {
      const list = await hook.deliveries();
      return list.length === 5 && list.every(({ state }) => state === 'delivered') && list;
    });
    const paged: CallbackDelivery[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page: CallbackDeliveryPage = await hook.gateway.admin(`GET ${hook.route}/deliveries?limit=2${query}`);
      paged.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(all);
    expect((await hook.gateway.tryAdmin(`GET ${hook.route}/deliveries?cursor=x`)).status).toBe(400);
  });

  it('has sole access: other users get 404', async () => {
    await hook.sendTest();
    const { id } = await hook.delivery(({ state }) => state === 'delivered');
    await register(hook.gateway.app, 'eve@example.com');
    const { accessToken } = await login(hook.gateway.app, 'eve@example.com');
    for (const route of [
      'GET ',
      'PUT ',
      'DELETE ',
      'POST /rotate-secret',
      'POST /test',
      'GET /deliveries',
      `POST /deliveries/${id}/redeliver`,
    ]) {
      const [method, path] = route.split(' ');
      const body = method === 'PUT' ? { url: `${hook.receiver.url}/eve` } : undefined;
      expect(await hook.gateway.tryAdmin(`${method} ${hook.route}${path}`, body, accessToken)).toMatchObject({
        status: 404,
        body: { error: 'Resource not found' },
      });
    }
    expect(await hook.stored()).toMatchObject({ url: hook.receiver.url + hook.path });
    expect(hook.calls).toHaveLength(1);
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const other of [unknown, 'x']) {
      expect((await hook.gateway.tryAdmin(`POST ${hook.route}/deliveries/${other}/redeliver`)).status).toBe(404);
    }
  });
});

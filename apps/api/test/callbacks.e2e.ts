import { Client } from 'pg';
import type {
  Action,
  Callback,
  CallbackDelivery,
  CallbackDeliveryPage,
  RotatedCallbackSecret,
  SavedCallback,
} from '#contracts';
import { ApprovalQueue } from '../src/approvals/approval-queue.js';
import { CallbackSender } from '../src/callbacks/callback-sender.js';
import { DeliveryQueue } from '../src/callbacks/delivery-queue.js';
import { login, register } from './support/accounts.js';
import { startChildGateway } from './support/child-gateway.js';
import { dumpDatabase } from './support/database-dump.js';
import { eventually } from './support/eventually.js';
import { startFakeUpstream, type FakeUpstream, type UpstreamCall } from './support/fake-upstream.js';
import { SECRET, startGateway, type Gateway } from './support/gateway.js';
import { startApp, type TestApp } from './support/start-app.js';
import { verified } from './support/webhooks.js';

const WAIT_MS = 20_000;
jest.setTimeout(60_000);

let gateway: Gateway;
let receiver: FakeUpstream;
let secret: string;
/** Of the receiver, another one for each test: what is still on its way from the test before does not count. */
let path: string;
let serial = 0;
beforeAll(async () => {
  receiver = await startFakeUpstream();
  gateway = await startGateway({ PRIVATE_TARGET_ALLOWLIST: receiver.hostAndPort, ALLOW_REGISTRATION: 'true' });
});
afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

const callbackRoute = (): string => `/agents/${gateway.agent.id}/callback`;
const callback = async (): Promise<Callback> =>
  (await gateway.admin<{ callback: Callback }>(`GET ${callbackRoute()}`)).callback;
const deliveries = async (): Promise<CallbackDelivery[]> =>
  (await gateway.admin<CallbackDeliveryPage>(`GET ${callbackRoute()}/deliveries?limit=200`)).items;

/** A new callback, without anything of the one before. */
beforeEach(async () => {
  receiver.answer((_call, response) => response.writeHead(204).end());
  await gateway.tryAdmin(`DELETE ${callbackRoute()}`);
  path = `/hook-${++serial}?token=receivers-own`;
  const body = { url: receiver.url + path };
  secret = (await gateway.admin<SavedCallback>(`PUT ${callbackRoute()}`, body)).secret!;
});

const calls = (): UpstreamCall[] => receiver.calls.filter((call) => call.path === path);
const received = (count: number): Promise<UpstreamCall[]> =>
  eventually(() => calls().length >= count && calls(), WAIT_MS);
const idOf = ({ headers }: UpstreamCall): string => String(headers['webhook-id']);
const open = (call: UpstreamCall, key = secret) => verified(call, key, gateway.app.clock.nowMs());

/** The newest delivery, once it fits. */
const delivery = (fits: (delivery: CallbackDelivery) => boolean): Promise<CallbackDelivery> =>
  eventually(async () => {
    const [newest] = await deliveries();
    return newest !== undefined && fits(newest) && newest;
  }, WAIT_MS);

const hold = async (): Promise<string> =>
  (await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/${++serial}` })).action_id;
const sendTest = (): Promise<CallbackDelivery> => gateway.admin<CallbackDelivery>(`POST ${callbackRoute()}/test`);
const look = (app: TestApp = gateway.app): void => app.app.get(CallbackSender).wake();

/** Moves the clock to the next attempt, and has the sender look. */
async function nextAttempt(attempts: number): Promise<CallbackDelivery> {
  const { nextAttemptAt } = await delivery(({ lastError }) => lastError !== null);
  gateway.app.clock.advance({ ms: Date.parse(nextAttemptAt!) - gateway.app.clock.nowMs() + 1 });
  // So many hours later the access token is over.
  await gateway.logInAgain();
  look();
  return delivery((each) => each.attempts === attempts && each.lastError !== null);
}

describe('each change of an action', () => {
  it('arrives once, signed, and says neither what was asked nor what was answered', async () => {
    const approved = await hold();
    await gateway.approve(approved, 'only this one');
    const [first] = await received(1);
    expect(first).toMatchObject({ method: 'POST', path });
    expect(first.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'agent-gateway' });
    const event = await open(first);
    const { resolved_at: resolvedAt } = await gateway.admin<Action>(`GET /approvals/${approved}`);
    expect(event).toEqual({
      type: 'action.approved',
      timestamp: resolvedAt,
      data: { actionId: approved, status: 'APPROVED', decidedAt: resolvedAt, note: 'only this one' },
    });

    expect((await gateway.execute(approved)).status).toBe(200);
    const [, second] = await received(2);
    expect(await open(second)).toMatchObject({
      type: 'action.executed',
      data: { actionId: approved, status: 'EXECUTED', decidedAt: resolvedAt },
    });

    const denied = await hold();
    await gateway.deny(denied);
    const [, , third] = await received(3);
    const denial = await open(third);
    expect(denial).toMatchObject({ type: 'action.denied', data: { actionId: denied, status: 'DENIED' } });
    expect(denial.data).not.toHaveProperty('note');

    const expired = await hold();
    gateway.app.clock.advance({ hours: 25 });
    await gateway.logInAgain();
    await gateway.app.app.get(ApprovalQueue).expire();
    const [, , , fourth] = await received(4);
    expect(await open(fourth)).toMatchObject({
      type: 'action.expired',
      data: { actionId: expired, status: 'EXPIRED', decidedAt: null },
    });

    await gateway.app.settled();
    look();
    await gateway.app.settled();
    expect(new Set(calls().map(idOf)).size).toBe(4);
    expect(calls()).toHaveLength(4);
    const sent = calls()
      .map(({ headers, body }) => JSON.stringify(headers) + body.toString())
      .join();
    for (const word of [SECRET, secret, gateway.agentKey, gateway.upstream.url, 'customers', 'clean up']) {
      expect(sent).not.toContain(word);
    }
    expect(
      (await deliveries()).map(({ type, state, attempts, lastStatus }) => [type, state, attempts, lastStatus]),
    ).toEqual(
      expect.arrayContaining(
        ['expired', 'denied', 'executed', 'approved'].map((word) => [`action.${word}`, 'delivered', 1, 204]),
      ),
    );
  });

  it('is not told when it was rolled back, nor when the request was merely held', async () => {
    const id = await hold();
    await gateway.app.database
      .transaction(async (tx) => {
        await tx.query(`UPDATE actions SET status = 'DENIED', resolved_at = now() WHERE id = $1`, [id]);
        throw new Error('changed its mind');
      })
      .catch(() => undefined);
    await gateway.app.settled();
    expect([await deliveries(), calls()]).toEqual([[], []]);
  });

  it('does not verify with another secret, another body or another id', async () => {
    await sendTest();
    const [call] = await received(1);
    await expect(open(call)).resolves.toMatchObject({
      type: 'callback.test',
      data: { actionId: null, status: null, decidedAt: null },
    });
    await expect(open(call, `whsec_${Buffer.alloc(32, 7).toString('base64')}`)).rejects.toThrow('no signature');
    await expect(open({ ...call, body: Buffer.from(`${call.body.toString()} `) })).rejects.toThrow('no signature');
    const headers = { ...call.headers, 'webhook-id': 'another' };
    await expect(open({ ...call, headers })).rejects.toThrow('no signature');
  });
});

describe('a receiver that fails', () => {
  it('gets the same event under the same id, later and later, until it is given up; by hand again after that', async () => {
    receiver.answer((_call, response) => response.writeHead(500).end('a word that nobody keeps'));
    await gateway.deny(await hold());
    let last = await delivery(({ attempts, lastError }) => attempts === 1 && lastError !== null);
    expect(last).toMatchObject({ state: 'pending', lastStatus: 500, lastError: 'answered 500' });
    const waits: number[] = [];
    for (let attempt = 2; attempt <= 7; attempt++) {
      waits.push((Date.parse(last.nextAttemptAt!) - Date.parse(last.lastAttemptAt!)) / 60_000);
      last = await nextAttempt(attempt);
    }
    [5 / 60, 1, 5, 30, 120, 480].forEach((wait, index) => {
      // A fifth of jitter, and the time that a busy machine takes for the attempt itself.
      expect(waits[index]).toBeGreaterThanOrEqual(wait * 0.8);
      expect(waits[index]).toBeLessThan(wait * 1.2 + 0.5);
    });
    expect(last).toMatchObject({ state: 'failed', attempts: 7, nextAttemptAt: null });
    expect([new Set(calls().map(idOf)).size, calls().length]).toEqual([1, 7]);
    expect(new Set(calls().map(({ body }) => body.toString())).size).toBe(1);
    // Each attempt is signed at its own time.
    await expect(open(calls()[6])).resolves.toMatchObject({ type: 'action.denied' });
    await expect(open(calls()[0])).rejects.toThrow('too far');
    const tables = await dumpDatabase((sql) => gateway.app.database.query<Record<string, unknown>[]>(sql));
    expect(JSON.stringify(tables)).not.toContain('a word that nobody keeps');

    receiver.answer((_call, response) => response.writeHead(200).end());
    await gateway.admin(`POST ${callbackRoute()}/deliveries/${last.id}/redeliver`);
    expect(await delivery(({ state }) => state === 'delivered')).toMatchObject({
      id: last.id,
      attempts: 1,
      lastError: null,
    });
    expect(idOf((await received(8))[7])).toBe(last.id);
  });

  it('is tried again soon after a single failure', async () => {
    receiver.answer((_call, response) => response.writeHead(calls().length === 1 ? 503 : 200).end());
    await sendTest();
    await delivery(({ attempts, lastError }) => attempts === 1 && lastError !== null);
    gateway.app.clock.advance({ seconds: 7 });
    look();
    expect(await delivery(({ state }) => state === 'delivered')).toMatchObject({ attempts: 2, lastStatus: 200 });
  });

  it('is waited for as long as its Retry-After says, within bounds', async () => {
    receiver.answer((_call, response) => response.writeHead(429, { 'Retry-After': '900' }).end());
    await sendTest();
    const put = await delivery(({ lastError }) => lastError !== null);
    const waitMs = Date.parse(put.nextAttemptAt!) - Date.parse(put.lastAttemptAt!);
    expect(waitMs).toBeGreaterThanOrEqual(900_000);
    expect(waitMs).toBeLessThan(960_000);
  });

  it('that hangs is given up after 10 s, keeps no other agent waiting, and is tried again', async () => {
    const other = await gateway.createAgent('other-bot', [gateway.service.id]);
    const route = `/agents/${other.agent.id}/callback`;
    const others = () => receiver.calls.filter((call) => call.path === '/other');
    receiver.answer((call, response) => void (call === calls()[0] || response.writeHead(204).end()));
    await gateway.admin(`PUT ${route}`, { url: `${receiver.url}/other` });
    await sendTest();
    await received(1);
    await gateway.deny(await hold());
    await gateway.admin(`POST ${route}/test`);
    await eventually(() => others().length === 1, WAIT_MS);
    // What is next for the agent whose receiver hangs waits for the first.
    expect(calls()).toHaveLength(1);
    const test = await eventually(async () => {
      const found = (await deliveries()).find(({ type }) => type === 'callback.test')!;
      return found.lastError !== null && found;
    }, WAIT_MS);
    expect(test).toMatchObject({ state: 'pending', lastStatus: null, lastError: 'no complete response within 10s' });
    gateway.app.clock.advance({ seconds: 60 });
    look();
    await eventually(async () => (await deliveries()).every(({ state }) => state === 'delivered'), WAIT_MS);
    expect(new Set(calls().map(idOf)).size).toBe(2);
    await gateway.admin(`DELETE /agents/${other.agent.id}`);
  });

  it('that sends elsewhere is not followed', async () => {
    const before = gateway.upstream.calls.length;
    receiver.answer((_call, response) => response.writeHead(307, { Location: `${gateway.upstream.url}/inside` }).end());
    await sendTest();
    expect(await delivery(({ lastError }) => lastError !== null)).toMatchObject({
      state: 'pending',
      lastStatus: 307,
      lastError: 'answered 307: redirects are not followed',
    });
    expect(gateway.upstream.calls).toHaveLength(before);
  });

  it('that is gone disables the callback, and nothing that waits is sent any more', async () => {
    receiver.answer((_call, response) => response.writeHead(500).end());
    await gateway.deny(await hold());
    await delivery(({ lastError }) => lastError !== null);
    receiver.answer((_call, response) => response.writeHead(410).end());
    await sendTest();
    await eventually(async () => !(await callback()).enabled, WAIT_MS);
    expect(await callback()).toMatchObject({ disabledReason: 'The receiver answered 410 Gone' });
    expect((await deliveries()).map(({ type, state, lastError }) => [type, state, lastError]).sort()).toEqual([
      ['action.denied', 'failed', 'The receiver answered 410 Gone'],
      ['callback.test', 'failed', 'answered 410'],
    ]);
    await gateway.deny(await hold());
    expect(await deliveries()).toHaveLength(2);
    const [record] = await gateway.audit('&kind=change&q=callback.disabled');
    expect(record).toMatchObject({ reason: 'callback.disabled', actor: { id: null, name: 'Agent Gateway' } });
    const [{ id }] = await deliveries();
    for (const route of ['test', `deliveries/${id}/redeliver`]) {
      expect(await gateway.tryAdmin(`POST ${callbackRoute()}/${route}`)).toMatchObject({
        status: 409,
        body: { error: 'Callback is disabled' },
      });
    }
    const { url } = await callback();
    const saved = await gateway.admin<SavedCallback>(`PUT ${callbackRoute()}`, { url });
    expect(saved).toMatchObject({ secret: null, callback: { enabled: true, disabledReason: null } });
    receiver.answer((_call, response) => response.writeHead(204).end());
    await sendTest();
    expect(await delivery(({ state }) => state === 'delivered')).toBeDefined();
  });
});

describe('where callbacks may go', () => {
  it.each([
    ['not a URL', 400, 'url: must be a valid URL'],
    ['ftp://example.com/', 400, 'Only HTTP and HTTPS protocols are allowed'],
    ['http://example.com/hook', 400, 'url: must be an https URL'],
    ['https://user:password@example.com/', 400, 'url: must not contain user information'],
    ['https://nowhere.invalid/', 400, 'url: host name could not be resolved'],
    ['https://127.0.0.1/', 403, 'Access to private IP ranges is forbidden'],
    ['https://10.1.2.3/hook', 403, 'Access to private IP ranges is forbidden'],
    ['https://[::1]/', 403, 'Access to private IP ranges is forbidden'],
    ['https://2130706433/', 403, 'Access to private IP ranges is forbidden'],
    ['https://169.254.169.254/latest/meta-data', 403, 'Access to private IP ranges is forbidden'],
    ['https://localhost/', 403, 'Access to localhost is forbidden'],
  ])('not to %s', async (url, status, error) => {
    const before = await callback();
    expect(await gateway.tryAdmin(`PUT ${callbackRoute()}`, { url })).toMatchObject({ status, body: { error } });
    const byAgent = await gateway.agentCall('PUT', '/agent/callback', JSON.stringify({ url }), {
      'Content-Type': 'application/json',
    });
    expect([byAgent.status, byAgent.json().error]).toEqual([status, error]);
    expect(await callback()).toEqual(before);
  });

  it('not to an inside address, though one was registered when that was allowed', async () => {
    for (const [url, error] of [
      [
        gateway.upstream.url.replace('http:', 'https:').replace(/\d+$/, '9'),
        'Access to private IP ranges is forbidden',
      ],
      ['http://example.com/', 'url: must be an https URL'],
    ]) {
      await gateway.app.database.query('UPDATE callbacks SET url = $1', [url]);
      await sendTest();
      expect(await delivery(({ lastError }) => lastError !== null)).toMatchObject({
        lastStatus: null,
        lastError: error,
      });
      await gateway.app.database.query('DELETE FROM callback_deliveries');
    }
  });
});

describe('several instances', () => {
  it('deliver each event once', async () => {
    const second = await gateway.secondInstance({
      PRIVATE_TARGET_ALLOWLIST: `${gateway.upstream.hostAndPort},${receiver.hostAndPort}`,
    });
    second.app.clock.advance({ ms: gateway.app.clock.nowMs() - second.app.clock.nowMs() });
    const ids = [];
    for (let count = 0; count < 12; count++) ids.push(await hold());
    await Promise.all(ids.map((id, index) => (index % 2 === 0 ? gateway : second).deny(id)));
    await eventually(
      async () => (await deliveries()).filter(({ state }) => state === 'delivered').length === 12,
      WAIT_MS,
    );
    for (const { app } of [gateway, second]) {
      look(app);
      await app.settled();
    }
    expect(calls()).toHaveLength(12);
    const events = await Promise.all(calls().map((call) => open(call)));
    expect(events.map(({ data }) => data.actionId).sort()).toEqual(ids.sort());
    await second.app.close();
  });

  it('take over what another has left, and a late answer changes nothing', async () => {
    const second = await gateway.secondInstance({
      PRIVATE_TARGET_ALLOWLIST: `${gateway.upstream.hostAndPort},${receiver.hostAndPort}`,
    });
    second.app.clock.advance({ ms: gateway.app.clock.nowMs() - second.app.clock.nowMs() });
    let late: (() => void) | undefined;
    receiver.answer((_call, response) => {
      if (late) response.writeHead(204).end();
      else late = () => response.writeHead(500).end();
    });
    await sendTest();
    await received(1);
    // As long as the lease lasts, nobody else takes it.
    for (const { app } of [gateway, second]) look(app);
    await second.app.settled();
    expect(calls()).toHaveLength(1);
    second.app.clock.advance({ seconds: 31 });
    look(second.app);
    const done = await delivery(({ state }) => state === 'delivered');
    expect(done).toMatchObject({ attempts: 2, lastStatus: 204 });
    late!();
    await gateway.app.settled();
    expect(await deliveries()).toEqual([done]);
    expect(new Set(calls().map(idOf))).toEqual(new Set([done.id]));
    await second.app.close();
  });
});

describe('the secret', () => {
  it('is rotated with both valid for a day', async () => {
    const { secret: fresh, callback: rotated } = await gateway.admin<RotatedCallbackSecret>(
      `POST ${callbackRoute()}/rotate-secret`,
    );
    expect(fresh).not.toBe(secret);
    expect(Date.parse(rotated.previousSecretExpiresAt!) - gateway.app.clock.nowMs()).toBeGreaterThan(86_000_000);
    await sendTest();
    const [call] = await received(1);
    await Promise.all([open(call, secret), open(call, fresh)]);
    await delivery(({ state }) => state === 'delivered');
    gateway.app.clock.advance({ hours: 25 });
    await gateway.logInAgain();
    expect(await callback()).toMatchObject({ previousSecretExpiresAt: null });
    await sendTest();
    const [, later] = await received(2);
    await open(later, fresh);
    await expect(open(later, secret)).rejects.toThrow('no signature');
    await gateway.app.app.get(DeliveryQueue).purge();
    const [stored] = await gateway.app.database.query('SELECT encrypted_previous_secret AS previous FROM callbacks');
    expect(stored).toEqual({ previous: null });
  });

  it('is shown once, and stands nowhere in the clear', async () => {
    const { secret: fresh } = await gateway.admin<RotatedCallbackSecret>(`POST ${callbackRoute()}/rotate-secret`);
    await gateway.deny(await hold());
    await received(1);
    await delivery(({ state }) => state === 'delivered');
    const answers = [await callback(), await deliveries(), await gateway.audit()];
    const tables = await dumpDatabase((sql) => gateway.app.database.query<Record<string, unknown>[]>(sql));
    for (const text of [JSON.stringify(answers), JSON.stringify(tables)]) {
      expect(text).toContain(receiver.hostAndPort);
      for (const each of [secret, fresh]) expect(text).not.toContain(each.slice('whsec_'.length));
    }
    // What a receiver hides in its query is its own business.
    expect(JSON.stringify(await gateway.audit())).not.toContain('receivers-own');
  });

  it('that can not be read any more is a failed attempt, with words', async () => {
    await gateway.app.database.query(`UPDATE callbacks SET encrypted_secret = 'of another key'`);
    await sendTest();
    expect(await delivery(({ lastError }) => lastError !== null)).toMatchObject({
      lastError: 'The signing secret can not be decrypted: rotate it',
    });
    expect(calls()).toEqual([]);
  });
});

describe('an agent', () => {
  const own = (method: string, path = '', body?: object) =>
    gateway.agentCall(
      method,
      `/agent/callback${path}`,
      body && JSON.stringify(body),
      body ? { 'Content-Type': 'application/json' } : {},
    );

  it('registers, rotates, tries and removes its own callback', async () => {
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
    const made = (await own('PUT', '', { url: `${receiver.url}/own` })).json<SavedCallback>();
    expect(made.callback).toMatchObject({ url: `${receiver.url}/own`, enabled: true, disabledReason: null });
    expect((await own('PUT', '', { url: `${receiver.url}/moved` })).json<SavedCallback>().secret).toBeNull();
    const { secret: fresh } = (await own('POST', '/rotate-secret')).json<RotatedCallbackSecret>();
    path = '/moved';
    expect((await own('POST', '/test')).json()).toMatchObject({ type: 'callback.test', state: 'pending' });
    const [call] = await received(1);
    await Promise.all([open(call, made.secret!), open(call, fresh)]);
    expect((await own('GET')).json()).toEqual({ callback: await callback() });
    const records = await gateway.audit(`&kind=change&agentId=${gateway.agent.id}`);
    expect(records.slice(0, 5).map(({ reason, actor }) => [reason, actor])).toEqual(
      ['callback.tested', 'callback.secret_rotated', 'callback.updated', 'callback.created', 'callback.removed'].map(
        (reason) => [reason, { id: null, name: 'support-bot' }],
      ),
    );
  });

  it('has one test on its way at most', async () => {
    receiver.answer((_call, response) => response.writeHead(500).end());
    const answers = await Promise.all([own('POST', '/test'), own('POST', '/test'), own('POST', '/test')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('that is revoked is told nothing', async () => {
    const [held, second] = [await hold(), await hold()];
    receiver.answer((_call, response) => response.writeHead(500).end());
    await gateway.deny(held);
    await delivery(({ lastError }) => lastError !== null);
    const before = calls().length;
    await gateway.admin(`PUT /agents/${gateway.agent.id}`, { isActive: false });
    await gateway.deny(second);
    gateway.app.clock.advance({ seconds: 10 });
    look();
    await gateway.app.settled();
    expect([calls().length, (await deliveries()).length]).toEqual([before, 1]);
    expect((await gateway.tryAdmin(`POST ${callbackRoute()}/test`)).status).toBe(409);
    await gateway.admin(`PUT /agents/${gateway.agent.id}`, { isActive: true });
    look();
    await received(before + 1);
  });

  it('that is deleted leaves no callback and no delivery', async () => {
    const { agent, apiKey } = await gateway.createAgent('short-bot', [gateway.service.id]);
    await gateway.admin(`PUT /agents/${agent.id}/callback`, { url: receiver.url + path });
    const target = `${gateway.upstream.url}/v1/short`;
    await gateway.hold({ targetUrl: target }, { 'Agent-Key': apiKey });
    await gateway.admin(`DELETE /agents/${agent.id}`);
    await gateway.app.settled();
    const left = await gateway.app.database.query(
      'SELECT agent_id FROM callbacks WHERE agent_id = $1 UNION ALL SELECT agent_id FROM callback_deliveries WHERE agent_id = $1',
      [agent.id],
    );
    expect([left, calls()]).toEqual([[], []]);
  });
});

describe('the owner', () => {
  it('disables it: nothing is queued, and what waits is given up', async () => {
    receiver.answer((_call, response) => response.writeHead(500).end());
    await gateway.deny(await hold());
    await delivery(({ lastError }) => lastError !== null);
    const { url } = await callback();
    await gateway.admin(`PUT ${callbackRoute()}`, { url, enabled: false });
    await gateway.deny(await hold());
    expect(await deliveries()).toMatchObject([{ state: 'failed', lastError: 'The callback was disabled' }]);
  });

  it('reads the deliveries page by page, newest first', async () => {
    for (let count = 0; count < 5; count++) await gateway.deny(await hold());
    const all = await eventually(async () => {
      const list = await deliveries();
      return list.length === 5 && list.every(({ state }) => state === 'delivered') && list;
    }, WAIT_MS);
    const paged: CallbackDelivery[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page: CallbackDeliveryPage = await gateway.admin(`GET ${callbackRoute()}/deliveries?limit=2${query}`);
      paged.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(all);
    expect((await gateway.tryAdmin(`GET ${callbackRoute()}/deliveries?cursor=x`)).status).toBe(400);
  });

  it('is the only one: for everybody else there is no such agent', async () => {
    await sendTest();
    const { id } = await delivery(({ state }) => state === 'delivered');
    await register(gateway.app, 'eve@example.com');
    const { accessToken } = await login(gateway.app, 'eve@example.com');
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
      const body = method === 'PUT' ? { url: `${receiver.url}/eve` } : undefined;
      expect(await gateway.tryAdmin(`${method} ${callbackRoute()}${path}`, body, accessToken)).toMatchObject({
        status: 404,
        body: { error: 'Resource not found' },
      });
    }
    expect(await callback()).toMatchObject({ url: receiver.url + path });
    expect(calls()).toHaveLength(1);
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const other of [unknown, 'x']) {
      expect((await gateway.tryAdmin(`POST ${callbackRoute()}/deliveries/${other}/redeliver`)).status).toBe(404);
    }
  });
});

it('deliveries are forgotten after 30 days', async () => {
  await sendTest();
  await delivery(({ state }) => state === 'delivered');
  const queue = gateway.app.app.get(DeliveryQueue);
  expect(await queue.purge()).toBe(0);
  gateway.app.clock.advance({ hours: 31 * 24 });
  await gateway.logInAgain();
  expect(await queue.purge()).toBe(1);
  expect(await deliveries()).toEqual([]);
});

it('a gateway that is killed between the change and its delivery leaves it to the next', async () => {
  const id = await hold();
  const { databaseUrl } = gateway.app;
  const environment = {
    DATABASE_URL: databaseUrl,
    LLM_BASE_URL: gateway.model.url,
    PRIVATE_TARGET_ALLOWLIST: `${gateway.upstream.hostAndPort},${receiver.hostAndPort}`,
  };
  const atMs = gateway.app.clock.nowMs();
  await gateway.app.close();
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const deny = (actionId: string) =>
    database.query(`UPDATE actions SET status = 'DENIED', resolved_at = now() WHERE id = $1`, [actionId]);

  // With the attempt under way.
  const child = await startChildGateway(environment);
  receiver.answer(() => undefined);
  await deny(id);
  const [first] = await received(1);
  child.kill('SIGKILL');
  await child.exited;

  // And with the commit just made: there is no process that could have seen it.
  const { rows } = await database.query<{ id: string }>(
    `INSERT INTO actions SELECT (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'status', 'PENDING', 'dedupe_hash', null))).*
     FROM actions a WHERE id = $1 RETURNING id`,
    [id],
  );
  await deny(rows[0].id);

  receiver.answer((_call, response) => response.writeHead(204).end());
  const app = await startApp(environment);
  gateway = Object.assign(gateway, { app });
  app.clock.advance({ ms: Math.max(0, atMs - app.clock.nowMs()) });
  look();
  const [, second] = await received(2);
  expect(await open(second)).toMatchObject({ data: { actionId: rows[0].id, status: 'DENIED' } });
  app.clock.advance({ seconds: 31 });
  look();
  const [, , third] = await received(3);
  expect(idOf(third)).toBe(idOf(first));
  expect(await open(third)).toMatchObject({ data: { actionId: id, status: 'DENIED' } });
  await database.end();
});

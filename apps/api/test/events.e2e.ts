import { once } from 'node:events';
import { get, type ServerResponse } from 'node:http';
import { Client } from 'pg';
import type { ActionPage, GatewayEvent } from '#contracts';
import { EventHub } from '../src/events/event-hub.js';
import { login, register } from './support/accounts.js';
import { openEvents, type EventStream } from './support/event-stream.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';

/** Two instances on one database: clients follow on b what changes on a. */
let a: Gateway;
let b: Gateway;
let eve: string;
beforeAll(async () => {
  a = await startGateway({ ALLOW_REGISTRATION: 'true', JWT_ACCESS_EXPIRY: '1h' });
  b = await a.secondInstance({ JWT_ACCESS_EXPIRY: '1h' });
  await register(a.app, 'eve@example.com');
  eve = (await login(a.app, 'eve@example.com')).accessToken;
});
afterAll(async () => {
  await b.app.close();
  await a.close();
});

const open: EventStream[] = [];
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});
async function follow(gateway = b, token = gateway.token): Promise<EventStream> {
  const stream = await openEvents(gateway.url, token);
  open.push(stream);
  return stream;
}
const is =
  (type: GatewayEvent['type'], id: string | number, status?: string) =>
  (event: GatewayEvent): boolean =>
    event.type === type && event.id === id && event.status === status;
const connected = (gateway: Gateway) => eventually(() => gateway.app.app.get(EventHub).connected);

let serial = 0;
const hold = () => a.hold({ targetUrl: `${a.upstream.url}/v1/live/${++serial}` });

it.each([
  ['no token', undefined, 'Missing authorization header'],
  ['a bad token', 'nonsense', 'Invalid or expired token'],
])('GET /events with %s gets 401', async (_name, token, error) => {
  const response = await fetch(`${a.url}/events`, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
  expect(await response.json()).toEqual({ error, statusCode: 401 });
});

it('opens a stream immediately, which no proxy may buffer or store', async () => {
  const stream = await follow();
  expect(stream.status).toBe(200);
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.headers.get('cache-control')).toBe('no-store');
  expect(stream.headers.get('x-accel-buffering')).toBe('no');
  await eventually(() => stream.text() === ': connected\n\n');
});

it('answers HEAD immediately, without a stream', async () => {
  const response = await fetch(`${a.url}/events`, { method: 'HEAD', headers: { Authorization: `Bearer ${a.token}` } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
});

describe('sends, across two instances,', () => {
  it('events of an action that is held, repeated, decided and executed', async () => {
    const stream = await follow();
    const { action_id } = await hold();
    await stream.next(is('action.created', action_id, 'PENDING'));
    serial--;
    await hold();
    await stream.next(is('action.updated', action_id, 'PENDING'));
    await a.approve(action_id);
    await stream.next(is('action.updated', action_id, 'APPROVED'));
    await a.execute(action_id);
    await stream.next(is('action.updated', action_id, 'EXECUTED'));
    expect(stream.events.filter(({ id }) => id === action_id).map(({ status }) => status)).toEqual([
      'PENDING',
      'PENDING',
      'APPROVED',
      // The agent has begun to execute it.
      'APPROVED',
      'EXECUTED',
    ]);
  });

  it('events of agents and services that are created, changed and deleted', async () => {
    const stream = await follow();
    const changes = async (id: number): Promise<number> => {
      await eventually(() => stream.events.some((event) => event.id === id));
      const count = stream.events.length;
      stream.events.length = 0;
      return count;
    };
    const service = await a.createService({ name: 'Followed' });
    expect(await changes(service.id)).toBeGreaterThan(0);
    await a.admin(`POST /services/${service.id}/risk-rules`, { name: 'r', effect: 'deny' });
    expect(await changes(service.id)).toBeGreaterThan(0);
    await a.admin(`POST /services/${service.id}/credentials`, { credentials: { token: 'other-token' } });
    expect(await changes(service.id)).toBeGreaterThan(0);
    const { agent } = await a.createAgent('followed-bot', [service.id]);
    await stream.next(is('agent.updated', agent.id));
    stream.events.length = 0;
    await a.admin(`PUT /agents/${agent.id}`, { isActive: false });
    await stream.next(is('agent.updated', agent.id));
    stream.events.length = 0;
    await a.admin(`DELETE /agents/${agent.id}`);
    await stream.next(is('agent.updated', agent.id));
    await a.admin(`DELETE /services/${service.id}`);
    await stream.next(is('service.updated', service.id));
  });

  it('no events of another account and none of rolled-back changes', async () => {
    const stream = await follow(b, eve);
    const mine = await follow();
    const { action_id } = await hold();
    await a.deny(action_id);
    expect((await a.tryAdmin('POST /agents', { name: 'refused', serviceIds: [999_999] })).status).toBe(404);
    const theirs = await fetch(`${a.url}/services`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${eve}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        name: 'Eve’s',
        baseUrl: 'https://eve.example',
        authType: 'bearer',
        credentials: { token: 'x' },
      }),
    });
    const { id } = (await theirs.json()) as { id: number };
    await stream.next(is('service.updated', id));
    await mine.next(is('action.updated', action_id, 'DENIED'));
    // Events arrive in order: an event that is missing now never comes.
    expect(stream.events.every((event) => event.id === id)).toBe(true);
    expect(mine.events.every((event) => event.id === action_id)).toBe(true);
  });
});

it('a stream ends when its access token expires', async () => {
  const { accessToken } = await login(b.app, 'ada@example.com');
  b.app.clock.advance({ ms: 3_600_000 - 1200 });
  const stream = await follow(b, accessToken);
  expect(stream.status).toBe(200);
  await stream.ended;
  b.app.clock.advance({ ms: -3_600_000 + 1200 });
});

it('a stream continues if its access token is valid for longer than a timer can run', async () => {
  const yearly = await a.secondInstance({ JWT_ACCESS_EXPIRY: '365d' });
  const { accessToken } = await login(yearly.app, 'ada@example.com');
  const stream = await follow(yearly, accessToken);
  await connected(yearly);
  const { id } = await a.createService({ name: 'Followed for a year' });
  await stream.next(is('service.updated', id));
  await yearly.app.close();
});

it('ends when its session is revoked from another session, which gets an event', async () => {
  const [one, other] = [await login(b.app, 'ada@example.com'), await login(a.app, 'ada@example.com')];
  const stream = await follow(b, one.accessToken);
  const second = await follow(b, other.accessToken);
  const ended = JSON.parse(atob(one.accessToken.split('.')[1])) as { sid: string };
  expect((await a.tryAdmin(`DELETE /auth/sessions/${ended.sid}`, undefined, other.accessToken)).status).toBe(200);
  await stream.ended;
  await second.next(is('session.revoked', ended.sid));
  expect(stream.events).toEqual([]);
});

it('is refused for a session that has ended', async () => {
  const { accessToken, refreshToken } = await login(b.app, 'ada@example.com');
  await fetch(`${b.url}/auth/logout`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ refreshToken }),
  });
  const stream = await openEvents(b.url, accessToken);
  expect(stream.status).toBe(401);
  stream.close();
});

it('is removed when its reader disconnects', async () => {
  const hub = b.app.app.get(EventHub);
  const before = hub.subscriberCount;
  const stream = await follow();
  await eventually(() => hub.subscriberCount === before + 1);
  stream.close();
  await eventually(() => hub.subscriberCount === before);
});

it('does not start for a reader that disconnects during the session lookup', async () => {
  const hub = b.app.app.get(EventHub);
  const before = hub.subscriberCount;
  const database = new Client({ connectionString: b.app.databaseUrl });
  await database.connect();
  await database.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
  const asked = once(b.app.app.getHttpServer(), 'request') as Promise<[unknown, ServerResponse]>;
  const request = get(`${b.url}/events`, { headers: { Authorization: `Bearer ${b.token}` } }).on('error', () => {});
  const [, response] = await asked;
  await eventually(async () => {
    const { rows } = await database.query('SELECT FROM pg_locks WHERE NOT granted');
    return rows.length > 0;
  });
  request.destroy();
  await eventually(() => response.closed);
  await database.query('COMMIT');
  await database.end();
  await follow();
  expect(hub.subscriberCount).toBe(before + 1);
});

describe('when the listening connection is lost', () => {
  const kill = () =>
    a.app.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name LIKE 'agent-gateway-events %' AND datname = current_database()`,
    );

  it('streams end, since events may be missing, and new ones work again', async () => {
    const stream = await follow();
    await kill();
    await stream.ended;
    await Promise.all([connected(a), connected(b)]);
    const again = await follow();
    const { action_id } = await hold();
    await again.next(is('action.created', action_id, 'PENDING'));
  });

  it('a waiting agent misses no decision', async () => {
    const { action_id } = await hold();
    const waiting = b.status(action_id, { Prefer: 'wait=30' });
    await eventually(
      async () => (await a.admin<{ last_polled_at: string | null }>(`GET /approvals/${action_id}`)).last_polled_at,
    );
    await kill();
    await a.approve(action_id);
    expect((await waiting).json()).toMatchObject({ status: 'APPROVED' });
    await Promise.all([connected(a), connected(b)]);
  });

  it.each([undefined, 'deaf'])(
    'a waiting request (key: %s) gets the answer of the call that executed it',
    async (idempotencyKey) => {
      const targetUrl = `${a.upstream.url}/v1/deaf/${++serial}`;
      a.model.answer({ score: 1 });
      const waiting = b.proxy({ method: 'DELETE', targetUrl, idempotencyKey }, { Prefer: 'wait=30' });
      const polledSince = (time: string) =>
        eventually(async () => {
          const { items } = await a.admin<ActionPage>('GET /approvals');
          return items.find((action) => action.targetUrl === targetUrl && (action.last_polled_at ?? '') > time);
        });
      const { action_id, last_polled_at } = await polledSince('');
      // While b gets no notifications, all changes happen on a.
      await kill();
      await polledSince(last_polled_at!);
      await a.approve(action_id);
      const executed = await a.execute(action_id);
      expect(executed.status).toBe(200);
      const answer = await waiting;
      if (answer.status === 409) {
        // On a busy machine, b is connected again while a still executes (docs/reference/states.md#execution-claim).
        expect(answer.text).toContain('Cannot execute action with status APPROVED (execution in progress)');
        const stored = (await b.status(action_id)).json<{ result: { body: string } }>();
        expect(stored.result.body).toBe(executed.text);
      } else {
        expect([answer.status, answer.text]).toEqual([200, executed.text]);
        expect(answer.headers.get('x-proxy-status')).toBe('executed-approved');
      }
      expect(a.upstream.calls.filter(({ path }) => targetUrl.endsWith(path))).toHaveLength(1);
      await Promise.all([connected(a), connected(b)]);
    },
  );
});

/** Run last because they stop an instance. */
describe('when the gateway stops', () => {
  it('streams end', async () => {
    const c = await a.secondInstance();
    const stream = await follow(c);
    await c.app.close();
    await stream.ended;
  });

  it('a waiting agent immediately gets the current status', async () => {
    const c = await a.secondInstance();
    const { action_id } = await hold();
    const waiting = c.status(action_id, { Prefer: 'wait=60' });
    await eventually(
      async () => (await a.admin<{ last_polled_at: string | null }>(`GET /approvals/${action_id}`)).last_polled_at,
    );
    await c.app.app.get(EventHub).stop();
    expect((await waiting).json()).toMatchObject({ status: 'PENDING' });
    await c.app.close();
  });
});

it('a person has at most 32 streams on an instance; the next is refused, and the others go on', async () => {
  const streams: EventStream[] = [];
  for (let n = 0; n < 32; n += 1) streams.push(await follow(a, eve));
  const { status, headers, text } = await follow(a, eve);
  expect([status, headers.get('retry-after')]).toEqual([429, '60']);
  await eventually(() => text().includes('You follow live updates in 32 places already'));
  // Other people are not affected, and a place that is left can be taken again.
  expect((await follow(a, a.token)).status).toBe(200);
  streams[0].close();
  await eventually(async () => (await follow(a, eve)).status === 200);
});

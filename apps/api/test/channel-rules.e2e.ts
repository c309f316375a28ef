import type { Channel, ChannelDelivery, QuietHours } from '#contracts';
import { call } from './support/accounts.js';
import { ChannelGateway } from './support/channel-gateway.js';
import { eventually } from './support/eventually.js';

const reach = new ChannelGateway();
const readTitle = (call: { headers: Record<string, unknown> }): string => String(call.headers.title);
const titles = (): string[] => reach.calls('ntfy').map(readTitle);

/** Hours from now, by the time of the gateway. */
function hoursAround(from: number, to: number): QuietHours {
  const at = (hours: number) =>
    new Date(reach.gateway.app.clock.nowMs() + hours * 3_600_000).toISOString().slice(11, 16);
  return { from: at(from), to: at(to), timeZone: 'UTC' };
}

describe('the number of notifications', () => {
  it('two notifications within a minute are sent alone, the rest in one digest with a count of waiting requests', async () => {
    const channel = await reach.create('ntfy');
    const webhook = await reach.create('webhook', { events: ['approval.requested'] });
    const ids: string[] = [];
    for (let count = 0; count < 6; count++) ids.push(await reach.hold());
    await reach.received('ntfy', 2);
    // A webhook gets every event.
    await reach.settledAs(webhook, (all) => all.filter(({ state }) => state === 'delivered').length === 6);
    const inDigest = (all: ChannelDelivery[]) => all.filter(({ state }) => state === 'bundled').length === 4;
    await reach.settledAs(channel, inDigest);
    await reach.gateway.deny(ids[5]);
    await reach.advance({ seconds: 61 });
    await reach.received('ntfy', 3);
    expect(titles()).toEqual([
      'Critical risk: a request is waiting for approval',
      'Critical risk: a request is waiting for approval',
      '3 requests are waiting for approval',
    ]);
    const states = (await reach.deliveries(channel)).map(({ type, state }) => `${type} ${state}`);
    expect(states.filter((state) => state === 'approval.requested bundled')).toHaveLength(3);
    expect(states.filter((state) => state === 'approval.requested withdrawn')).toHaveLength(1);
    // At most one a minute after a digest.
    await reach.hold();
    await reach.gateway.app.settled();
    expect(titles()).toHaveLength(3);
    await reach.advance({ seconds: 61 });
    await reach.received('ntfy', 4);
    expect(titles()[3]).toBe('Critical risk: a request is waiting for approval');
  });

  it('a notification joins the digest that is waiting, even if it could be sent alone again', async () => {
    await reach.create('ntfy');
    await reach.hold();
    await reach.received('ntfy', 1);
    await reach.advance({ seconds: 20 });
    await reach.hold();
    await reach.received('ntfy', 2);
    await reach.hold();
    await reach.gateway.app.settled();
    await reach.advance({ seconds: 41 });
    await reach.hold();
    await reach.gateway.app.settled();
    expect(titles()).toHaveLength(2);
    await reach.advance({ seconds: 20 });
    await reach.received('ntfy', 3);
    expect(titles()[2]).toBe('2 requests are waiting for approval');
  });

  it('in quiet hours only high risks are sent, and the rest follows in one digest', async () => {
    const channel = await reach.create('ntfy', { quietHours: hoursAround(-1, 2) });
    await reach.hold(0.7);
    await reach.hold(0.7);
    await reach.hold(0.95);
    await reach.received('ntfy', 1);
    await reach.gateway.app.settled();
    expect(titles()).toEqual(['Critical risk: a request is waiting for approval']);
    await reach.advance({ hours: 2, minutes: 1 });
    await reach.settledAs(channel, (all) =>
      all.some(({ type, state }) => type === 'approval.digest' && state === 'delivered'),
    );
    expect(titles()).toEqual([
      'Critical risk: a request is waiting for approval',
      '2 requests are waiting for approval',
    ]);
  });

  it('in quiet hours what the channel names effects for is sent too, also in a digest', async () => {
    await reach.create('ntfy', { quietHours: hoursAround(-1, 2), effects: ['delete'] });
    await reach.create('ntfy', { quietHours: hoursAround(-1, 2), effects: ['money'] });
    for (let count = 0; count < 3; count++) await reach.hold(0.7);
    await reach.received('ntfy', 2);
    await reach.advance({ seconds: 61 });
    await reach.received('ntfy', 3);
    const one = 'High risk: a request is waiting for approval';
    expect(titles()).toEqual([one, one, one]);
  });

  it('a digest of low risks waits for the end of quiet hours, and an urgent notification sends it earlier', async () => {
    const channel = await reach.create('ntfy');
    for (let count = 0; count < 4; count++) await reach.hold(0.7);
    await reach.received('ntfy', 2);
    await reach.settledAs(channel, (all) => all.filter(({ state }) => state === 'bundled').length === 2);
    await reach.gateway.admin(`PUT /channels/${channel.id}`, { quietHours: hoursAround(-1, 2) });
    await reach.advance({ seconds: 61 });
    expect(titles()).toHaveLength(2);
    await reach.hold(0.95);
    await reach.received('ntfy', 3);
    expect(titles()[2]).toBe('3 requests are waiting for approval');
  });

  it('more notifications than one statement handles come in one digest', async () => {
    const channel = await reach.create('ntfy');
    await reach.gateway.app.database.query(
      `INSERT INTO channel_deliveries (id, channel_id, type, subject, about, occurred_at, until, state, held_back, next_attempt_at)
       SELECT gen_random_uuid(), $1, 'approval.requested', 'request ' || n, '{}', now(), now() + interval '1 hour', 'waiting', true, now()
       FROM generate_series(1, 1000) n`,
      [channel.id],
    );
    reach.look();
    await reach.received('ntfy', 1);
    await reach.gateway.app.settled();
    expect(titles()).toEqual(['1000 requests are waiting for approval']);
  });
});

describe('a request that waits', () => {
  it('is sent again once when a fifth of its time is left, and not after a decision', async () => {
    await reach.create('ntfy');
    const [left, decided] = [await reach.hold(), await reach.hold()];
    await reach.received('ntfy', 2);
    await reach.gateway.deny(decided);
    await reach.advance({ hours: 19, minutes: 11 });
    expect(titles()).toHaveLength(2);
    await reach.advance({ minutes: 2 });
    await reach.received('ntfy', 3);
    expect(titles()[2]).toBe('Critical risk: a request is still waiting for approval');
    expect(String(reach.calls('ntfy')[2].headers.click)).toContain(left);
    await reach.advance({ minutes: 5 });
    expect(titles()).toHaveLength(3);
  });

  it('is sent again after the minutes that the channel sets, and to the other channel after its minutes', async () => {
    const other = await reach.create('slack');
    const fields = { remindAfterMinutes: 5, escalateTo: other.id, escalateAfterMinutes: 10 };
    await reach.create('discord', fields);
    await reach.gateway.admin(`PUT /channels/${other.id}`, { events: [] });
    await reach.hold();
    await reach.received('discord', 1);
    await reach.advance({ minutes: 6 });
    await reach.received('discord', 2);
    expect(reach.calls('slack')).toEqual([]);
    await reach.advance({ minutes: 5 });
    const [escalated] = await reach.received('slack', 1);
    expect(escalated.body.toString()).toContain('a request still has no decision');
  });
});

describe('channels that escalate to each other', () => {
  it('send a request once more each, and then no more', async () => {
    const one = await reach.create('webhook');
    const two = await reach.create('webhook', { escalateTo: one.id, escalateAfterMinutes: 10 });
    await reach.gateway.admin(`PUT /channels/${one.id}`, { escalateTo: two.id, escalateAfterMinutes: 10 });
    await reach.hold();
    await reach.received('webhook', 2);
    for (const total of [4, 4, 4]) {
      await reach.advance({ minutes: 11 });
      await reach.received('webhook', total);
    }
    for (const channel of [one, two])
      expect((await reach.deliveries(channel)).map(({ type }) => type).sort()).toEqual([
        'approval.escalated',
        'approval.requested',
      ]);
  });

  it('can have no quiet hours if they are webhooks, because a webhook gets every event at once', async () => {
    const { gateway } = reach;
    const own = await reach.create('webhook');
    const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
    const body = { type: 'webhook', name: 'x', target: `${reach.receiver.url}/quiet`, quietHours };
    for (const [route, fields] of [
      [`PUT /channels/${own.id}`, { quietHours }] as const,
      ['POST /channels', body] as const,
    ])
      expect(await gateway.tryAdmin(route, fields)).toMatchObject({
        status: 400,
        body: { error: 'quietHours: a webhook gets every event at once, so it has none' },
      });
  });

  it('must belong to the same workspace; a channel of another workspace is not found', async () => {
    const { gateway } = reach;
    const own = await reach.create('webhook');
    const { id } = await gateway.admin<{ id: number }>('POST /workspaces', { name: 'Elsewhere' });
    const target = `${reach.receiver.url}/elsewhere`;
    const foreign = await call<Channel>(gateway.app, 'POST /channels', {
      token: gateway.token,
      body: { type: 'webhook', name: 'Elsewhere', target },
      headers: { 'X-Workspace-Id': String(id) },
    });
    const settings = { escalateTo: foreign.body.id, escalateAfterMinutes: 5 };
    const body = { type: 'webhook', name: 'x', target, ...settings };
    for (const [route, fields] of [[`PUT /channels/${own.id}`, settings] as const, ['POST /channels', body] as const])
      expect(await gateway.tryAdmin(route, fields)).toMatchObject({
        status: 404,
        body: { error: 'Channel not found' },
      });
  });
});

describe('a decision', () => {
  it('is sent where the request was sent, and withdraws unsent notifications', async () => {
    const told = await reach.create('slack');
    const id = await reach.hold();
    await reach.received('slack', 1);
    const late = await reach.create('discord');
    await reach.gateway.approve(id);
    const [, decided] = await reach.received('slack', 2);
    expect(decided.body.toString()).toContain('"Approved"');
    expect(decided.body.toString()).toContain('By: Ada');
    expect(await reach.deliveries(late)).toEqual([]);
    expect((await reach.deliveries(told)).map(({ type }) => type)).toContain('approval.decided');
  });
});

describe('a receiver', () => {
  it('that is gone switches its channel off, and another channel reports it', async () => {
    const gone = await reach.create('discord', { name: 'Gone' });
    await reach.create('slack', { events: [] });
    reach.receiver.answer((call, response) => response.writeHead(call.path.startsWith('/discord') ? 410 : 204).end());
    await reach.hold();
    const [told] = await reach.received('slack', 1);
    expect(told.body.toString()).toContain('A channel was turned off');
    expect(told.body.toString()).toContain('Channel: Gone');
    const stored = await reach.gateway.admin<Channel>(`GET /channels/${gone.id}`);
    expect(stored).toMatchObject({ isActive: false, disabledReason: 'The receiver answered 410 Gone' });
    const [record] = await reach.gateway.audit('&kind=change&q=channel.disabled');
    expect(record).toMatchObject({ reason: 'channel.disabled', actor: { id: null, name: 'Agent Gateway' } });
    expect((await reach.gateway.tryAdmin(`POST /channels/${gone.id}/test`)).status).toBe(409);
    await reach.gateway.admin(`PUT /channels/${gone.id}`, { isActive: true });
    expect(await reach.gateway.admin(`GET /channels/${gone.id}`)).toMatchObject({
      isActive: true,
      disabledReason: null,
    });
  });

  it('that fails, hangs, redirects or asks for time does not harm others', async () => {
    const failing = await Promise.all(
      ['discord', 'slack', 'teams', 'ntfy'].map((type) => reach.create(type, { events: ['approval.requested'] })),
    );
    const fine = await reach.create('webhook', { events: ['approval.requested'] });
    reach.receiver.answer((call, response) => {
      if (call.path.startsWith('/discord')) response.writeHead(500).end();
      else if (call.path.startsWith('/slack')) response.writeHead(307, { Location: reach.gateway.upstream.url }).end();
      else if (call.path.startsWith('/teams')) response.writeHead(429, { 'Retry-After': '900' }).end();
      else if (call.path.startsWith('/webhook')) response.writeHead(204).end();
    });
    const upstreamCalls = reach.gateway.upstream.calls.length;
    for (let count = 0; count < 3; count++) await reach.hold();
    await reach.settledAs(fine, (all) => all.length === 3 && all.every(({ state }) => state === 'delivered'));
    const errors = await eventually(async () => {
      const first = await Promise.all(failing.slice(0, 3).map(async (each) => (await reach.deliveries(each)).at(-1)!));
      return first.every(({ lastError }) => lastError !== null) && first;
    });
    expect(errors.map(({ lastError }) => lastError)).toEqual([
      'answered 500',
      'answered 307: redirects are not followed',
      'answered 429',
    ]);
    const waitMs = Date.parse(errors[2].nextAttemptAt!) - Date.parse(errors[2].lastAttemptAt!);
    expect(waitMs).toBeGreaterThanOrEqual(900_000);
    expect(reach.gateway.upstream.calls).toHaveLength(upstreamCalls);
  });

  it('that fails for a day marks its channel, and another channel reports it', async () => {
    const failing = await reach.create('discord', { name: 'Broken' });
    await reach.create('slack', { events: [] });
    reach.receiver.answer((call, response) => response.writeHead(call.path.startsWith('/discord') ? 500 : 204).end());
    await reach.hold();
    await eventually(
      async () => (await reach.gateway.admin<Channel>(`GET /channels/${failing.id}`)).failingSince !== null,
    );
    await reach.advance({ hours: 25 });
    await reach.advance({ minutes: 1 });
    const [told] = await reach.received('slack', 1);
    expect(told.body.toString()).toContain('A channel has been failing for a day');
    reach.receiver.answer((_call, response) => response.writeHead(204).end());
    await reach.gateway.admin(`POST /channels/${failing.id}/test`);
    expect(await reach.gateway.admin(`GET /channels/${failing.id}`)).toMatchObject({ failingSince: null });
  });
});

it('two instances send everything once', async () => {
  const second = await reach.gateway.secondInstance({ PRIVATE_CHANNEL_ALLOWLIST: reach.receiver.hostAndPort });
  try {
    const channels = await Promise.all(
      Array.from({ length: 5 }, () => reach.create('webhook', { events: ['approval.requested'] })),
    );
    await Promise.all(Array.from({ length: 8 }, () => reach.hold()));
    for (const channel of channels) {
      await reach.settledAs(channel, (all) => all.length === 8 && all.every(({ state }) => state === 'delivered'));
    }
    const ids = reach.calls('webhook').map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
  } finally {
    await second.app.close();
  }
});

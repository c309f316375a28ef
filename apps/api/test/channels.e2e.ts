import type { Action, Channel, ChannelTestResult, CreatedChannel, RotatedChannelSecret } from '#contracts';
import { CHANNEL_MAILS_PER_HOUR_MAX } from '#contracts/limits';
import { login, register } from './support/accounts.js';
import { ChannelGateway, PUBLIC_URL } from './support/channel-gateway.js';
import { dumpDatabase } from './support/database-dump.js';
import { verified } from './support/webhooks.js';

const reach = new ChannelGateway();

describe('a webhook', () => {
  it('gets every event of a request, signed, with ids and words but no header, body or query', async () => {
    const channel = await reach.create('webhook');
    const { gateway } = reach;
    const targetUrl = `${gateway.upstream.url}/v1/customers/7?secret=query-words`;
    const body = { targetUrl, headers: { 'X-Custom': 'header-words' }, body: '{"a":"body-words"}', method: 'PUT' };
    const id = (await gateway.hold(body)).action_id;
    expect((await gateway.admin<Action>(`GET /approvals/${id}`)).headline).toContain('a: body-words');
    const [asked] = await reach.received('webhook', 1);
    const event = (await verified(asked, channel.secret!, gateway.app.clock.nowMs())) as unknown as Record<
      string,
      unknown
    >;
    expect(event).toMatchObject({
      type: 'approval.requested',
      data: {
        actionId: id,
        agent: 'support-bot',
        service: 'Shop',
        riskScore: expect.any(Number) as number,
        risk: expect.stringMatching(/^(medium|high|critical)$/) as string,
        url: `${PUBLIC_URL}/dashboard/approvals/${id}?workspace=${gateway.agent.userId}`,
      },
    });
    expect(asked.body.toString()).not.toMatch(/query-words|header-words|body-words|clean up/);
    await gateway.approve(id);
    const [, decided] = await reach.received('webhook', 2);
    await expect(verified(decided, channel.secret!, gateway.app.clock.nowMs())).resolves.toMatchObject({
      type: 'approval.decided',
      data: { actionId: id, status: 'APPROVED', decidedBy: 'Ada' },
    });
    const kept = await reach.settledAs(channel, (all) => all.every(({ state }) => state === 'delivered'));
    expect(kept.map(({ type, lastStatus, attempts }) => [type, lastStatus, attempts]).sort()).toEqual([
      ['approval.decided', 204, 1],
      ['approval.requested', 204, 1],
    ]);
    const last = (await gateway.admin<Channel>(`GET /channels/${channel.id}`)).lastDelivery;
    expect(last).toMatchObject({ type: 'approval.decided', tookMs: expect.any(Number) as number });
  });

  it('gets the request and its decision again when an approval was taken back', async () => {
    const channel = await reach.create('webhook');
    const { gateway } = reach;
    const id = await reach.hold();
    await gateway.approve(id);
    await reach.received('webhook', 2);
    await gateway.admin(`PATCH /approvals/${id}/undo`);
    await reach.received('webhook', 3);
    await gateway.deny(id);
    const calls = await reach.received('webhook', 4);
    const events = calls.map(({ body }) => JSON.parse(body.toString()) as { type: string; data: { status?: string } });
    expect(events.map(({ type, data }) => [type, data.status])).toEqual([
      ['approval.requested', undefined],
      ['approval.decided', 'APPROVED'],
      ['approval.requested', undefined],
      ['approval.decided', 'DENIED'],
    ]);
    expect(await reach.settledAs(channel, (all) => all.every(({ state }) => state === 'delivered'))).toHaveLength(4);
  });

  it('is signed with both secrets for 24 hours after a rotation', async () => {
    const before = await reach.create('webhook');
    const rotated = await reach.gateway.admin<RotatedChannelSecret>(`POST /channels/${before.id}/rotate-secret`);
    expect(rotated.previousSecretExpiresAt).not.toBeNull();
    await reach.hold();
    const [call] = await reach.received('webhook', 1);
    const nowMs = reach.gateway.app.clock.nowMs();
    for (const secret of [before.secret!, rotated.secret]) {
      await expect(verified(call, secret, nowMs)).resolves.toMatchObject({ type: 'approval.requested' });
    }
    await reach.advance({ hours: 24, minutes: 1 });
    await reach.hold();
    const calls = await reach.received('webhook', 2);
    const newest = calls.at(-1)!;
    await expect(verified(newest, before.secret!, reach.gateway.app.clock.nowMs())).rejects.toThrow('no signature');
    await expect(verified(newest, rotated.secret, reach.gateway.app.clock.nowMs())).resolves.toBeDefined();
  });

  it('gets no event that is below its risk, for another service, or not chosen', async () => {
    const other = await reach.gateway.createService({ name: 'Other', baseUrl: `${reach.gateway.upstream.url}/other` });
    const quiet = [
      await reach.create('webhook', { minRisk: 1 }),
      await reach.create('webhook', { serviceIds: [other.id] }),
      await reach.create('webhook', { events: ['approval.decided'] }),
      await reach.create('webhook', { isActive: false }),
    ];
    const told = await reach.create('webhook', { serviceIds: [reach.gateway.service.id], minRisk: 0.5 });
    await reach.hold();
    await reach.settledAs(told, (all) => all.length === 1);
    for (const channel of quiet) expect(await reach.deliveries(channel)).toEqual([]);
  });
});

describe('e-mail', () => {
  it('goes to the address of the account, as text and HTML, with the facts that a person needs to decide', async () => {
    const channel = await reach.create('email');
    expect(channel).toMatchObject({ scope: 'me', target: 'a…@example.com', secret: null });
    const id = await reach.hold();
    const [mail] = await reach.mailed(1);
    expect(mail).toMatchObject({ from: 'gateway@example.com', to: ['ada@example.com'] });
    const [delivery] = await reach.settledAs(channel, ([first]) => first.state === 'delivered');
    expect(delivery.lastStatus).toBe(250);
    expect(mail.raw).toContain(`Message-ID: <${delivery.id}@example.com>`);
    expect(mail.raw).toContain('a request is waiting for approval');
    expect(mail.raw).toContain(`${PUBLIC_URL}/dashboard/approvals/${id}?workspace=`);
    expect(mail.raw).toContain('Agent: support-bot');
    expect(mail.raw).toContain('<meta name="color-scheme" content="light dark">');
    expect(mail.raw).not.toMatch(/<img|background|clean up/);
  });

  it('cannot go to any other address', async () => {
    const body = { type: 'email', name: 'x', target: 'mallory@example.com' };
    expect(await reach.gateway.tryAdmin('POST /channels', body)).toMatchObject({
      status: 400,
      body: { error: 'target: e-mail goes to the address of your account; leave it out' },
    });
  });

  it('sends an address a limited number of mails an hour, from all channels and tests, and the rest later', async () => {
    await reach.gateway.app.database.query(
      `INSERT INTO channel_mails VALUES ($1, now(), $2)
       ON CONFLICT (user_id) DO UPDATE SET began_at = excluded.began_at, count = excluded.count`,
      [reach.gateway.agent.userId, CHANNEL_MAILS_PER_HOUR_MAX - 1],
    );
    const test = async () => {
      const { id } = await reach.create('email');
      const { message } = await reach.gateway.admin<ChannelTestResult>(`POST /channels/${id}/test`);
      await reach.gateway.admin(`DELETE /channels/${id}`);
      return message;
    };
    expect(await test()).toMatch(/^Delivered/);
    expect(await test()).toBe('Not delivered: Your address received 60 e-mails within an hour');
    const channel = await reach.create('email');
    await reach.hold();
    await reach.settledAs(channel, ([{ state, lastError }]) => state === 'pending' && lastError !== null);
    expect(reach.mail.mails).toHaveLength(1);
    await reach.advance({ hours: 1.5 });
    await reach.settledAs(channel, ([{ state }]) => state === 'delivered');
    expect(reach.mail.mails).toHaveLength(2);
  });

  it('reports the answer of the mail server, and tries again', async () => {
    const channel = await reach.create('email');
    reach.mail.refuse({ code: 451, text: 'secret words of the server' });
    const test = await reach.gateway.admin<ChannelTestResult>(`POST /channels/${channel.id}/test`);
    expect(test).toMatchObject({ message: 'Not delivered: the receiver answered 451', delivery: { state: 'failed' } });
    await reach.hold();
    const [failed] = await reach.settledAs(
      channel,
      ([{ type, lastError }]) => type !== 'channel.test' && lastError !== null,
    );
    expect(failed).toMatchObject({ state: 'pending', attempts: 1, lastError: 'answered 451' });
    reach.mail.refuse(null);
    await reach.advance({ seconds: 10 });
    await reach.settledAs(channel, (all) => all.some(({ state }) => state === 'delivered'));
    expect(reach.mail.mails).toHaveLength(1);
    const tables = await dumpDatabase((sql) => reach.gateway.app.database.query<Record<string, unknown>[]>(sql));
    expect(JSON.stringify(tables)).not.toContain('secret words of the server');
  });
});

describe('channels and people', () => {
  const member = async (role: string): Promise<{ token: string; id: number }> => {
    const email = `${role}-${Math.random().toString(36).slice(2)}@example.com`;
    const { id } = await register(reach.gateway.app, email, { name: role });
    await reach.gateway.app.database.query(
      `INSERT INTO workspace_members (workspace_id, user_id, role, joined_at) VALUES ($1, $2, $3, '2000-01-01')`,
      [reach.gateway.agent.userId, id, role],
    );
    return { id, token: (await login(reach.gateway.app, email)).accessToken };
  };

  it('people see their own, administrators also those of the workspace, and nobody those of others', async () => {
    const shared = await reach.create('webhook');
    const mine = await reach.create('email');
    const approver = await member('approver');
    const admin = await member('admin');
    const list = async (token: string) =>
      (await reach.gateway.tryAdmin<Channel[]>('GET /channels', undefined, token)).body.map(({ id }) => id);
    expect(await list(reach.gateway.token)).toEqual([shared.id, mine.id]);
    expect(await list(admin.token)).toEqual([shared.id]);
    expect(await list(approver.token)).toEqual([]);
    for (const route of [`GET /channels/${mine.id}`, `DELETE /channels/${mine.id}`, `POST /channels/${mine.id}/test`]) {
      expect(await reach.gateway.tryAdmin(route, undefined, admin.token)).toMatchObject({
        status: 404,
        body: { error: 'Channel not found' },
      });
    }
    const webhook = { type: 'webhook', name: 'x', target: `${reach.receiver.url}/x` };
    expect(await reach.gateway.tryAdmin('POST /channels', webhook, approver.token)).toMatchObject({
      status: 403,
      body: { error: 'Your role (approver) does not allow this' },
    });
    const own = { type: 'email', name: 'x', escalateTo: shared.id, escalateAfterMinutes: 5 };
    expect((await reach.gateway.tryAdmin('POST /channels', own, approver.token)).status).toBe(404);
  });

  it('a person who may no longer decide gets no notification, and a person who leaves has no channels', async () => {
    const approver = await member('approver');
    const body = { type: 'ntfy', name: 'x', target: `${reach.receiver.url}/ntfy-mine` };
    const made = await reach.gateway.tryAdmin<CreatedChannel>('POST /channels', body, approver.token);
    expect(made.status).toBe(201);
    const change = (sql: string) => reach.gateway.app.database.query(sql, [approver.id]);
    // The notification is queued while the person may decide, and due when the person no longer may.
    reach.receiver.answer((_call, response) => response.writeHead(500).end());
    await reach.hold();
    await reach.received('ntfy', 1);
    await change(`UPDATE workspace_members SET role = 'auditor' WHERE user_id = $1 AND role = 'approver'`);
    await reach.advance({ minutes: 1 });
    await reach.hold();
    await reach.gateway.app.settled();
    expect(reach.calls('ntfy')).toHaveLength(1);
    await change('DELETE FROM workspace_members WHERE user_id = $1');
    const left: unknown[] = await reach.gateway.app.database.query('SELECT FROM channels WHERE id = $1', [
      made.body.id,
    ]);
    expect(left).toEqual([]);
  });
});

it('a target is stored encrypted, and shown and recorded masked', async () => {
  const channel = await reach.create('webhook');
  expect(channel.target).toBe(`${reach.receiver.url}/…`);
  await reach.gateway.admin(`PUT /channels/${channel.id}`, { name: 'Renamed', quietHours: null });
  await reach.gateway.admin(`POST /channels/${channel.id}/test`);
  const tables = await dumpDatabase((sql) => reach.gateway.app.database.query<Record<string, unknown>[]>(sql));
  expect(JSON.stringify(tables)).not.toContain('key=planted');
  expect(JSON.stringify(tables)).not.toContain(channel.secret!);
  expect(JSON.stringify(await reach.gateway.admin(`GET /channels/${channel.id}`))).not.toContain('planted');
});

describe('bad input', () => {
  it.each([
    [{ target: 'nowhere' }, 400, 'target: must be a valid URL'],
    [{ target: 'http://example.com/' }, 400, 'target: must be an https URL'],
    [{ target: 'https://127.0.0.1/' }, 403, 'Access to private IP ranges is forbidden'],
    [{ target: undefined }, 400, 'target: must be a URL'],
    [{ type: 'pigeon' }, 400, /^type: must be one of/],
    [{ name: 'two\nlines' }, 400, 'name: must be one line'],
    [{ minRisk: 2 }, 400, /^minRisk: /],
    [{ serviceIds: [2147483647] }, 404, 'Service not found'],
    [{ events: ['rain'] }, 400, /^events: /],
    [{ quietHours: { from: '22:00', to: '7', timeZone: 'UTC' } }, 400, 'quietHours.to: must be a time like 07:00'],
    [
      { quietHours: { from: '22:00', to: '22:00', timeZone: 'UTC' } },
      400,
      'quietHours.to: must differ from quietHours.from',
    ],
    [
      { quietHours: { from: '22:00', to: '07:00', timeZone: 'Mars/Base' } },
      400,
      'quietHours.timeZone: must be a time zone like Europe/Berlin',
    ],
    [{ escalateTo: 2147483647, escalateAfterMinutes: 5 }, 404, 'Channel not found'],
    [{ escalateAfterMinutes: 5 }, 400, 'escalateTo: must be set together with escalateAfterMinutes'],
  ])('%j', async (fields, status, error) => {
    const body = { type: 'webhook', name: 'x', target: `${reach.receiver.url}/x`, ...fields };
    const answer = await reach.gateway.tryAdmin('POST /channels', body);
    expect([answer.status, answer.body.error]).toEqual([
      status,
      typeof error === 'string' ? error : expect.stringMatching(error),
    ]);
    expect(await reach.gateway.admin('GET /channels')).toEqual([]);
  });
});

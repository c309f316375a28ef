import type { ActionCounts, Channel, ChannelDeliveryPage, Service } from '#contracts';
import { CHANNEL_EVENTS } from '#contracts/channel-states';
import { ChannelReminders } from '../src/channels/channel-reminders.js';
import { ChannelGateway, PUBLIC_URL } from './support/channel-gateway.js';
import { eventually } from './support/eventually.js';
import type { Gateway } from './support/gateway.js';
import { team, type Team } from './support/team.js';

const reach = new ChannelGateway();
let people: Team;

/** For each role, the types of notifications that people's own channels got. */
async function toldByRole(): Promise<Record<string, string[]>> {
  await reach.gateway.app.settled();
  const told: Record<string, string[]> = {};
  for (const name of ['ada', 'bea', 'cal']) {
    const { body } = await people.as<Channel[]>(name, 'GET /channels');
    const own = body.filter(({ scope }) => scope === 'me');
    const pages = await Promise.all(
      own.map(({ id }) => people.as<ChannelDeliveryPage>(name, `GET /channels/${id}/deliveries`)),
    );
    told[name] = pages.flatMap((page) => page.body.items.map(({ type }) => type)).reverse();
  }
  return told;
}

/** Creates an owner, an admin and an approver, each with a channel. */
beforeAll(async () => {
  people = team(reach.gateway);
  await people.join('bea', 'admin');
  await people.join('cal', 'approver');
});
beforeEach(async () => {
  people = await signedInAgain(people);
  for (const name of ['bea', 'cal']) {
    const { body } = await people.as<Channel[]>(name, 'GET /channels');
    for (const { id, scope } of body) if (scope === 'me') await people.as(name, `DELETE /channels/${id}`);
  }
  for (const name of ['ada', 'bea', 'cal']) {
    await people.as(name, 'POST /channels', { type: 'email', name: 'Mail' });
  }
});

const data = (body: Buffer) => (JSON.parse(body.toString()) as { data: Record<string, unknown> }).data;

describe('a pause of the workspace', () => {
  const pause = (reason: string) => reach.gateway.admin(`POST /workspaces/${people.workspaceId}/pause`, { reason });
  const resume = () => reach.gateway.admin(`POST /workspaces/${people.workspaceId}/resume`);

  it('and its end are sent to everyone, once each', async () => {
    await reach.create('webhook');
    await pause('Too many refunds');
    await pause('Another reason');
    const [paused] = await reach.received('webhook', 1);
    expect(data(paused.body)).toMatchObject({ reason: 'Too many refunds', by: 'Ada', workspaceId: people.workspaceId });
    await resume();
    const [, resumed] = await reach.received('webhook', 2);
    expect(JSON.parse(resumed.body.toString())).toMatchObject({ type: 'workspace.resumed' });
    const mails = await reach.mailed(6);
    expect(mails.filter(({ raw }) => raw.includes('Reason: Too many refunds'))).toHaveLength(3);
    const both = ['workspace.paused', 'workspace.resumed'];
    expect(await toldByRole()).toEqual({ ada: both, bea: both, cal: both });
  });

  it('is not sent by a channel that has not chosen it', async () => {
    const [{ id }] = await reach.gateway.admin<Channel[]>('GET /channels');
    const events = CHANNEL_EVENTS.filter((event) => event !== 'workspace.paused');
    expect(await reach.gateway.admin(`PUT /channels/${id}`, { events })).toMatchObject({ events });
    await pause('Stop');
    await resume();
    await reach.mailed(5);
    expect((await toldByRole()).ada).toEqual(['workspace.resumed']);
  });
});

describe('credentials that are due', () => {
  const remind = () => reach.gateway.app.app.get(ChannelReminders).run();

  it('are reported to administrators once for each due date, also by two instances at the same time', async () => {
    const second = await reach.second();
    const { id } = await reach.gateway.createService({ name: 'Due', rotateEveryDays: 30 });
    const hook = await reach.create('webhook', { serviceIds: [id] });
    const other = await reach.create('webhook', { serviceIds: [reach.gateway.service.id] });
    await reach.advance({ hours: 29 * 24 });
    expect(await reach.deliveries(hook)).toEqual([]);
    await reach.gateway.app.advance({ hours: 25 });
    await reach.gateway.logInAgain();
    people = await signedInAgain(people);
    await Promise.all([remind(), second.app.app.get(ChannelReminders).run()]);
    await remind();
    reach.look();
    const [told] = await reach.received('webhook', 1);
    const service = await reach.gateway.admin<Service>(`GET /services/${id}`);
    expect(data(told.body)).toMatchObject({
      service: 'Due',
      serviceId: id,
      url: `${PUBLIC_URL}/dashboard/services/${id}?workspace=${people.workspaceId}`,
    });
    expect(new Date(String(data(told.body).dueAt)).toISOString().slice(0, 19)).toBe(
      service.rotationDueAt!.slice(0, 19),
    );
    await reach.mailed(2);
    expect(await toldByRole()).toEqual({ ada: ['credential.due'], bea: ['credential.due'], cal: [] });
    expect(await reach.deliveries(other)).toEqual([]);
    await reach.gateway.admin(`PUT /services/${id}/credentials`, { credentials: { token: 'new' } });
    await reach.advance({ hours: 30 * 24 + 1 });
    await reach.advance({ minutes: 2 });
    await reach.received('webhook', 2);
    await second.app.close();
  });
});

describe('the risk model', () => {
  const ask = (gateway: Gateway = reach.gateway) => gateway.proxy();
  const fail = (gateway: Gateway['model']) => gateway.answer({ body: 'broken', status: 400 });

  const failingSince = async () => {
    const { body } = await people.as<ActionCounts>('cal', 'GET /approvals/counts');
    return body.modelFailingSince;
  };

  it('that fails once, or often within a minute, does not count as an outage', async () => {
    fail(reach.gateway.model);
    for (let times = 0; times < 4; times++) await ask();
    reach.gateway.model.answer({ score: 0 });
    await ask();
    fail(reach.gateway.model);
    await reach.advance({ minutes: 2 });
    people = await signedInAgain(people);
    await ask();
    reach.gateway.model.answer({ score: 0 });
    await ask();
    expect(await toldByRole()).toEqual({ ada: [], bea: [], cal: [] });
    expect(await failingSince()).toBeNull();
  });

  it('that fails for a while is reported to administrators once per outage, by one of two instances', async () => {
    const second = await reach.second();
    await reach.create('webhook');
    const outage = async () => {
      fail(reach.gateway.model);
      for (const gateway of [reach.gateway, second]) for (let times = 0; times < 2; times++) await ask(gateway);
      await reach.advance({ minutes: 2 });
      second.app.clock.advance({ minutes: 2 });
      for (const gateway of [reach.gateway, second]) for (let times = 0; times < 2; times++) await ask(gateway);
      await Promise.all([reach.gateway.app.settled(), second.app.settled()]);
    };
    await outage();
    people = await signedInAgain(people);
    const [told] = await reach.received('webhook', 1);
    expect(data(told.body)).toMatchObject({ reason: 'model server answered HTTP 400' });
    await reach.mailed(2);
    expect(await toldByRole()).toEqual({ ada: ['risk.failing'], bea: ['risk.failing'], cal: [] });
    // Approvers see it in their inbox, without the reason.
    const since = await failingSince();
    expect(since).toEqual(expect.any(String));
    // The model keeps failing and recovering: that is one outage.
    for (const answers of [true, false]) {
      reach.gateway.model.answer({ score: 0 });
      for (const gateway of [reach.gateway, second]) if (answers) await ask(gateway);
      await outage();
    }
    expect(await failingSince()).toBe(since);
    reach.gateway.model.answer({ score: 0 });
    await ask();
    await reach.gateway.app.settled();
    expect(await failingSince()).toBeNull();
    await reach.advance({ hours: 1 });
    second.app.clock.advance({ hours: 1 });
    await outage();
    await reach.received('webhook', 2);
    await reach.gateway.app.settled();
    expect(reach.calls('webhook')).toHaveLength(2);
    await second.app.close();
  });
});

it('a request that too few people may approve is reported to owners, once', async () => {
  await reach.create('webhook', { events: ['approvers.missing'] });
  const { id: ruleId } = await reach.gateway.admin<{ id: number }>(
    `POST /services/${reach.gateway.service.id}/risk-rules`,
    { name: 'five', effect: 'require_approval', approvals: 5 },
  );
  const action = await reach.hold();
  await reach.gateway.admin(`DELETE /services/${reach.gateway.service.id}/risk-rules/${ruleId}`);
  const [told] = await reach.received('webhook', 1);
  expect(data(told.body)).toMatchObject({ actionId: action, agent: 'support-bot' });
  const roles = await toldByRole();
  expect(roles.ada.sort()).toEqual(['approval.requested', 'approvers.missing']);
  expect([...roles.bea, ...roles.cal]).toEqual(['approval.requested', 'approval.requested']);
  await reach.hold();
  await reach.gateway.app.settled();
  expect(reach.calls('webhook')).toHaveLength(1);
});

it('when the receiver of a person is gone, the other channel of the person reports it, and nobody else gets a notification', async () => {
  const target = `${reach.receiver.url}/gone`;
  await people.as('cal', 'POST /channels', { type: 'ntfy', name: 'Old phone', target });
  reach.receiver.answer((_call, response) => response.writeHead(410).end());
  await reach.hold();
  const mails = await eventually(() => {
    const found = reach.mail.mails.filter(({ raw }) => raw.includes('Channel: Old phone'));
    return found.length > 0 && found;
  });
  expect(mails.map(({ to }) => to)).toEqual([['cal@example.com']]);
  const told = await toldByRole();
  expect(told.ada.concat(told.bea)).not.toContain('channel.disabled');
});

/** Logs people in again after the clock was moved past the expiry of access tokens. */
async function signedInAgain(before: Team): Promise<Team> {
  const again = team(reach.gateway);
  for (const name of ['bea', 'cal']) await again.signIn(name, before.findId(name));
  return again;
}

import { ChannelReminders } from '../src/channels/channel-reminders.js';
import type { Channel, ChannelDelivery } from '#contracts';
import { ChannelGateway } from './support/channel-gateway.js';
import { team, type Team } from './support/team.js';

/** Which of several people are notified of a request, and when. */
const reach = new ChannelGateway();
let people: Team;
beforeAll(async () => {
  people = team(reach.gateway);
  await people.join('bea', 'approver');
  await people.join('cal', 'approver');
});
beforeEach(async () => {
  for (const name of ['bea', 'cal']) {
    await people.signIn(name, people.findId(name));
    for (const { id } of (await people.as<Channel[]>(name, 'GET /channels')).body) {
      await people.as(name, `DELETE /channels/${id}`);
    }
  }
});

const addPhone = (name: string, fields: object): Promise<unknown> =>
  people.as(name, 'POST /channels', { type: 'ntfy', name, target: `${reach.receiver.url}/ntfy-${name}`, ...fields });
const toldAt = (name: string): string[] =>
  reach.receiver.calls.filter(({ path }) => path === `/ntfy-${name}`).map(({ headers }) => String(headers.title));

describe('when a rule names who decides', () => {
  it('only they get notifications of the request and its reminders', async () => {
    const path = `/services/${reach.gateway.service.id}/risk-rules`;
    const rule = { name: 'Bea decides', effect: 'require_approval', approverIds: [people.findId('bea')] };
    const { id } = await reach.gateway.admin<{ id: number }>(`POST ${path}`, rule);
    const fields = { remindAfterMinutes: 5 };
    for (const name of ['bea', 'cal']) await addPhone(name, fields);
    await reach.hold();
    await reach.received('ntfy', 1);
    await reach.advance({ minutes: 6 });
    await reach.received('ntfy', 2);
    await reach.gateway.app.settled();
    expect([toldAt('bea').length, toldAt('cal')]).toEqual([2, []]);
    await reach.gateway.admin(`DELETE ${path}/${id}`);
    await reach.hold();
    await reach.received('ntfy', 4);
    expect(toldAt('cal')).toHaveLength(1);
  });
});

describe('reminders and escalations', () => {
  const COUNT = 3;

  it('are sent once by two instances', async () => {
    const second = await reach.second();
    const other = await reach.create('webhook', { events: [] });
    const fields = { remindAfterMinutes: 5, escalateTo: other.id, escalateAfterMinutes: 5, minRisk: 0 };
    await reach.create('webhook', { ...fields, events: ['approval.requested', 'approval.reminder'] });
    for (let count = 0; count < COUNT; count++) await reach.hold();
    await reach.received('webhook', COUNT);
    await reach.gateway.app.advance({ minutes: 6 });
    const jobs = [reach.gateway, second].map(({ app }) => app.app.get(ChannelReminders));
    await Promise.all(jobs.flatMap((job) => [job.run(), job.run()]));
    reach.look();
    await reach.received('webhook', COUNT * 3);
    await reach.gateway.logInAgain();
    await reach.advance({ minutes: 6 });
    await second.app.settled();
    const types = reach.calls('webhook').map(({ body }) => (JSON.parse(body.toString()) as { type: string }).type);
    for (const type of ['approval.requested', 'approval.reminder', 'approval.escalated'])
      expect([type, types.filter((each) => each === type).length]).toEqual([type, COUNT]);
    await second.app.close();
  });

  it.each(['approve', 'deny'] as const)('are not sent after somebody chose to %s', async (decide) => {
    const other = await reach.create('slack', { events: [] });
    const fields = { remindAfterMinutes: 5, escalateTo: other.id, escalateAfterMinutes: 5 };
    const asked = await reach.create('discord', { ...fields, events: ['approval.requested', 'approval.reminder'] });
    const [decided, open] = [await reach.hold(), await reach.hold()];
    await reach.received('discord', 2);
    await reach.gateway[decide](decided);
    await reach.advance({ minutes: 6 });
    // This notification is about the other request. Its arrival shows that both jobs have run and sent.
    const [escalated] = await reach.received('slack', 1);
    expect(escalated.body.toString()).toContain(open);
    await reach.settledAs(asked, (all) => all.filter(({ state }) => state === 'delivered').length === 3);
    expect(reach.calls('slack').filter(({ body }) => body.toString().includes(decided))).toEqual([]);
    const reminded = reach.calls('discord').slice(2);
    expect(reminded.map(({ body }) => body.toString().includes(open))).toEqual([true]);
  });
});

/** Quiet hours follow the local time of the person: docs/notifications.md#how-much. */
const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
const nowMs = (): number => reach.gateway.app.clock.nowMs();
const toldTitles = (): string[] => reach.calls('ntfy').map(({ headers }) => String(headers.title));

/** The local time at a moment, without seconds. */
const wall = (timeZone: string, atMs: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(atMs);

const advanceTo = (atMs: number): Promise<void> => reach.advance({ seconds: Math.ceil((atMs - nowMs()) / 1000) });

/**
 * The only delivery of the channel, when the gateway has looked at it. A notification from PostgreSQL makes the gateway
 * look.
 */
async function postponed(channel: { id: number }): Promise<ChannelDelivery> {
  const [delivery] = await reach.settledAs(channel, ([first]) => Date.parse(first?.nextAttemptAt ?? '') > nowMs());
  return delivery;
}

describe.each(['Asia/Kolkata', 'America/Los_Angeles', 'Pacific/Kiritimati'])('in %s', (timeZone) => {
  it('quiet hours hold back notifications until they end, also over midnight, and have no effect at other times', async () => {
    // The second range contains midnight in at least one of the three zones, and the first one often does too.
    for (const [from, to] of [
      [-1, 3],
      [-11, 11],
    ]) {
      const begun = nowMs();
      const endsAt = begun + to * HOUR_MS;
      const quietHours = { from: wall(timeZone, begun + from * HOUR_MS), to: wall(timeZone, endsAt), timeZone };
      const channel = await reach.create('ntfy', { quietHours });
      const id = await reach.hold(0.7);
      const waiting = await postponed(channel);
      expect(waiting.state).toBe('waiting');
      expect(Date.parse(waiting.nextAttemptAt!)).toBe(endsAt - (endsAt % MINUTE_MS));
      await reach.gateway.deny(id);
      await reach.gateway.admin(`DELETE /channels/${channel.id}`);
    }
    const now = nowMs();
    const quietHours = { from: wall(timeZone, now + HOUR_MS), to: wall(timeZone, now - HOUR_MS), timeZone };
    await reach.create('ntfy', { quietHours });
    await reach.hold(0.7);
    await reach.received('ntfy', 1);
  });
});

it('end at the local hour in the night when summer time begins', async () => {
  const timeZone = 'Europe/Berlin';
  const begins = nextSummerTime();
  // Saturday, 23:30 in winter time.
  await advanceTo(begins - 2.5 * HOUR_MS);
  const channel = await reach.create('ntfy', { quietHours: { from: '22:00', to: '07:00', timeZone } });
  await reach.hold(0.7);
  const { nextAttemptAt } = await postponed(channel);
  // 07:00 in summer time. One hour of this night does not exist.
  expect(Date.parse(nextAttemptAt!)).toBe(begins + 4 * HOUR_MS);
  await advanceTo(begins + 3.9 * HOUR_MS);
  expect(toldTitles()).toEqual([]);
  await advanceTo(begins + 4.1 * HOUR_MS);
  await reach.received('ntfy', 1);
});

/** 01:00 UTC on the last Sunday of March. */
function nextSummerTime(): number {
  for (let year = new Date(nowMs()).getUTCFullYear(); ; year++) {
    const last = new Date(Date.UTC(year, 2, 31, 1));
    last.setUTCDate(31 - last.getUTCDay());
    if (last.getTime() - nowMs() > 24 * HOUR_MS) return last.getTime();
  }
}

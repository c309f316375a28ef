import { ChannelReminders } from '../src/channels/channel-reminders.js';
import type { Channel } from '#contracts';
import { ChannelGateway } from './support/channel-gateway.js';
import { team, type Team } from './support/team.js';

/** Tests which of several people are notified of a request, and until when. */
const reach = new ChannelGateway();
let people: Team;
beforeAll(async () => {
  people = team(reach.gateway);
  await people.join('bea', 'approver');
  await people.join('cal', 'approver');
});
beforeEach(async () => {
  for (const name of ['bea', 'cal']) {
    await people.signIn(name, people.idOf(name));
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
    const rule = { name: 'Bea decides', effect: 'require_approval', approverIds: [people.idOf('bea')] };
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

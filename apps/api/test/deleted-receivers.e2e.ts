import type { Action, CreatedChannel } from '#contracts';
import { call, PASSWORD } from './support/accounts.js';
import { ChannelReminders } from '../src/channels/channel-reminders.js';
import { ChannelGateway } from './support/channel-gateway.js';
import { eventually } from './support/eventually.js';

const reach = new ChannelGateway();

const whileDeleting = <T>({ id }: CreatedChannel, work: () => Promise<T>): Promise<T> =>
  during(`DELETE FROM channels WHERE id = ${id}`, work);

/** Deletes a receiver while something else is under way that it would be told of. */
async function during<T>(deletion: string, work: () => Promise<T>): Promise<T> {
  const { database } = reach.gateway.app;
  const runner = database.createQueryRunner();
  await runner.startTransaction();
  try {
    await runner.query(deletion);
    const working = work();
    // Its failure is the caller's.
    working.catch(() => undefined);
    await eventually(async () => {
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await database.query<unknown[]>(waiting)).length > 0;
    });
    await runner.commitTransaction();
    return await working;
  } finally {
    await runner.release();
  }
}

const waitForDelivery = (channel: CreatedChannel, type: string): Promise<unknown> =>
  reach.settledAs(channel, (all) => all.some((each) => each.type === type && each.state === 'delivered'));

describe('a channel that somebody deletes at the same moment', () => {
  it('does not prevent the hold of a request, and other channels get the notification', async () => {
    const [gone, stays] = [await reach.create('webhook'), await reach.create('webhook')];
    const id = await whileDeleting(gone, () => reach.hold());
    expect((await reach.gateway.admin<Action>(`GET /approvals/${id}`)).status).toBe('PENDING');
    await waitForDelivery(stays, 'approval.requested');
  });

  it('does not prevent a decision, and other channels get the notification', async () => {
    const [gone, stays] = [await reach.create('webhook'), await reach.create('webhook')];
    const id = await reach.hold();
    const { status } = await whileDeleting(gone, () => reach.gateway.deny(id));
    expect(status).toBe('DENIED');
    await waitForDelivery(stays, 'approval.decided');
  });

  it('does not prevent a log-in from a new browser', async () => {
    const gone = await reach.create('ntfy');
    const body = { email: 'ada@example.com', password: PASSWORD };
    const headers = { 'User-Agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Firefox/140.0' };
    const { status } = await whileDeleting(gone, () => call(reach.gateway.app, 'POST /auth/login', { body, headers }));
    expect(status).toBe(200);
  });

  it('does not prevent reminders and escalations to other channels', async () => {
    const gone = await reach.create('webhook', { remindAfterMinutes: 1 });
    const first = await reach.create('webhook', { remindAfterMinutes: 1 });
    await reach.hold();
    const last = await reach.create('webhook');
    const escalation = { escalateTo: last.id, escalateAfterMinutes: 1 };
    await reach.gateway.admin(`PUT /channels/${first.id}`, escalation);
    await reach.gateway.app.advance({ minutes: 2 });
    await whileDeleting(gone, () => reach.gateway.app.app.get(ChannelReminders).run());
    reach.look();
    await waitForDelivery(first, 'approval.reminder');
    await waitForDelivery(last, 'approval.escalated');
  });
});

it('a decision succeeds although the agent deletes its callback at the same moment', async () => {
  const { agent, upstream } = reach.gateway;
  for (const choice of ['approve', 'deny'] as const) {
    await reach.gateway.admin(`PUT /agents/${agent.id}/callback`, { url: `${upstream.url}/callback` });
    const id = await reach.hold();
    const deletion = `DELETE FROM callbacks WHERE agent_id = ${agent.id}`;
    const { status } = await during(deletion, () => reach.gateway[choice](id));
    expect(status).toBe(choice === 'approve' ? 'APPROVED' : 'DENIED');
  }
});

import type { ChannelDelivery } from '#contracts';
import { ChannelGateway } from './support/channel-gateway.js';

/** Quiet hours follow the local time of the person: docs/notifications.md#how-much. */
const reach = new ChannelGateway();
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

import type { Channel, ChannelDelivery, ChannelDeliveryPage, ChannelTestResult, CreatedChannel } from '#contracts';
import { ApprovalQueue } from '../src/approvals/approval-queue.js';
import { ChannelReminders } from '../src/channels/channel-reminders.js';
import { ChannelSender } from '../src/channels/channel-sender.js';
import { dumpDatabase } from './support/database-dump.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { blockText, BOT_TOKEN, SIGNING_SECRET, Slack, SLACK_CHANNEL } from './support/slack.js';

const PUBLIC_URL = 'https://gateway.example.com';
const BOT = { botToken: BOT_TOKEN, signingSecret: SIGNING_SECRET, slackChannel: SLACK_CHANNEL };

let slack: Slack;
let gateway: Gateway;
beforeAll(async () => {
  slack = await Slack.start();
  gateway = await startGateway({ PRIVATE_CHANNEL_ALLOWLIST: slack.hostAndPort, PUBLIC_URL });
  slack.serve(gateway.app);
});
afterAll(async () => {
  await gateway?.close();
  await slack?.close();
});
beforeEach(async () => {
  slack.reset();
  for (const { id } of await gateway.admin<Channel[]>('GET /channels')) await gateway.admin(`DELETE /channels/${id}`);
  await gateway.app.settled();
});

const create = (fields: object = {}) =>
  gateway.admin<CreatedChannel>('POST /channels', { type: 'slack', name: 'On call', ...BOT, ...fields });

let serial = 0;
const hold = async (): Promise<string> => {
  const targetUrl = `${gateway.upstream.url}/v1/customers/${++serial}?key=planted-query`;
  return (await gateway.hold({ targetUrl })).action_id;
};

const deliveries = async ({ id }: { id: number }): Promise<ChannelDelivery[]> =>
  (await gateway.admin<ChannelDeliveryPage>(`GET /channels/${id}/deliveries?limit=200`)).items;

const look = () => gateway.app.app.get(ChannelSender).wake();

describe('a Slack app as a channel', () => {
  it('is checked with Slack, stored encrypted, and never shown again', async () => {
    const channel = await create();
    expect(channel).toMatchObject({
      target: `Slack app, channel ${SLACK_CHANNEL}`,
      scope: 'workspace',
      secret: null,
    });
    expect(channel.events).toContain('approval.requested');
    expect(channel.events).not.toContain('approval.decided');
    const shown = JSON.stringify([channel, await gateway.admin(`GET /channels/${channel.id}`), await gateway.audit()]);
    const tables = JSON.stringify(await dumpDatabase((sql) => gateway.app.database.query(sql)));
    for (const secret of [BOT_TOKEN, SIGNING_SECRET]) {
      expect(shown).not.toContain(secret);
      expect(tables).not.toContain(secret);
    }
  });

  it.each([
    [
      { botToken: 'xoxb-another-token-of-nobody' },
      'botToken: Slack answered invalid_auth: Slack does not accept the bot token',
    ],
    [{ botToken: 'xoxp-1234567890-a-person' }, 'botToken: must be the token of a bot, like xoxb-…'],
    [{ signingSecret: undefined }, 'signingSecret: must be given with the other two fields of the Slack app'],
    [{ signingSecret: 'short' }, 'signingSecret: must be the signing secret of the app, 32 letters and digits'],
    [{ slackChannel: '#general' }, 'slackChannel: must be the id of a channel in Slack, like C0123456789'],
    [{ target: 'https://hooks.slack.com/services/a' }, 'target: leave it out with botToken'],
    [{ type: 'teams', target: 'https://example.com/a' }, 'botToken: only channels of type slack have this field'],
  ])('is refused with %j', async (fields, error) => {
    const body = { type: 'slack', name: 'x', ...BOT, ...fields };
    expect(await gateway.tryAdmin('POST /channels', body)).toMatchObject({ status: 400, body: { error } });
  });

  it('says when Slack does not answer', async () => {
    slack.faults.set('auth.test', { error: 'x', status: 503 });
    expect(await gateway.tryAdmin('POST /channels', { type: 'slack', name: 'x', ...BOT })).toMatchObject({
      status: 400,
      body: { error: 'botToken: Slack answered x' },
    });
  });

  it('can become an incoming webhook, and then an app again', async () => {
    const { id } = await create();
    const target = `http://${slack.hostAndPort}/services/planted`;
    const webhook = await gateway.admin<Channel>(`PUT /channels/${id}`, { target });
    expect(webhook.target).toBe(`http://${slack.hostAndPort}/…`);
    await expect(gateway.admin<Channel>(`PUT /channels/${id}`, BOT)).resolves.toMatchObject({
      target: `Slack app, channel ${SLACK_CHANNEL}`,
    });
    expect(await gateway.tryAdmin(`PUT /channels/${id}`, { slackChannel: SLACK_CHANNEL })).toMatchObject({
      status: 400,
      body: { error: 'botToken: must be given with the other two fields of the Slack app' },
    });
    expect(await gateway.tryAdmin(`POST /channels/${id}/rotate-secret`)).toMatchObject({
      status: 409,
      body: { error: 'Only a webhook has a secret' },
    });
  });
});

describe('its messages', () => {
  it('are replaced when the request is approved and when it was sent, without further messages', async () => {
    const channel = await create();
    const id = await hold();
    const asked = await slack.message((text) => text.includes('a request is waiting for approval'));
    expect(blockText(asked.blocks)).toContain('Agent: support-bot');
    expect(JSON.stringify(asked.blocks)).toContain(`${PUBLIC_URL}/dashboard/approvals/${id}?workspace=`);
    expect(JSON.stringify(asked)).not.toMatch(/planted-query|clean up/);
    await gateway.approve(id);
    await slack.message((text) => /^Approved by Ada, \d+ s\n/.test(text));
    await gateway.execute(id);
    const sent = await slack.message((text) => /^Approved by Ada, \d+ s\. The request was sent\n/.test(text));
    expect(sent.ts).toBe(asked.ts);
    expect(slack.messages).toHaveLength(1);
    const kept = await eventually(async () => {
      const all = await deliveries(channel);
      return all.every(({ state }) => state === 'delivered') && all;
    });
    expect(kept.map(({ type }) => type).sort()).toEqual(['approval.requested', 'approval.updated']);
  });

  it('say that it was denied, and that an approval was withdrawn', async () => {
    await create();
    const denied = await hold();
    await slack.message(() => true);
    await gateway.deny(denied);
    await slack.message((text) => text.startsWith('Denied by Ada, '));
    const withdrawn = await hold();
    await slack.message((text) => text.includes('waiting for approval'));
    await gateway.approve(withdrawn);
    await slack.message((text) => text.startsWith('Approved by Ada, '));
    await gateway.admin(`PATCH /approvals/${withdrawn}/withdraw`);
    await slack.message((text) => text.startsWith('Approval withdrawn by Ada, '));
  });

  it('ask again when an approval was taken back, and are replaced by the next decision', async () => {
    await create({ decideBelowRisk: 1 });
    const id = await hold();
    const asked = await slack.message((text) => text.includes('waiting for approval'));
    await gateway.approve(id);
    const approved = await slack.message((text) => text.startsWith('Approved by Ada, '));
    expect(JSON.stringify(approved.blocks)).not.toContain('agw_approve');
    await gateway.admin(`PATCH /approvals/${id}/undo`);
    const again = await slack.message((text) =>
      text.startsWith('Waiting for approval. An earlier approval was taken back\n'),
    );
    expect(JSON.stringify(again.blocks)).toContain('agw_approve');
    await gateway.deny(id);
    await slack.message((text) => text.startsWith('Denied by Ada, '));
    expect([again.ts, slack.messages.length]).toEqual([asked.ts, 1]);
  });

  it('say that it was not sent in time, and that nobody decided', async () => {
    await create();
    const unsent = await hold();
    await hold();
    await eventually(() => slack.messages.length === 2);
    await gateway.approve(unsent);
    await slack.message((text) => text.startsWith('Approved by Ada, '));
    await gateway.app.advance({ hours: 25 });
    await gateway.app.app.get(ApprovalQueue).expire();
    look();
    await slack.message((text) => text.includes('It was not sent in time'));
    await slack.message((text) => text.startsWith('Expired: nobody decided in time'));
    await gateway.logInAgain();
  });

  it('are also replaced when somebody decides while Slack accepts them', async () => {
    await create();
    let open = (): void => {};
    slack.gates.set('chat.postMessage', new Promise((resolve) => (open = resolve)));
    const id = await hold();
    await eventually(() => slack.calls.includes('chat.postMessage'));
    await gateway.deny(id);
    open();
    await slack.message((text) => text.startsWith('Denied by Ada, '));
    expect(slack.messages).toHaveLength(1);
  });

  it('include reminders', async () => {
    await create({ remindAfterMinutes: 5 });
    const id = await hold();
    await slack.message((text) => text.includes('a request is waiting for approval'));
    await gateway.app.settled();
    await gateway.app.advance({ minutes: 6 });
    await gateway.logInAgain();
    await gateway.app.app.get(ChannelReminders).run();
    look();
    await slack.message((text) => text.includes('a request is still waiting for approval'));
    await gateway.deny(id);
    await eventually(() => slack.messages.every(({ blocks }) => blockText(blocks).startsWith('Denied by Ada, 6 min')));
    expect(slack.messages).toHaveLength(2);
  });

  it('show the last state when a replacement fails meanwhile', async () => {
    const channel = await create();
    const id = await hold();
    await slack.message(() => true);
    slack.faults.set('chat.update', { error: 'ratelimited', status: 429, headers: { 'retry-after': '30' } });
    await gateway.approve(id);
    const failed = await eventually(async () =>
      (await deliveries(channel)).find(({ lastError }) => lastError !== null),
    );
    expect(failed).toMatchObject({
      type: 'approval.updated',
      state: 'pending',
      lastStatus: 429,
      lastError: 'answered ratelimited: the rate limit of Slack was reached',
    });
    expect(Date.parse(failed.nextAttemptAt!) - Date.parse(failed.lastAttemptAt!)).toBeGreaterThanOrEqual(29_000);
    slack.faults.clear();
    await gateway.execute(id);
    await slack.message((text) => text.includes('The request was sent'));
  });

  it('may be deleted in Slack', async () => {
    const channel = await create();
    const id = await hold();
    await slack.message(() => true);
    await gateway.app.settled();
    slack.messages.length = 0;
    await gateway.approve(id);
    const all = await eventually(async () => {
      const found = await deliveries(channel);
      return found.length === 2 && found.every(({ state }) => state === 'delivered') && found;
    });
    expect(all.every(({ lastError }) => lastError === null)).toBe(true);
  });

  it.each([
    [
      'channel_not_found',
      'answered channel_not_found: there is no such channel, or it is private and the app is not in it',
    ],
    ['not_in_channel', 'answered not_in_channel: the app is not in the channel; add it there with /invite'],
    ['invalid_auth', 'answered invalid_auth: Slack does not accept the bot token'],
    ['some_new_error', 'answered some_new_error'],
    ['<!channel> text', 'answered what Slack never answers'],
  ])('that Slack refuses with %s show the reason', async (error, words) => {
    const { id } = await create();
    slack.faults.set('chat.postMessage', { error });
    const test = await gateway.admin<ChannelTestResult>(`POST /channels/${id}/test`);
    expect(test).toMatchObject({ message: `Not delivered: the receiver ${words}`, delivery: { lastError: words } });
    slack.faults.clear();
    const { message } = await gateway.admin<ChannelTestResult>(`POST /channels/${id}/test`);
    expect(message).toMatch(/^Delivered: the receiver answered 200 after \d+ ms$/);
  });
});

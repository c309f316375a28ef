import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Channel, RotatedChannelSecret } from '#contracts';
import { ChannelSender } from '../src/channels/channel-sender.js';
import { ChannelGateway, PUBLIC_URL } from './support/channel-gateway.js';
import { startChildGateway } from './support/child-gateway.js';
import { eventually } from './support/eventually.js';
import { startApp } from './support/start-app.js';
import { startDatabaseProxy, type TcpProxy } from './support/tcp-proxy.js';
import { verified } from './support/webhooks.js';

/** The connection between the gateway and its database. */
let link: TcpProxy;
const settings: Record<string, string> = {};
beforeAll(async () => {
  const proxied = await startDatabaseProxy();
  link = proxied.link;
  settings.DATABASE_URL = proxied.databaseUrl;
});
const reach = new ChannelGateway(settings);
afterAll(() => link?.stop());

const listIds = (type: string) => reach.calls(type).map(({ headers }) => String(headers['webhook-id']));

it('nothing is lost when the database goes away during an attempt', async () => {
  const channels = [await reach.create('webhook'), await reach.create('webhook')];
  let away: Promise<void> | undefined;
  reach.receiver.answer((_call, response) => {
    away ??= link.stop();
    void away.then(() => response.writeHead(204).end());
  });
  await reach.hold().catch(() => undefined);
  await eventually(() => away !== undefined);
  await away;
  await reach.gateway.app.settled();
  await link.start();
  await eventually(async () => (await fetch(`${reach.gateway.url}/ready`)).ok);
  await reach.advance({ seconds: 31 });
  for (const channel of channels) {
    const [{ id }] = await reach.settledAs(channel, ([first]) => first.state === 'delivered');
    expect([1, 2]).toContain(listIds('webhook').filter((sent) => sent === id).length);
  }
  expect(new Set(listIds('webhook')).size).toBe(2);
});

it('a notification that was queued before its secret was rotated is signed with both', async () => {
  const channel = await reach.create('webhook');
  reach.receiver.answer((_call, response) => response.writeHead(503).end());
  await reach.hold();
  await reach.settledAs(channel, ([first]) => first.lastError !== null);
  const { secret } = await reach.gateway.admin<RotatedChannelSecret>(`POST /channels/${channel.id}/rotate-secret`);
  reach.receiver.answer((_call, response) => response.writeHead(204).end());
  await reach.advance({ seconds: 10 });
  const [before, after] = await reach.received('webhook', 2);
  const nowMs = reach.gateway.app.clock.nowMs();
  await expect(verified(before, secret, nowMs)).rejects.toThrow('no signature');
  for (const valid of [channel.secret!, secret]) {
    await expect(verified(after, valid, nowMs)).resolves.toMatchObject({ type: 'approval.requested' });
  }
  expect(new Set(listIds('webhook')).size).toBe(1);
});

it.each(['\r\nBcc: mallory@example.com', '\nRCPT TO:<mallory@example.com>', '>\r\nRCPT TO:<mallory@example.com>\r\n<'])(
  'an address with line breaks sends nothing to anybody else: %j',
  async (end) => {
    const channel = await reach.create('email');
    const change = (email: string) =>
      reach.gateway.app.database.query('UPDATE users SET email = $1 WHERE id = $2', [
        email,
        reach.gateway.agent.userId,
      ]);
    await change(`ada@example.com${end}`);
    try {
      await reach.hold();
      await reach.settledAs(channel, ([first]) => first.lastError !== null || first.state === 'delivered');
    } finally {
      await change('ada@example.com');
    }
    const envelopes = reach.mail.mails.flatMap(({ to }) => to);
    expect(envelopes.filter((address) => address.includes('mallory'))).toEqual([]);
    for (const { raw } of reach.mail.mails) expect(raw).not.toMatch(/^Bcc:/m);
  },
);

it('after a gateway is killed during attempts, any instance sends each notification again once, with the same id', async () => {
  const webhook = await reach.create('webhook');
  const email = await reach.create('email');
  // Accepts the connection of the mail client, and never greets, so nothing is sent.
  const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const environment = {
    DATABASE_URL: settings.DATABASE_URL,
    LLM_BASE_URL: reach.gateway.model.url,
    PRIVATE_TARGET_ALLOWLIST: reach.gateway.upstream.hostAndPort,
    PRIVATE_CHANNEL_ALLOWLIST: reach.receiver.hostAndPort,
    MAIL_FROM: 'gateway@example.com',
    PUBLIC_URL,
  };
  const atMs = reach.gateway.app.clock.nowMs();
  await reach.gateway.app.close();
  reach.receiver.answer(() => undefined);
  const connected = once(silent, 'connection');
  const child = await startChildGateway({
    ...environment,
    SMTP_URL: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`,
  });
  const { app } = reach.gateway;
  Object.assign(reach.gateway, { app: { ...app, url: child.url } });
  await reach.hold();
  await Promise.all([reach.received('webhook', 1), connected]);
  child.kill('SIGKILL');
  await child.exited;
  silent.close();

  reach.receiver.answer((_call, response) => response.writeHead(204).end());
  const instances = [];
  for (let count = 0; count < 2; count++) instances.push(await startApp({ ...environment, SMTP_URL: reach.mail.url }));
  for (const { clock } of instances) clock.advance({ ms: Math.max(0, atMs - clock.nowMs()) });
  Object.assign(reach.gateway, { app: instances[0] });
  await reach.gateway.logInAgain();
  await reach.advance({ seconds: 31 });
  instances[1].app.get(ChannelSender).wake();
  const isDone = ([first]: { state: string }[]): boolean => first.state === 'delivered';
  const [posted] = await reach.settledAs(webhook, isDone);
  const [mailed] = await reach.settledAs(email, isDone);
  expect([posted.attempts, mailed.attempts]).toEqual([2, 2]);
  expect(listIds('webhook')).toEqual([posted.id, posted.id]);
  expect(reach.mail.mails.map(({ raw }) => raw.includes(`Message-ID: <${mailed.id}@example.com>`))).toEqual([true]);
  expect(await reach.gateway.admin<Channel>(`GET /channels/${webhook.id}`)).toMatchObject({ failingSince: null });
  await instances[1].close();
});

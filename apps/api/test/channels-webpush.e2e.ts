import type { Channel, ChannelTestResult, CreatedChannel, WebPushKey } from '#contracts';
import { CredentialCipher } from '../src/crypto/credential-cipher.js';
import { VapidKeys } from '../src/web-push/vapid-keys.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { PushService } from './support/push-service.js';
import { PushSubscriber } from './support/push-subscriber.js';

let gateway: Gateway;
let service: PushService;
beforeAll(async () => {
  service = await PushService.start();
  gateway = await startGateway({
    PRIVATE_CHANNEL_ALLOWLIST: service.hostAndPort,
    PUBLIC_URL: 'https://gateway.example.com',
  });
});
afterAll(async () => {
  await gateway?.close();
  await service?.close();
});
beforeEach(async () => {
  for (const { id } of await gateway.admin<Channel[]>('GET /channels')) await gateway.admin(`DELETE /channels/${id}`);
  await gateway.app.settled();
  service.pushed.length = 0;
  service.status = 201;
});

const create = (browser: PushSubscriber, fields: object = {}) =>
  gateway.admin<CreatedChannel>('POST /channels', {
    type: 'webpush',
    name: 'Chrome on Android',
    subscription: browser.subscription,
    ...fields,
  });

it('notifies a browser of a waiting request in a message that only this browser can read, signed with the key of the gateway', async () => {
  const browser = service.subscriber();
  await create(browser);
  const { action_id, expires_at } = await gateway.hold({
    intent: 'planted-intent',
    targetUrl: `${gateway.upstream.url}/v1/customers/42?key=planted-query`,
    headers: { 'X-Planted': 'planted-header' },
  });
  const [message] = await service.received(browser, 1);
  expect(message).toMatchObject({
    type: 'approval.requested',
    title: 'DELETE customer 42',
    workspaceId: gateway.agent.userId,
    actionId: action_id,
  });
  expect(message.body).toMatch(/^Critical risk: a request is waiting for approval\n/);
  expect(message.body).toContain(gateway.agent.name);
  expect(new Date(message.expiresAt!)).toEqual(new Date(expires_at));
  expect(JSON.stringify(message)).not.toContain('planted');
  const [{ headers, sender, body }] = service.pushed;
  const { publicKey } = await gateway.admin<WebPushKey>('GET /channels/webpush/key');
  expect(sender).toMatchObject({ publicKey, subject: 'https://gateway.example.com' });
  expect(headers).toMatchObject({ urgency: 'high', topic: action_id.replaceAll('-', '') });
  // The push service forgets the message when nobody can decide any more.
  expect(Number(headers.ttl)).toBeGreaterThan(23 * 3600);
  expect(Number(headers.ttl)).toBeLessThanOrEqual(24 * 3600);
  expect(body.toString('latin1')).not.toContain('customer');
});

it('notifies every device of a person when somebody has decided', async () => {
  const browsers = [service.subscriber('/send/a'), service.subscriber('/send/b')];
  for (const browser of browsers) await create(browser);
  const { action_id } = await gateway.hold();
  for (const browser of browsers) await service.received(browser, 1);
  await gateway.deny(action_id);
  for (const browser of browsers) {
    const [, decided] = await service.received(browser, 2);
    expect(decided).toMatchObject({ type: 'approval.decided', actionId: action_id });
    expect(decided.title).toBe('DELETE customer 42');
  }
});

it.each([404, 410])('switches a device off when its push service answers %i', async (status) => {
  const browser = service.subscriber();
  const { id } = await create(browser);
  service.status = status;
  await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/${status}` });
  const off = await eventually(async () => {
    const channel = await gateway.admin<Channel>(`GET /channels/${id}`);
    return !channel.isActive && channel;
  });
  expect(off.disabledReason).not.toBeNull();
  expect(off.lastDelivery).toMatchObject({ lastStatus: status, state: 'failed' });
});

it('sends to the new subscription of a browser and no longer to the old one, also after the device was switched off', async () => {
  const [old, fresh] = [service.subscriber('/send/old'), service.subscriber('/send/new')];
  const { id } = await create(old);
  service.status = 410;
  await gateway.admin(`POST /channels/${id}/test`);
  service.status = 201;
  service.pushed.length = 0;
  const changed = await gateway.admin<Channel>(`PUT /channels/${id}`, {
    subscription: fresh.subscription,
    isActive: true,
  });
  expect(changed).toMatchObject({ isActive: true, disabledReason: null, failingSince: null });
  await gateway.admin(`POST /channels/${id}/test`);
  expect(await service.received(fresh, 1)).toMatchObject([{ type: 'channel.test' }]);
  expect(service.pushed.map(({ path }) => path)).toEqual(['/send/new']);
});

it('keeps its subscription when the new one is invalid', async () => {
  const browser = service.subscriber();
  const { id } = await create(browser);
  const answer = await gateway.tryAdmin(`PUT /channels/${id}`, {
    subscription: { ...browser.subscription, endpoint: 'https://10.0.0.1/send' },
  });
  expect(answer.status).toBe(403);
  await gateway.admin(`POST /channels/${id}/test`);
  await service.received(browser, 1);
});

it('describes the result of a test in words', async () => {
  const browser = service.subscriber();
  const { id, target } = await create(browser);
  expect(target).toBe(`${service.url}/…`);
  const done = await gateway.admin<ChannelTestResult>(`POST /channels/${id}/test`);
  expect(done.message).toMatch(/^Delivered/);
  const [message] = await service.received(browser, 1);
  expect(message).toMatchObject({ type: 'channel.test', actionId: null, title: 'Test: this channel works' });
  service.status = 500;
  const failed = await gateway.admin<ChannelTestResult>(`POST /channels/${id}/test`);
  expect(failed.message).toContain('500');
});

describe('refuses', () => {
  const bent = (change: object) => ({ ...new PushSubscriber('https://93.184.216.34/send').subscription, ...change });
  it.each([
    ['no subscription', undefined, 400, /^subscription: must be the object that the browser returned/],
    ['no URL', bent({ endpoint: 'nowhere' }), 400, /^subscription.endpoint: /],
    [
      'plain http',
      bent({ endpoint: 'http://93.184.216.34/send' }),
      400,
      /^subscription.endpoint: must be an https URL/,
    ],
    ['a user in the URL', bent({ endpoint: 'https://a:b@93.184.216.34/' }), 400, /^subscription.endpoint: /],
    ['a private address', bent({ endpoint: 'https://10.0.0.1/send' }), 403, /./],
    ['this machine', bent({ endpoint: 'https://127.0.0.1:1/send' }), 403, /./],
    ['keys of another curve', bent({ keys: { p256dh: 'AAAA', auth: 'AAAA' } }), 400, /^subscription.keys: are not/],
    ['no keys', bent({ keys: undefined }), 400, /keys/],
  ])('%s', async (_what, subscription, status, error) => {
    const answer = await gateway.tryAdmin('POST /channels', { type: 'webpush', name: 'x', subscription });
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringMatching(error)]);
    expect(await gateway.admin('GET /channels')).toEqual([]);
  });

  it('a subscription for a channel that is not a browser', async () => {
    const { id } = await gateway.admin<Channel>('POST /channels', {
      type: 'ntfy',
      name: 'x',
      target: `${service.url}/topic`,
    });
    const { subscription } = service.subscriber();
    for (const route of [`PUT /channels/${id}`, 'POST /channels']) {
      const answer = await gateway.tryAdmin(route, { type: 'ntfy', name: 'x', subscription });
      expect(answer.body.error).toBe('subscription: only channels of type webpush have this field');
    }
  });

  it('a target that is not a subscription', async () => {
    const { subscription } = service.subscriber();
    const body = { type: 'webpush', name: 'x', subscription, target: service.url };
    expect((await gateway.tryAdmin('POST /channels', body)).status).toBe(400);
  });
});

/** The key pair that the instance signs with. */
const readKeyPair = ({ app }: Gateway) =>
  new VapidKeys(app.database, new CredentialCipher(app.config.crypto), app.clock).pair();
const readPublicKey = async (each: Gateway) => (await each.admin<WebPushKey>('GET /channels/webpush/key')).publicKey;

it('two instances that start together use the same key pair, and it stays', async () => {
  await gateway.app.database.query('DELETE FROM web_push_keys');
  const second = await gateway.secondInstance();
  const third = await gateway.secondInstance();
  try {
    const instances = [second, third, second, third, second, third];
    const [first, ...others] = await Promise.all(instances.map(readPublicKey));
    expect(Buffer.from(first, 'base64url')).toHaveLength(65);
    expect(new Set(others)).toEqual(new Set([first]));
    const pairs = await Promise.all([second, third].map(readKeyPair));
    expect(pairs[0]).toEqual(pairs[1]);
    expect(pairs[0].publicKey).toBe(first);
  } finally {
    await second.app.close();
    await third.app.close();
  }
});

it('any number of instances agree when no pair is stored yet', async () => {
  for (let round = 0; round < 20; round++) {
    await gateway.app.database.query('DELETE FROM web_push_keys');
    const pairs = await Promise.all(Array.from({ length: 6 }, () => readKeyPair(gateway)));
    expect(new Set(pairs.map(({ privateKey }) => privateKey)).size).toBe(1);
  }
});

it('the private key is stored encrypted', async () => {
  const { privateKey } = await readKeyPair(gateway);
  const rows = await gateway.app.database.query<{ encrypted_private_key: string }[]>('SELECT * FROM web_push_keys');
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(privateKey);
  expect(rows[0].encrypted_private_key).toMatch(/^[0-9a-f]{24}:[0-9a-f]{32}:/);
});

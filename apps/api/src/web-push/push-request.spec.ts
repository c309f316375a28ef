import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import webPush from 'web-push';
import { PushSubscriber } from '../../test/support/push-subscriber.js';
import { faultOfKeys, pushRequest, pushSubject, type PushMessage } from './push-request.js';

const SUBJECT = 'mailto:operator@gateway.test';
const keys = webPush.generateVAPIDKeys();
const message: PushMessage = {
  id: randomUUID(),
  type: 'approval.requested',
  title: 'Delete a customer · cus_42 · Stripe',
  body: 'Critical risk · billing-bot',
  workspaceId: 1,
  actionId: randomUUID(),
  expiresAt: null,
  mayApprove: false,
};
const options = { ttlSeconds: 3599.5, urgency: 'high' } as const;
const ENDPOINT = 'https://push.example.com/send/abc?x=1';

it('only the browser that subscribed can read the message', () => {
  const browser = new PushSubscriber(ENDPOINT);
  const request = pushRequest(browser.subscription, keys, SUBJECT, message, options);
  expect(request.url).toBe(ENDPOINT);
  expect(JSON.parse(browser.decrypt(request.body))).toEqual(message);
  expect(request.body.toString('latin1')).not.toContain('customer');
  expect(() => new PushSubscriber(ENDPOINT).decrypt(request.body)).toThrow();
});

it('signs for the origin of the push service, and says how long and how urgently', () => {
  const browser = new PushSubscriber(ENDPOINT);
  const { headers, body } = pushRequest(browser.subscription, keys, 'https://gateway.example.com', message, options);
  const { audience, subject, publicKey } = PushSubscriber.verify(headers['Authorization']);
  expect({ audience, subject, publicKey }).toEqual({
    audience: 'https://push.example.com',
    subject: 'https://gateway.example.com',
    publicKey: keys.publicKey,
  });
  expect(headers).toMatchObject({
    TTL: '3599',
    Urgency: 'high',
    Topic: message.actionId!.replaceAll('-', ''),
    'Content-Encoding': 'aes128gcm',
    'Content-Length': String(body.length),
  });
});

it('stays below what push services accept, and keeps the title', () => {
  const browser = new PushSubscriber(ENDPOINT);
  const long = { ...message, actionId: null, body: '🦊'.repeat(2000) };
  const { headers, body } = pushRequest(browser.subscription, keys, SUBJECT, long, options);
  expect(body.length).toBeLessThanOrEqual(4096);
  expect(headers).not.toHaveProperty('Topic');
  expect(JSON.parse(browser.decrypt(body))).toEqual({ ...long, body: '' });
});

it.each([
  ['no point of the curve', { p256dh: Buffer.alloc(65, 4).toString('base64url') }],
  ['a compressed point', { p256dh: createPoint('compressed') }],
  ['a point that is too short', { p256dh: 'AAAA' }],
  ['a secret that is too short', { auth: randomBytes(8).toString('base64url') }],
  ['no text', { auth: '' }],
])('refuses keys of a subscription: %s', (_what, bent) => {
  const { subscription } = new PushSubscriber(ENDPOINT);
  expect(faultOfKeys(subscription)).toBeNull();
  expect(faultOfKeys({ ...subscription, keys: { ...subscription.keys, ...bent } })).toBe(
    'subscription.keys: are not those of a browser',
  );
});

function createPoint(format: 'compressed'): string {
  const curve = createECDH('prime256v1');
  curve.generateKeys();
  return curve.getPublicKey(null, format).toString('base64url');
}

it('names the operator as the contact, and never an address of somebody else', () => {
  const publicUrl = 'https://gateway.test';
  expect(pushSubject({ adminEmail: 'ada@gateway.test', publicUrl })).toBe('mailto:ada@gateway.test');
  expect(pushSubject({ adminEmail: null, publicUrl })).toBe(publicUrl);
  // Nobody can register a name below `.invalid` (RFC 2606).
  for (const none of [null, 'http://192.168.0.7:3000'])
    expect(pushSubject({ adminEmail: null, publicUrl: none })).toBe('mailto:unknown@agent-gateway.invalid');
  const { subscription } = new PushSubscriber(ENDPOINT);
  expect(() =>
    pushRequest(subscription, keys, pushSubject({ adminEmail: null, publicUrl: null }), message, options),
  ).not.toThrow();
});

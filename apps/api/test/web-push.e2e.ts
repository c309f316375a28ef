import type { WebPushKey } from '#contracts';
import { CredentialCipher } from '../src/crypto/credential-cipher.js';
import { VapidKeys } from '../src/web-push/vapid-keys.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** The key pair that the instance signs with. */
const pairOf = ({ app }: Gateway) =>
  new VapidKeys(app.database, new CredentialCipher(app.config.crypto), app.clock).pair();
const keyOf = async (each: Gateway) => (await each.admin<WebPushKey>('GET /channels/webpush/key')).publicKey;

it('two instances that start together use the same key pair, and it stays', async () => {
  const second = await gateway.secondInstance();
  try {
    const instances = [gateway, second, gateway, second, gateway, second];
    const [first, ...others] = await Promise.all(instances.map(keyOf));
    expect(Buffer.from(first, 'base64url')).toHaveLength(65);
    expect(new Set(others)).toEqual(new Set([first]));
    const pairs = await Promise.all([gateway, second].map(pairOf));
    expect(pairs[0]).toEqual(pairs[1]);
    expect(pairs[0].publicKey).toBe(first);
  } finally {
    await second.app.close();
  }
});

it('any number of instances agree when no pair is stored yet', async () => {
  for (let round = 0; round < 20; round++) {
    await gateway.app.database.query('DELETE FROM web_push_keys');
    const pairs = await Promise.all(Array.from({ length: 6 }, () => pairOf(gateway)));
    expect(new Set(pairs.map(({ privateKey }) => privateKey)).size).toBe(1);
  }
});

it('the private key is stored encrypted', async () => {
  const { privateKey } = await pairOf(gateway);
  const rows = await gateway.app.database.query<{ encrypted_private_key: string }[]>('SELECT * FROM web_push_keys');
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(privateKey);
  expect(rows[0].encrypted_private_key).toMatch(/^[0-9a-f]{24}:[0-9a-f]{32}:/);
});

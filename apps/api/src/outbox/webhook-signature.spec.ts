import { newSigningSecret, signedHeaders } from './webhook-signature.js';

it('produces the signature of the example in the Standard Webhooks specification', () => {
  const headers = signedHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', new Date(1_614_265_330_000), '{"test": 2432232314}', [
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  ]);
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('signs with every valid secret, in the given order', () => {
  const [first, second] = [newSigningSecret(), newSigningSecret()];
  const of = (...secrets: string[]) => signedHeaders('id', new Date(0), '{}', secrets)['webhook-signature'];
  expect(of(first, second)).toBe(`${of(first)} ${of(second)}`);
  expect(of(first)).not.toBe(of(second));
});

it('creates secrets of 256 random bits', () => {
  const secrets = Array.from({ length: 100 }, newSigningSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  }
});

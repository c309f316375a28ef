import { createCipheriv, randomBytes, scryptSync } from 'node:crypto';
import fc from 'fast-check';
import { CredentialCipher, UNBOUND } from './credential-cipher.js';

const OLD = 'o'.repeat(32);
const NEW = 'n'.repeat(32);
const SALT = 'salt';
const makeCipher = (encryptionSecret: string, previousEncryptionSecret: string | null = null) =>
  new CredentialCipher({ encryptionSecret, previousEncryptionSecret, encryptionSalt: SALT });

const [before, after, both] = [makeCipher(OLD), makeCipher(NEW), makeCipher(NEW, OLD)];
const binding = fc.tuple(fc.constant('credential'), fc.integer(), fc.string());

/** A value as releases before 0.2 stored it. */
function unbound(value: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', scryptSync(OLD, SALT, 32), iv);
  const text = Buffer.concat([cipher.update(value), cipher.final()]);
  return UNBOUND + [iv, cipher.getAuthTag(), text].map((part) => part.toString('hex')).join(':');
}

it('decrypts what it encrypted, for the same place', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), binding, (value, place) => {
      const stored = after.encrypt(value, place);
      expect(stored).toMatch(/^[0-9a-f]{24}:[0-9a-f]{32}:([0-9a-f]{2})*$/);
      expect(after.decrypt(stored, place)).toBe(value);
    }),
  );
});

it('decrypts nothing for a different place', () => {
  fc.assert(
    fc.property(binding, binding, (place, other) => {
      fc.pre(JSON.stringify(place) !== JSON.stringify(other));
      expect(() => after.decrypt(after.encrypt('secret', place), other)).toThrow('for another place');
    }),
  );
});

it.each([
  ['a changed ciphertext', (stored: string) => stored.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
  ['a bound value that pretends to be of an older release', (stored: string) => UNBOUND + stored],
])('refuses %s', (_what, change) => {
  const stored = after.encrypt('secret', ['credential', 1, 'token']);
  expect(() => after.decrypt(change(stored), ['credential', 1, 'token'])).toThrow('changed since');
});

it.each(['', 'x', 'unbound:', 'a:b:c', '00:00:00'])('refuses %j, which is not an encrypted value', (stored) => {
  expect(() => after.decrypt(stored, ['credential', 1, 'token'])).toThrow('not an encrypted value');
});

it('reads with both secrets, and writes with the current one', () => {
  const place = ['callback', 7] as const;
  expect(both.decrypt(before.encrypt('secret', place), place)).toBe('secret');
  expect(after.decrypt(both.encrypt('secret', place), place)).toBe('secret');
  expect(() => after.decrypt(before.encrypt('secret', place), place)).toThrow('another secret');
});

it.each([
  ['of the previous secret', before.encrypt('secret', ['callback', 7])],
  ['of an older release', unbound('secret')],
])('renews a value %s once', (_what, stored) => {
  const renewed = both.renew(stored, ['callback', 7])!;
  expect(after.decrypt(renewed, ['callback', 7])).toBe('secret');
  expect(both.renew(renewed, ['callback', 7])).toBeNull();
});

it('has a fingerprint for each secret', () => {
  expect(both.fingerprint).toBe(after.fingerprint);
  expect(both.fingerprint).not.toBe(before.fingerprint);
  expect(both.fingerprint).toMatch(/^[0-9a-f]{8}$/);
});

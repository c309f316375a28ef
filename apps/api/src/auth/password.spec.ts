import { PasswordHasher } from './password.js';

describe('PasswordHasher', () => {
  const passwords = new PasswordHasher();

  it('uses argon2id with the OWASP parameters and a new salt for each hash', async () => {
    const [one, two] = [await passwords.hash('correct horse'), await passwords.hash('correct horse')];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$]{22}\$[^$]{43}$/);
    expect(two).not.toBe(one);
  });

  it('accepts the right password and rejects wrong ones', async () => {
    const stored = await passwords.hash('correct horse');
    expect(await passwords.verify(stored, 'correct horse')).toBe(true);
    expect(await passwords.verify(stored, 'Correct horse')).toBe(false);
    expect(await passwords.verify(stored, '')).toBe(false);
  });

  it('treats two encodings of one letter as equal', async () => {
    const stored = await passwords.hash('caf\u00e9 au lait');
    expect(await passwords.verify(stored, 'cafe\u0301 au lait')).toBe(true);
  });

  it('rejects any password for an account that does not exist', async () => {
    expect(await passwords.verify(null, 'correct horse')).toBe(false);
  });

  it('queues up to 200 checks and refuses more with 503', async () => {
    const busy = new PasswordHasher();
    const results = await Promise.allSettled(Array.from({ length: 203 }, () => busy.verify('not a hash', 'x')));
    const refused = results.filter(
      (result) => result.status === 'rejected' && (result.reason as { statusCode?: number }).statusCode === 503,
    );
    expect(refused).toHaveLength(1);
    // Failed checks have left the queue.
    expect(await busy.verify(null, 'x')).toBe(false);
  });
});

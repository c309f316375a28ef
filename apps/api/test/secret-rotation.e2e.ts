import { createCipheriv, randomBytes, scryptSync } from 'node:crypto';
import { CredentialCipher, UNBOUND } from '../src/crypto/credential-cipher.js';
import { bindOldValues, ENCRYPTED } from '../src/encrypted.js';
import { credentialBinding } from '../src/credentials/encrypted-credentials.js';
import { SECRET, startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';
import { rotateSecret } from './support/rotate-secret.js';

const OLD = 'old-encryption-secret-of-32-characters';
const NEW = 'new-encryption-secret-of-32-characters';
const makeCipher = ({ config }: Gateway['app'], encryptionSecret: string) =>
  new CredentialCipher({ ...config.crypto, encryptionSecret, previousEncryptionSecret: null });

describe('changing ENCRYPTION_SECRET by npm run rotate-secret', () => {
  let gateway: Gateway;
  let settings: Record<string, string>;
  beforeAll(async () => {
    gateway = await startGateway({ ENCRYPTION_SECRET: OLD });
    settings = { DATABASE_URL: gateway.app.databaseUrl, ENCRYPTION_SECRET: NEW, ENCRYPTION_SECRET_PREVIOUS: OLD };
  });
  afterAll(() => gateway.close());

  it('does not drop the previous secret while an instance still encrypts with it', async () => {
    const { code, lines } = await rotateSecret(settings);
    expect(lines.at(-1)).toBe(
      '1 running instance still encrypts with another secret. Restart it with the settings of this command, then run this again.',
    );
    expect(code).toBe(1);
  });

  it('does not count as a change of the service', async () => {
    const versions = () => gateway.app.database.query('SELECT id, version FROM services ORDER BY id');
    await gateway.createService({ name: 'Old' });
    const before = await versions();
    expect((await rotateSecret(settings)).lines).toContain('credentials: 1 encrypted again');
    expect(await versions()).toEqual(before);
  });

  it('names the rows that neither secret can decrypt, and leaves them', async () => {
    const { id } = await gateway.createService({ name: 'Broken' });
    const lost = makeCipher(gateway.app, 'x'.repeat(32)).encrypt('t', credentialBinding(id, 'token'));
    const [[row]] = await gateway.app.database.query(
      'UPDATE credentials SET encrypted_value = $2 WHERE service_id = $1 RETURNING id',
      [id, lost],
    );
    const { code, lines } = await rotateSecret(settings);
    expect(lines).toContain(`credentials: neither secret can decrypt the rows ${row.id}. Enter these values again.`);
    expect(code).toBe(1);
  });

  it('lists the faults in its settings', async () => {
    const { code, lines } = await rotateSecret({ DATABASE_URL: 'x', ENCRYPTION_SECRET: 'planted-short' });
    expect(lines).toEqual([
      'Invalid configuration:',
      '  - DATABASE_URL must be a PostgreSQL connection string (postgres://…)',
      '  - ENCRYPTION_SECRET must have at least 32 characters',
    ]);
    expect(code).toBe(1);
  });
});

describe('an encrypted value', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
    gateway.model.answer({ score: 0 });
  });
  afterAll(() => gateway.close());

  async function ask(serviceId: number, path: string): Promise<ProxyAnswer> {
    const { apiKey } = await gateway.createAgent('bot', [serviceId]);
    return gateway.proxy({ targetUrl: `${gateway.upstream.url}${path}/x` }, { 'Agent-Key': apiKey });
  }

  it('that was copied from the row of another service is not decrypted, and nothing is sent', async () => {
    const victim = await gateway.createService({ baseUrl: `${gateway.upstream.url}/victim` });
    const thief = await gateway.createService({ baseUrl: `${gateway.upstream.url}/thief` });
    await gateway.app.database.query(
      `UPDATE credentials SET encrypted_value = (SELECT encrypted_value FROM credentials WHERE service_id = $1) WHERE service_id = $2`,
      [victim.id, thief.id],
    );
    const before = gateway.upstream.calls.length;
    const answer = await ask(thief.id, '/thief');
    expect([answer.status, answer.json().error]).toEqual([500, 'Failed to decrypt credentials']);
    expect(gateway.upstream.calls).toHaveLength(before);
  });

  it('of an older release is read, then bound to its row, and no such value is accepted afterwards', async () => {
    const { database, config } = gateway.app;
    const service = await gateway.createService({ baseUrl: `${gateway.upstream.url}/older` });
    const iv = randomBytes(12);
    const key = scryptSync(config.crypto.encryptionSecret, config.crypto.encryptionSalt, 32);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    const text = Buffer.concat([cipher.update(SECRET), cipher.final()]);
    const old = UNBOUND + [iv, cipher.getAuthTag(), text].map((part) => part.toString('hex')).join(':');
    const store = () =>
      database.query('UPDATE credentials SET encrypted_value = $2 WHERE service_id = $1', [service.id, old]);
    // The state in which the migration leaves a database that already has credentials.
    await database.query('ALTER TABLE credentials DROP CONSTRAINT credentials_bound');
    await store();
    expect((await ask(service.id, '/older')).status).toBe(200);
    expect(gateway.upstream.calls.at(-1)!.headers.authorization).toBe(`Bearer ${SECRET}`);

    await bindOldValues(database, gateway.app.app.get(CredentialCipher));
    expect((await ask(service.id, '/older')).status).toBe(200);
    expect(gateway.upstream.calls.at(-1)!.headers.authorization).toBe(`Bearer ${SECRET}`);
    await expect(store()).rejects.toThrow('violates check constraint "credentials_bound"');
  });

  it('is stored only in columns that are encrypted again when the secret changes', async () => {
    const columns: { column: string }[] = await gateway.app.database.query(
      `SELECT table_name || '.' || column_name AS column FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name LIKE '%encrypted%'`,
    );
    const known = ENCRYPTED.flatMap(({ table, columns: names }) => names.map((name) => `${table}.${name}`));
    expect(columns.map(({ column }) => column).sort()).toEqual(known.sort());
  });
});

/** `sslmode` and its relatives do what PostgreSQL's manual says (34.19), against a server with a self-signed certificate. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { DatabaseClient, migrate, parseConnection, UNLIMITED } from '#database';
import { SELF_SIGNED } from '../../../libs/egress/test/self-signed.js';
import { startPostgres } from '../../../scripts/lib/postgres.mjs';
import { startChildGateway } from './support/child-gateway.js';
import { CLIENT_CERTIFICATE } from './support/client-certificates.js';
import { rotateSecret } from './support/rotate-secret.js';
import { testEnvironment } from './support/start-app.js';

const directory = mkdtempSync(join(tmpdir(), 'agw-tls-'));
const file = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};
const ROOT = file('root.crt', SELF_SIGNED.cert);
const OTHER_ROOT = file('other.crt', CLIENT_CERTIFICATE.client_cert);

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let admin: Client;
/** With a password over TCP, as `pg_hba.conf` says by default. */
let url: string;

/** The server writes these files itself, because they must belong to its user. */
const write = (name: string, text: string): Promise<unknown> =>
  admin.query(
    `COPY (SELECT regexp_split_to_table(${admin.escapeLiteral(text)}, '\n')) TO PROGRAM 'umask 077; cat > ${name}'`,
  );
const rules = async (...lines: string[]): Promise<void> => {
  await write('pg_hba.conf', lines.join('\n'));
  await admin.query('SELECT pg_reload_conf()');
};
const ANY = 'host all all all scram-sha-256';

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  admin = new Client({ connectionString: postgres.url, ssl: false });
  await admin.connect();
  await write('server.crt', SELF_SIGNED.cert);
  await write('server.key', SELF_SIGNED.key);
  await admin.query('ALTER SYSTEM SET ssl TO on');
  await rules(ANY);
  url = postgres.url;
});
afterAll(async () => {
  await admin.end();
  await postgres.stop();
  rmSync(directory, { recursive: true });
});

/** Whether the session is encrypted, or why there is none. */
async function connect(query: string, host = '127.0.0.1'): Promise<boolean | string> {
  const at = new URL(url);
  at.hostname = host;
  const to = parseConnection(`${at.href}?${query}`);
  const client = new DatabaseClient({ to, limits: UNLIMITED, applicationName: 'test', connectMs: 0, queryMs: 0 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    return rows[0].ssl;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end().catch(() => undefined);
  }
}
/** A reload reaches new sessions a moment later. */
async function connectOnce(expected: boolean | string | RegExp, query: string): Promise<void> {
  for (;;) {
    const found = await connect(query);
    if (expected instanceof RegExp ? expected.test(String(found)) : found === expected) return;
  }
}

it.each([
  ['sslmode=disable', '127.0.0.1', false],
  ['sslmode=allow', '127.0.0.1', false],
  ['sslmode=prefer', '127.0.0.1', true],
  ['', '127.0.0.1', true],
  ['sslmode=require', '127.0.0.1', true],
  ['sslmode=require', 'localhost', true],
  ['ssl=true', '127.0.0.1', true],
  [`sslmode=require&sslrootcert=${ROOT}`, 'localhost', true],
  [`sslmode=verify-ca&sslrootcert=${ROOT}`, 'localhost', true],
  [`sslmode=verify-full&sslrootcert=${ROOT}`, '127.0.0.1', true],
  ['sslmode=require&channel_binding=require', '127.0.0.1', true],
  ['sslmode=require&channel_binding=disable', '127.0.0.1', true],
  ['sslmode=require&sslnegotiation=direct', '127.0.0.1', true],
  [`sslmode=verify-full&sslnegotiation=direct&sslrootcert=${ROOT}`, '127.0.0.1', true],
  [`sslmode=verify-full&sslrootcert=${ROOT}&hostaddr=127.0.0.1`, 'upstream.test', true],
  // Without TLS as the last resort: prefer is no protection.
  [`sslmode=prefer&sslrootcert=${OTHER_ROOT}`, '127.0.0.1', false],
])('%s to %s connects, encrypted: %s', async (query, host, encrypted) => {
  await connectOnce(true, 'sslmode=require');
  expect(await connect(query, host)).toBe(encrypted);
});

it.each([
  [`sslmode=require&sslrootcert=${OTHER_ROOT}`, '127.0.0.1', 'self-signed certificate'],
  [`sslmode=verify-ca&sslrootcert=${OTHER_ROOT}`, '127.0.0.1', 'self-signed certificate'],
  [`sslmode=verify-full&sslrootcert=${ROOT}`, 'localhost', "Hostname/IP does not match certificate's altnames"],
  ['sslmode=verify-full&sslrootcert=system', '127.0.0.1', 'self-signed certificate'],
  ['sslmode=disable&channel_binding=require', '127.0.0.1', 'channel_binding=require'],
])('%s to %s is refused: %s', async (query, host, reason) => {
  await connectOnce(true, 'sslmode=require');
  expect(await connect(query, host)).toContain(reason);
});

it('sslmode=prefer falls back to no TLS, and sslmode=allow to TLS, when the server accepts nothing else', async () => {
  await rules('hostnossl all all all scram-sha-256');
  await connectOnce(false, 'sslmode=disable');
  await connectOnce(/no pg_hba.conf entry/, 'sslmode=require');
  expect(await connect('sslmode=prefer')).toBe(false);
  await rules('hostssl all all all scram-sha-256');
  await connectOnce(/no pg_hba.conf entry/, 'sslmode=disable');
  expect(await connect('sslmode=allow')).toBe(true);
  await rules('hostssl none all all trust');
  await connectOnce(/with TLS: no pg_hba.conf entry.*encryption/, 'sslmode=prefer');
  await rules(ANY);
});

it('with channel_binding=require, sends no password to a server that asks for it in plain text', async () => {
  await rules('host all all all password');
  await connectOnce(/channel_binding=require/, 'sslmode=require&channel_binding=require');
  expect(await connect('sslmode=require')).toBe(true);
  await rules(ANY);
});

it('works for each connection of the process', async () => {
  await connectOnce(true, 'sslmode=require');
  await rules('hostssl all all all scram-sha-256');
  const DATABASE_URL = `${url}?sslmode=verify-full&sslrootcert=${ROOT}`;
  await connectOnce(/no pg_hba.conf entry/, 'sslmode=disable');
  await migrate(parseConnection(DATABASE_URL));
  const gateway = await startChildGateway({ DATABASE_URL });
  expect(gateway.output()).toContain('"listening"');
  const { rows } = await admin.query(
    `SELECT DISTINCT ssl, split_part(application_name, ' ', 1) AS name FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
     WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY name`,
  );
  expect(rows.map(({ ssl }: { ssl: boolean }) => ssl)).toEqual([true, true]);
  const { code } = await rotateSecret({ ...testEnvironment(DATABASE_URL) });
  expect(code).toBe(0);
  await gateway.stop();
  await rules(ANY);
});

it('says at start what is wrong with the certificate of the database', async () => {
  await connectOnce(true, 'sslmode=require');
  const gateway = await startChildGateway({ DATABASE_URL: `${url}?sslmode=verify-full&sslrootcert=${OTHER_ROOT}` });
  expect(await gateway.exited).toBe(1);
  expect(gateway.output()).toMatch(/could not start.*|self-signed certificate/);
  expect(gateway.output()).toContain('self-signed certificate');
});

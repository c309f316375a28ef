/** The gateway's sessions do not depend on what the server, the database or the role has as defaults. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { Action } from '#contracts';
import { DatabaseClient, migrate, parseConnection, UNLIMITED } from '#database';
import { prepareTrial } from '../../../scripts/lib/trial.mjs';
import { login, register } from './support/accounts.js';
import { startChildGateway } from './support/child-gateway.js';
import { createDatabase } from './support/databases.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { startPgBouncer } from './support/pgbouncer.js';
import { rotateSecret } from './support/rotate-secret.js';
import { testEnvironment } from './support/start-app.js';
import { startStartupProxy, type StartupProxy } from './support/startup-proxy.js';

/** Messages of the server (PostgreSQL, "Message Formats"). */
const AUTHENTICATION_OK = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Each of them would break something, or take a promise back. */
const DEFAULTS: Record<string, string> = {
  DateStyle: 'German',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Kathmandu',
  client_encoding: 'LATIN1',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  standard_conforming_strings: 'off',
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  default_transaction_deferrable: 'on',
  synchronous_commit: 'off',
  transform_null_equals: 'on',
  array_nulls: 'off',
  exit_on_error: 'on',
  statement_timeout: '2000',
  lock_timeout: '1000',
  idle_session_timeout: '1000',
};

async function setDefaults(url: string, defaults: Record<string, string>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('SET default_transaction_read_only = off');
  const name = new URL(url).pathname.slice(1);
  for (const [key, value] of Object.entries(defaults)) {
    await client.query(`ALTER DATABASE ${name} SET ${key} TO ${client.escapeLiteral(value)}`);
  }
  await client.end();
}

describe.each([
  ['German dates', { DateStyle: 'German' }],
  ['SQL dates', { DateStyle: 'SQL, DMY' }],
  ['hostile defaults', DEFAULTS],
])('a database with %s', (_, defaults) => {
  it('is migrated, and people, agents and approvals work on it', async () => {
    const url = await createDatabase();
    await setDefaults(url, defaults);
    await migrate(parseConnection(url));
    const gateway: Gateway = await startGateway({ DATABASE_URL: url });
    try {
      gateway.upstream.answer((_call, response) => void response.end('{"score":0.1}'));
      const { action_id } = await gateway.hold({ intent: 'clean up \\ ’ 日本' });
      await gateway.approve(action_id, 'no = NULL');
      expect((await gateway.execute(action_id)).status).toBe(200);
      const action = await gateway.admin<Action>(`GET /approvals/${action_id}`);
      expect(action).toMatchObject({ intent: 'clean up \\ ’ 日本', status: 'EXECUTED' });
      const records = await gateway.audit();
      expect(records.length).toBeGreaterThan(2);
      // An hour is more than a test takes, and less than what a wrong zone or a swapped day and month change.
      for (const at of records.map((record) => record.at))
        expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(3_600_000);
    } finally {
      await gateway.close();
    }
  });
});

const limits = { statementMs: 4000, lockMs: 3000, idleInTransactionMs: 5000 };
const open = async (url: string): Promise<DatabaseClient> => {
  const to = parseConnection(url);
  const client = new DatabaseClient({ to, limits, applicationName: 'test', connectMs: 0, queryMs: 0 });
  await client.connect();
  return client;
};

/** What sessions have instead, and the path that the operator chose. */
const OURS = {
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  client_encoding: 'UTF8',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  synchronous_commit: 'on',
  transform_null_equals: 'off',
  array_nulls: 'on',
  exit_on_error: 'off',
  statement_timeout: '4s',
  lock_timeout: '3s',
  idle_session_timeout: '0',
  idle_in_transaction_session_timeout: '5s',
  search_path: 'public, test_clock, pg_catalog',
};

async function settingsIn(url: string): Promise<Record<string, string>> {
  const client = await open(url);
  const shown: Record<string, string> = {};
  for (const name of Object.keys(OURS)) {
    const { rows } = await client.query<{ value: string }>('SELECT current_setting($1) AS value', [name]);
    shown[name] = rows[0].value;
  }
  await client.end();
  return shown;
}

describe('a session of the gateway', () => {
  let url: string;
  beforeAll(async () => {
    url = await createDatabase();
    await setDefaults(url, DEFAULTS);
  });

  it('replaces each default, and keeps what the operator must choose', async () => {
    expect(Object.keys(OURS)).toEqual(expect.arrayContaining(Object.keys(DEFAULTS)));
    expect(await settingsIn(url)).toEqual(OURS);
  });

  it('keeps a synchronous_commit that promises more', async () => {
    await setDefaults(url, { synchronous_commit: 'remote_apply' });
    const client = await open(url);
    expect((await client.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: 'remote_apply' }]);
    await client.end();
  });

  it('has the options of the URL', async () => {
    const client = await open(`${url}?options=-c%20geqo%3Doff%20-c%20statement_timeout%3D9000`);
    expect((await client.query('SHOW geqo')).rows).toEqual([{ geqo: 'off' }]);
    expect((await client.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '4s' }]);
    await client.end();
  });
});

it('a connection that is lost before its session has its settings fails its caller, and nothing else', async () => {
  // Accepts every login, and hangs up on the first statement.
  const server = createServer((socket) => {
    let isLoggedIn = false;
    socket.on('data', () => {
      if (isLoggedIn) return socket.destroy();
      isLoggedIn = true;
      socket.write(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY]));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const to = parseConnection(`postgresql://agw:secret@127.0.0.1:${port}/agw?sslmode=disable`);
  const client = new DatabaseClient({ to, limits: UNLIMITED, applicationName: 'test', connectMs: 0, queryMs: 0 });
  await expect(client.connect()).rejects.toThrow('Connection terminated unexpectedly');
  expect(client.listenerCount('error')).toBe(0);
  server.close();
});

const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(existsSync);
if (PGBOUNCER === undefined) console.warn('SKIPPED: the test with a real PgBouncer, because it is not installed');

(PGBOUNCER ? it : it.skip)('works behind a real PgBouncer with its defaults', async () => {
  const url = await createDatabase();
  const pgbouncer = await startPgBouncer(PGBOUNCER!, url);
  try {
    const gateway = await startChildGateway({ DATABASE_URL: pgbouncer.url });
    expect(gateway.output()).toContain('"listening"');
    await register({ url: gateway.url }, 'ada@example.com');
    await login({ url: gateway.url }, 'ada@example.com');
    expect(gateway.output()).not.toContain('no connection to the database');
    await gateway.stop();
  } finally {
    await pgbouncer.stop();
  }
});

describe('behind a pooler that refuses start parameters, as PgBouncer does', () => {
  let pooler: StartupProxy;
  let environment: Record<string, string>;
  beforeAll(async () => {
    pooler = await startStartupProxy(await createDatabase());
    environment = testEnvironment(pooler.url);
  });
  afterAll(() => pooler.stop());

  it('the gateway migrates, listens and works', async () => {
    const gateway = await startChildGateway({ DATABASE_URL: pooler.url });
    expect(gateway.output()).toContain('"listening"');
    const app = { url: gateway.url };
    await register(app, 'ada@example.com');
    await login(app, 'ada@example.com');
    expect(gateway.output()).not.toContain('no connection to the database');
    await gateway.stop();
    expect([...pooler.seen].sort()).toEqual(['application_name', 'client_encoding', 'database', 'user']);
  });

  it('a session still has its limits of time', async () => {
    const short = { statementMs: 50, lockMs: 50, idleInTransactionMs: 50 };
    const to = parseConnection(pooler.url);
    const client = new DatabaseClient({ to, limits: short, applicationName: 'test', connectMs: 0, queryMs: 0 });
    client.on('error', () => undefined);
    await client.connect();
    await expect(client.query('SELECT pg_sleep(60)')).rejects.toMatchObject({ code: '57014' });
    await client.end();
  });

  it('a session replaces each default all the same', async () => {
    const database = await createDatabase();
    await setDefaults(database, DEFAULTS);
    const other = await startStartupProxy(database);
    try {
      expect(await settingsIn(other.url)).toEqual(OURS);
    } finally {
      await other.stop();
    }
  });

  it('the commands of operators work', async () => {
    const { code, lines } = await rotateSecret(environment);
    expect([code, lines.at(-1)]).toEqual([0, 'Everything is encrypted with ENCRYPTION_SECRET.']);
    const program = join(process.cwd(), 'dist/apps/api/src/reset-password.js');
    const env = { PATH: process.env.PATH, ...environment };
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'ada@example.com'], { env });
    expect(stdout).toContain('The new password of');
  });

  it('npm start finds out that the database has data, and refuses to invent a secret for it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'agw-start-'));
    const env = { DATABASE_URL: pooler.url, LLM_BASE_URL: 'http://127.0.0.1:9/v1' };
    await expect(prepareTrial({ dataDir, env })).rejects.toThrow(/ENCRYPTION_SECRET/);
    rmSync(dataDir, { recursive: true });
  });
});

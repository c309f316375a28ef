import { Client } from 'pg';
import { migrate, parseConnection } from '#database';

let databases = 0;
let template: Promise<string> | undefined;

/**
 * A new, empty database on the cluster of this test run.
 * @param options SQL options
 */
export async function createDatabase(options = ''): Promise<string> {
  const name = nextName();
  await onAdmin((admin) => admin.query(`CREATE DATABASE ${name} ${options}`));
  await makeClockMovable(name);
  return databaseUrl(name);
}

/** A new database with the newest schema. Copying it takes a tenth of the time of the migrations. */
export async function createMigratedDatabase(): Promise<string> {
  template ??= findTemplate();
  const original = await template;
  const name = nextName();
  await onAdmin(async (admin) => {
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${original}`);
    await findClockFirst(admin, name);
  });
  return databaseUrl(name);
}

/** The first worker that needs the template makes it; the others wait at the lock. */
function findTemplate(): Promise<string> {
  const name = process.env.TEST_TEMPLATE!;
  return onAdmin(async (admin) => {
    await admin.query('SELECT pg_advisory_lock(1)');
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) {
      const url = await createDatabase();
      await migrate(parseConnection(url));
      await admin.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} RENAME TO ${name}`);
    }
    return name;
  });
}

/**
 * The database's clock decides about expiry. To let tests move it, PostgreSQL finds these functions before its own
 * functions of the same names.
 */
async function makeClockMovable(name: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl(name) });
  await client.connect();
  await client.query(`
    CREATE SCHEMA test_clock;
    CREATE TABLE test_clock.shift (by interval NOT NULL);
    INSERT INTO test_clock.shift VALUES ('0');
    CREATE FUNCTION test_clock.now() RETURNS timestamptz LANGUAGE sql STABLE
      AS 'SELECT pg_catalog.now() + by FROM test_clock.shift';
    CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT pg_catalog.clock_timestamp() + by FROM test_clock.shift'`);
  await findClockFirst(client, name);
  await client.end();
}

/** A setting of the database: a copy does not inherit it. */
async function findClockFirst(client: Client, name: string): Promise<void> {
  await client.query(`ALTER DATABASE ${name} SET search_path = public, test_clock, pg_catalog`);
}

async function onAdmin<T>(work: (admin: Client) => Promise<T>): Promise<T> {
  const admin = new Client({ connectionString: adminUrl() });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

function nextName(): string {
  return `t${process.pid}_${++databases}_${Date.now()}`;
}

function databaseUrl(name: string): string {
  const url = new URL(adminUrl());
  url.pathname = `/${name}`;
  return url.href;
}

function adminUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('TEST_DATABASE_URL is not set: run the tests through npm test');
  return url;
}

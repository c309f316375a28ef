/**
 * `node benchmarks/migration.mjs`: the migration to workspaces on a database of the previous release, with 1,000
 * accounts and 1,000,000 audit records, while statements of that release continue. Fails if one of them fails or takes
 * longer than a second, or if an account does not keep what it had. Needs a build. --small a tenth of everything
 */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { startPostgres } from '../scripts/lib/postgres.mjs';

const SCALE = process.argv.includes('--small') ? 0.1 : 1;
const ACCOUNTS = 1000 * SCALE;
const RECORDS = 1_000_000 * SCALE;
const ACTIONS = 100_000 * SCALE;
const LIMIT_MS = 1000;
const FIRST = 'Workspaces1764100000000';

/** The statements that instances of the previous release send for requests of agents. */
const LOAD = {
  'write a record': [
    `INSERT INTO audit_records (id, at, kind, outcome, user_id, agent_id, method, url)
     SELECT $1, now(), 'request', 'forwarded', a.user_id, a.id, 'GET', 'https://api.example.com/load' FROM agents a WHERE a.id = $2`,
    () => [`0199${randomUUID().slice(4, 14)}7${randomUUID().slice(15)}`, agent()],
  ],
  'hold a request': [
    `INSERT INTO actions (id, user_id, agent_id, agent_name, service_name, status, method, target_url, headers, intent, summary, risk_score,
       risk_explanation, risk_source, created_at, expires_at)
     SELECT $1, a.user_id, a.id, a.name, 'service', 'PENDING', 'DELETE', 'https://api.example.com/load', '{}', 'tidy', 'DELETE', 0.9, '', 'model',
       now(), now() + interval '1 day' FROM agents a WHERE a.id = $2`,
    () => [randomUUID(), agent()],
  ],
  'load an agent': ['SELECT id, user_id, name, version FROM agents WHERE id = $1', () => [agent()]],
  'touch an agent': ['UPDATE agents SET last_used_at = now() WHERE id = $1', () => [agent()]],
  'read the status of an action': ['SELECT id, status FROM actions WHERE agent_id = $1 LIMIT 1', () => [agent()]],
};

const directory = mkdtempSync(join(tmpdir(), 'agw-migration-'));
const postgres = await startPostgres({ dataDir: directory, durable: true });
const { parseConnection, dataSourceOptions, migrate } = await import(
  pathToFileURL(join(process.cwd(), 'dist/libs/database/src/index.js')).href
);
let failed = false;
try {
  await before();
  const took = await underLoad(async () => {
    const startMs = performance.now();
    await migrate(parseConnection(postgres.url));
    return performance.now() - startMs;
  });
  console.log(`migration of ${ACCOUNTS} accounts and ${RECORDS} records: ${(took / 1000).toFixed(1)} s`);
  await check();
} finally {
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);

/** The schema and the rows of the previous release. */
async function before() {
  const options = dataSourceOptions(parseConnection(postgres.url), 2);
  const released = options.migrations.slice(
    0,
    options.migrations.findIndex(({ name }) => name === FIRST),
  );
  const source = await new DataSource({ ...options, extra: {}, migrations: released }).initialize();
  await source.runMigrations({ transaction: 'each' });
  await source.query(`
    SET session_replication_role = replica;
    INSERT INTO users (email, name, password_hash, created_at, updated_at)
      SELECT 'user' || n || '@example.com', 'User ' || n, 'x', now(), now() FROM generate_series(1, ${ACCOUNTS}) n;
    INSERT INTO services (user_id, name, base_url, auth_type, created_at, updated_at)
      SELECT u.id, 'service ' || n, 'https://api' || n || '.example.com', 'none', now(), now() FROM users u, generate_series(1, 5) n;
    INSERT INTO agents (user_id, name, key_hash, key_prefix, is_active, created_at, updated_at)
      SELECT u.id, 'agent ' || n, encode(sha256((u.id || '-' || n)::bytea), 'hex'), 'agt_' || lpad(n::text, 8, '0'), true, now(), now()
      FROM users u, generate_series(1, 5) n;
    INSERT INTO audit_records (id, at, kind, outcome, user_id, agent_id, method, url, status)
      SELECT (lpad(to_hex(1760000000000 + n * 1000), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 5, 15))::uuid,
        to_timestamp(1760000000 + n), 'request', 'forwarded', a.user_id, a.id, 'GET', 'https://api.example.com/' || n, 200
      FROM generate_series(1, ${RECORDS}) n JOIN agents a ON a.id = n % ${ACCOUNTS * 5} + 1;
    INSERT INTO actions (id, user_id, agent_id, agent_name, service_name, status, method, target_url, headers, intent, summary, risk_score,
        risk_explanation, risk_source, created_at, expires_at)
      SELECT gen_random_uuid(), a.user_id, a.id, 'agent', 'service', 'DENIED', 'DELETE', 'https://api.example.com/' || n,
        '{}', 'tidy', 'DELETE', 0.9, '', 'model', now(), now() FROM generate_series(1, ${ACTIONS}) n JOIN agents a ON a.id = n % ${ACCOUNTS * 5} + 1`);
  await source.query('SET session_replication_role = DEFAULT');
  await source.query('ANALYZE');
  await source.destroy();
}

function agent() {
  return 1 + Math.floor(Math.random() * ACCOUNTS * 5);
}

async function underLoad(work) {
  let over = false;
  const slowest = {};
  const counts = {};
  const loops = Object.entries(LOAD).map(async ([name, [sql, values]]) => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    [slowest[name], counts[name]] = [0, 0];
    while (!over) {
      const startMs = performance.now();
      try {
        await client.query(sql, values());
      } catch (error) {
        failed = true;
        console.error(`${name}: ${error.message}`);
      }
      slowest[name] = Math.max(slowest[name], performance.now() - startMs);
      counts[name]++;
      await delay(2);
    }
    await client.end();
  });
  await delay(2000);
  const result = await work();
  await delay(2000);
  over = true;
  await Promise.all(loops);
  for (const [name, ms] of Object.entries(slowest)) {
    if (ms > LIMIT_MS) failed = true;
    console.log(`${name.padEnd(30)} ${String(counts[name]).padStart(6)} times, slowest ${ms.toFixed(0)} ms`);
  }
  return result;
}

/** Checks that every account kept its rows, and owns the rows that the load added. */
async function check() {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query(`
    SELECT (SELECT count(*) FROM workspaces w JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = w.id AND m.role = 'owner')::int AS workspaces,
      (SELECT count(*) FROM services WHERE workspace_id <> user_id)::int AS services,
      (SELECT count(*) FROM agents WHERE workspace_id <> user_id)::int AS agents,
      (SELECT count(*) FROM audit_records r JOIN agents a ON a.id = r.agent_id WHERE r.workspace_id IS DISTINCT FROM a.user_id)::int AS records,
      (SELECT count(*) FROM actions r JOIN agents a ON a.id = r.agent_id WHERE r.workspace_id IS DISTINCT FROM a.user_id)::int AS actions`);
  await client.end();
  const { workspaces, ...wrong } = rows[0];
  if (workspaces !== ACCOUNTS || Object.values(wrong).some((count) => count > 0)) failed = true;
  console.log(`${workspaces} workspaces; rows of a wrong workspace: ${JSON.stringify(wrong)}`);
}

/**
 * `node benchmarks/workspaces.mjs`: the lists of one workspace beside 10,000 workspaces with 50,000 members and a
 * million audit records, half of them in this workspace. Also ends a pause that refused very many requests. A list with
 * a p95 over 100 ms fails the run. Needs a build.
 */
import process from 'node:process';
import pg from 'pg';
import { startGateway } from './lib/gateway.mjs';
import { start } from './lib/processes.mjs';

const TIMES = 100;
const LIMIT_MS = 100;

const { child: servers, message: ports } = await start('benchmarks/lib/fake-servers.mjs');
const gateway = await startGateway({ upstreamPort: ports.upstream, modelPort: ports.model });
const database = new pg.Client({ connectionString: gateway.databaseUrl });
await database.connect();
const headers = { authorization: `Bearer ${gateway.accessToken}` };
try {
  await seed();
  const paths = ['/workspaces', '/workspaces/1/members', '/services', '/agents', '/approvals', '/audit?limit=50'];

  const more = [
    '/audit?outcome=refused',
    '/workspaces/1/export',
    '/admin/workspaces?limit=200',
    '/admin/workspaces?q=U99',
  ];
  for (const path of [...paths, ...more]) await measure(path);
  await resume();
} finally {
  await database.end();
  await gateway.stop();
  servers.kill();
}

/** The account of the gateway is in 51 of the workspaces, and its own has 501 members. */
async function seed() {
  for (const statement of [
    'ALTER TABLE users DISABLE TRIGGER users_workspace',
    `INSERT INTO users (email, name, password_hash, created_at, updated_at)
     SELECT 'u' || n || '@example.com', 'U' || n, 'x', now(), now() FROM generate_series(1, 10000) n`,
    `INSERT INTO workspaces (name, created_by, created_at, updated_at) SELECT name, id, now(), now() FROM users WHERE id > 1`,
    `INSERT INTO workspace_members
     SELECT w.id, u.id, 'admin', now() FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM workspaces WHERE id > 1) w
     CROSS JOIN generate_series(0, 4) k
     JOIN (SELECT id, row_number() OVER (ORDER BY id) AS n FROM users) u ON u.n = (w.n * 7 + k * 1999) % 10000 + 1
     ON CONFLICT DO NOTHING`,
    `INSERT INTO workspace_members
     SELECT id, 1, 'admin', now() FROM workspaces WHERE id > 1 ORDER BY id LIMIT 50 ON CONFLICT DO NOTHING`,
    `INSERT INTO workspace_members
     SELECT 1, id, 'auditor', now() FROM users WHERE id > 1 ORDER BY id LIMIT 500 ON CONFLICT DO NOTHING`,
    `INSERT INTO audit_records (id, at, kind, outcome, workspace_id, service_id, service_name, method, url, reason, status)
     SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - 1000000 + n), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid,
       now(), 'request', CASE WHEN n % 3 = 0 THEN 'refused' ELSE 'forwarded' END,
       CASE WHEN n % 2 = 0 THEN 1 ELSE 1 + n % 10000 END, CASE WHEN n % 3 > 0 THEN 1 END, 'Shop', 'GET', 'https://example.com/x',
       CASE WHEN n % 3 = 0 THEN 'Paused: x' END, 200
     FROM generate_series(1, 1000000) n`,
    'ANALYZE',
  ]) {
    await database.query(statement);
  }
}

async function ask(path, method = 'GET') {
  const began = performance.now();
  const response = await fetch(gateway.origin + path, { method, headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return { ms: performance.now() - began, text };
}

async function measure(path) {
  const times = [];
  for (let n = 0; n < TIMES; n++) times.push((await ask(path)).ms);
  times.sort((a, b) => a - b);
  const [p50, p95] = [times[TIMES / 2], times[Math.ceil(TIMES * 0.95) - 1]].map((ms) => ms.toFixed(1));
  process.stdout.write(`${path}: p50 ${p50} ms, p95 ${p95} ms\n`);
  if (Number(p95) > LIMIT_MS) process.exitCode = 1;
}

/** Resumes a pause that began before all records. */
async function resume() {
  await database.query(`UPDATE workspaces SET paused_at = now() - interval '1 day', paused_reason = 'x' WHERE id = 1`);
  const { ms, text } = await ask('/workspaces/1/resume', 'POST');
  process.stdout.write(`resume: ${ms.toFixed(1)} ms, ${JSON.parse(text).refusedRequests} refusals counted\n`);
}

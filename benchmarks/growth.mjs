/**
 * `node benchmarks/growth.mjs`: the cost of the gateway with full tables: 10,000 services and agents, a million audit
 * records and 100,000 actions of one user. Compares the proxy with an empty database, measures the first byte and the
 * CPU of every list, filter and export, and shows how PostgreSQL finds the rows. A list that reads the whole table of
 * actions or audit records fails the run. Needs Linux (/proc) and a build. --small a tenth of everything --no-proxy the
 * lists only --only=TEXT the lists whose path contains it --no-lists the proxy only --data=DIR a database to keep: the
 * first run fills it, later runs reuse it --months=N records of so many months, each in its partition, 833,333 a month
 * (30 million in 36 months) --drop also drops the oldest of the months while 200 requests arrive each second
 */
import 'reflect-metadata';
import { fork } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import process from 'node:process';
import pg from 'pg';
import { request } from 'undici';
import { startGateway } from './lib/gateway.mjs';
import { ask, cpuSeconds, start } from './lib/processes.mjs';

const has = (flag) => process.argv.includes(flag);
const DATA = process.argv.find((argument) => argument.startsWith('--data='))?.slice('--data='.length);
const ONLY = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length) ?? '';
const SCALE = has('--small') ? 0.1 : 1;
const MONTHS = Number(
  process.argv.find((argument) => argument.startsWith('--months='))?.slice('--months='.length) ?? 0,
);
const SIZE = {
  services: 10_000 * SCALE,
  agents: 10_000 * SCALE,
  audit: Math.round((MONTHS > 0 ? (30_000_000 * MONTHS) / 36 : 1_000_000) * SCALE),
  actions: 100_000 * SCALE,
};
const DAYS = MONTHS > 0 ? MONTHS * 30 : 90;
const DROP = { perSecond: 200, seconds: 20, p99Max: 3 };
const TIMES = 100;
const LIMIT_MS = 100;
/** A list that reads more rows without an index reads whole tables. */
const SCANNED_MAX = 1000;
const ROUNDS = 3;
const ROUND_REQUESTS = 4000;

const { child: servers, message: ports } = await start('benchmarks/lib/fake-servers.mjs');
const gateway = await startGateway({ upstreamPort: ports.upstream, modelPort: ports.model, dataDir: DATA });
const database = new pg.Client({ connectionString: gateway.databaseUrl });
await database.connect();
const load = fork('benchmarks/lib/load.mjs');
try {
  const empty = has('--no-proxy') || gateway.known ? null : await proxyCost();
  if (!gateway.known && MONTHS > 0) await cutPast();
  if (!gateway.known) await seed();
  await fold();
  if (empty) compare(empty, await proxyCost());
  if (!has('--no-lists')) await lists();
  if (has('--drop')) await dropUnderLoad();
} finally {
  load.kill();
  await database.end();
  await gateway.stop();
  servers.kill();
}

/** SQL: the id of an action by its number, as a UUID of version 4. */
function actionId(number) {
  return `overlay(overlay(md5('action' || ${number}) PLACING '4' FROM 13) PLACING '8' FROM 17)::uuid`;
}

/**
 * CPU seconds of gateway and PostgreSQL per 1000 requests, the best of some rounds, since others may use the machine.
 */
async function proxyCost() {
  const costs = {};
  for (const method of ['GET', 'POST']) {
    const rounds = [];
    for (let round = -1; round < ROUNDS; round++) {
      const before = cpuSeconds([gateway.pid, gateway.postgresPid]);
      const { requests, perSecond, statuses } = await ask(load, {
        origin: gateway.origin,
        path: '/proxy',
        headers: { 'content-type': 'application/json', 'agent-key': gateway.apiKey },
        body: {
          targetUrl: `http://127.0.0.1:${ports.upstream}/ruled/customers/42`,
          method,
          intent: 'Look up the customer who wrote in',
          ...(method === 'POST' ? { body: '{"orders":[1,2,3]}' } : {}),
        },
        connections: 32,
        durationMs: 120_000,
        maxRequests: ROUND_REQUESTS,
        keyPrefix: method === 'POST' ? `grow-${Math.random()}` : null,
      });
      if (Object.keys(statuses).some((status) => status !== '200')) throw new Error(JSON.stringify(statuses));
      // The first round warms up.
      if (round < 0) continue;
      const cpu = (cpuSeconds([gateway.pid, gateway.postgresPid]) - before) / requests;
      rounds.push({ cpu: cpu * 1000, perSecond });
    }
    costs[method] = rounds.reduce((best, one) => (one.cpu < best.cpu ? one : best));
  }
  return costs;
}

function compare(empty, full) {
  for (const method of ['GET', 'POST']) {
    const ratio = full[method].cpu / empty[method].cpu;
    console.log(
      `proxied ${method.padEnd(4)}  empty ${empty[method].cpu.toFixed(3)} CPU s/1000, full ${full[method].cpu.toFixed(3)}` +
        ` (${ratio.toFixed(2)}), ${empty[method].perSecond.toFixed(0)}/s against ${full[method].perSecond.toFixed(0)}/s`,
    );
  }
}

/** Gives the past its months, as if the gateway had run for so long. */
async function cutPast() {
  const now = new Date();
  const start = (month) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, 1);
  const id = (ms) =>
    `'${ms
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-')}-7000-8000-000000000000'`;
  const statements = ['BEGIN', 'ALTER TABLE audit_records DETACH PARTITION audit_records_first'];
  const attach = (name, from, to) =>
    statements.push(
      `CREATE TABLE ${name} (LIKE audit_records INCLUDING DEFAULTS) WITH (fillfactor = 50)`,
      `ALTER TABLE audit_records ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`,
    );
  statements.push('ALTER TABLE audit_records_first RENAME TO before_months');
  attach('audit_records_first', 'MINVALUE', id(start(-MONTHS)));
  for (let month = -MONTHS; month <= 0; month++) {
    const name = new Date(start(month)).toISOString().slice(0, 7).replace('-', '_');
    attach(`audit_records_${name}`, id(start(month)), id(start(month + 1)));
  }
  const { rows } = await database.query(
    `SELECT substring(pg_get_expr(relpartbound, oid) FROM 'TO \\(''([^'']+)') AS bound FROM pg_class WHERE relname = 'audit_records_first'`,
  );
  if (rows[0].bound !== id(start(1)).slice(1, -1)) attach('audit_records_next', id(start(1)), `'${rows[0].bound}'`);
  statements.push('INSERT INTO audit_records SELECT * FROM before_months', 'DROP TABLE before_months', 'COMMIT');
  for (const statement of statements) await database.query(statement);
}

/** Drops the oldest month with records while requests arrive. None may fail, and p99 may be three times that without. */
async function dropUnderLoad() {
  const load = (path) => import(pathToFileURL(join(process.cwd(), 'dist', path)).href);
  const [{ DataSource }, { parseConnection, dataSourceOptions }, { RecordMonths }] = await Promise.all([
    import('typeorm'),
    load('libs/database/src/index.js'),
    load('apps/api/src/audit/record-months.js'),
  ]);
  const source = await new DataSource(dataSourceOptions(parseConnection(gateway.databaseUrl), 1)).initialize();
  const months = new RecordMonths(source);
  const { rows } = await database.query('SELECT min(at) AS oldest FROM audit_records');
  const { oldest } = rows[0];
  const before = new Date(Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth() + 1, 1));
  // The first round warms up.
  await atRate();
  const idle = await atRate();
  const running = atRate();
  await new Promise((resolve) => setTimeout(resolve, (DROP.seconds * 1000) / 2));
  const startMs = performance.now();
  await months.dropBefore(before);
  const tookMs = performance.now() - startMs;
  const { p99, statuses } = await running;
  await source.destroy();
  const isBad = Object.keys(statuses).join() !== '200' || p99 > DROP.p99Max * idle.p99;
  if (isBad) process.exitCode = 1;
  console.log(
    `a month dropped in ${tookMs.toFixed(0)} ms at ${DROP.perSecond} requests/s: ${JSON.stringify(statuses)}, p99 ${p99.toFixed(1)} ms, ` +
      `without ${idle.p99.toFixed(1)} ms${isBad ? '  <-- over' : ''}`,
  );
}

function atRate() {
  return ask(load, {
    origin: gateway.origin,
    path: '/proxy',
    headers: { 'content-type': 'application/json', 'agent-key': gateway.apiKey },
    body: {
      targetUrl: `http://127.0.0.1:${ports.upstream}/ruled/customers/42`,
      method: 'GET',
      intent: 'Look up the customer who wrote in',
    },
    connections: 64,
    durationMs: DROP.seconds * 1000,
    maxRequests: DROP.seconds * DROP.perSecond,
    keyPrefix: null,
    perSecond: DROP.perSecond,
  });
}

/** All rows belong to the one user of the benchmark: the worst case for a list. Times go back 90 days, or the months. */
async function seed() {
  const startMs = performance.now();
  const now = new Date();
  const run = (sql, values = []) => database.query(sql, values);
  const { rows } = await run('SELECT id FROM users');
  const user = rows[0].id;
  await run('SET session_replication_role = replica'); // Disables triggers: no events for a hundred thousand rows.
  await run(
    `INSERT INTO services (workspace_id, user_id, name, base_url, auth_type, created_at, updated_at)
     SELECT $1, $1, 'service ' || n, 'https://api' || n || '.example.com/v1', 'bearer', $2, $2 FROM generate_series(1, $3::int) n`,
    [user, now, SIZE.services],
  );
  await run(
    `INSERT INTO credentials (service_id, name, encrypted_value)
     SELECT id, 'token', 'x' FROM services WHERE base_url LIKE 'https://api%'`,
  );
  await run(
    `INSERT INTO agents (workspace_id, user_id, name, key_hash, key_prefix, is_active, created_at, updated_at)
     SELECT $1, $1, 'agent ' || n, encode(sha256(n::text::bytea), 'hex'), 'agt_' || lpad(to_hex(n), 8, '0'), true, $2, $2
     FROM generate_series(1, $3::int) n`,
    [user, now, SIZE.agents],
  );
  await run(
    `INSERT INTO agent_services SELECT a.id, s.id FROM agents a JOIN services s ON s.name = replace(a.name, 'agent', 'service')
     WHERE a.name LIKE 'agent %' ON CONFLICT DO NOTHING`,
  );
  const { rows: firsts } = await run(
    `SELECT (SELECT min(id) FROM agents WHERE name LIKE 'agent %') AS agent, (SELECT min(id) FROM services WHERE name LIKE 'service %') AS service`,
  );
  const { agent, service } = firsts[0];
  // UUID version 7: 48 bits of milliseconds, so that ids are in the order of time, like the gateway's own.
  await run(
    `INSERT INTO audit_records (id, at, kind, outcome, workspace_id, request_id, agent_id, agent_name, service_id, service_name, method,
       url, intent, risk_score, risk_explanation, risk_source, reason, status, upstream_status, duration_ms, response_bytes,
       action_id, actor_id, actor_name, summary)
     SELECT (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 5, 15))::uuid,
       to_timestamp(ms / 1000.0),
       CASE WHEN n % 100 = 0 THEN 'change' WHEN n % 50 = 0 THEN 'execution' ELSE 'request' END,
       CASE WHEN n % 100 = 0 THEN 'changed' WHEN n % 50 = 0 THEN 'executed' WHEN n % 20 = 0 THEN 'held'
            WHEN n % 33 = 0 THEN 'refused' ELSE 'forwarded' END,
       $1::int, md5(n::text), $2 + n % $4, 'agent ' || n % $4 + 1, $3 + n % $5, 'service ' || n % $5 + 1,
       (ARRAY['GET','GET','GET','POST','PATCH','DELETE'])[n % 6 + 1],
       'https://api' || n % $5 || '.example.com/v1/customers/' || n, 'Look up customer ' || n || ' who wrote in',
       (n % 100) / 100.0, 'The request does what its intent says', 'model',
       CASE WHEN n % 300 = 0 THEN 'action.denied' WHEN n % 200 = 0 THEN 'action.approved' WHEN n % 100 = 0 THEN 'agent.updated' END, 200,
       CASE WHEN n % 40 = 0 THEN 401 WHEN n % 25 = 0 THEN 503 ELSE 200 END, n % 900, 400,
       CASE WHEN n % 100 <> 0 AND (n % 20 = 0 OR n % 50 = 0) OR n % 200 = 0 OR n % 300 = 0 THEN ${actionId('n / 10')} END,
       CASE WHEN n % 100 = 0 THEN $1::int END, CASE WHEN n % 100 = 0 THEN 'Bench' END,
       CASE WHEN n % 20 = 0 THEN 'POST /orders/' || n / 10 END
     FROM (SELECT n, ($6::bigint - (($7 - n) * ${DAYS}::bigint * 86400000 / $7)) AS ms FROM generate_series(1, $7::bigint) n) g`,
    [user, agent, service, SIZE.agents, SIZE.services, now.getTime(), SIZE.audit],
  );
  await run(
    `INSERT INTO actions (id, workspace_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers, body,
       intent, summary, risk_score, risk_explanation, risk_source, created_at, expires_at, resolved_at, approval_expires_at,
       resolved_by, resolved_by_name)
     SELECT ${actionId('n')}, $1::int, $2 + n % $4, 'agent ' || n % $4 + 1, $3 + n % $5, 'service ' || n % $5 + 1, s.status,
       (ARRAY['POST','PATCH','PUT','DELETE'])[n % 4 + 1], 'https://api' || n % $5 || '.example.com/v1/orders/' || n, '{}', '{"n":1}',
       'Refund order ' || n, 'POST /orders/' || n, (n % 100) / 100.0, 'Moves money', 'model', at, at + interval '24 hours' * 200,
       CASE WHEN s.status IN ('DENIED', 'EXECUTED', 'APPROVED') THEN at + n * 7919 % 600000 * interval '1 millisecond' END,
       CASE WHEN s.status IN ('APPROVED', 'EXECUTED') THEN at + interval '200 days' END,
       CASE WHEN s.status IN ('DENIED', 'EXECUTED', 'APPROVED') THEN $1::int END, CASE WHEN s.status IN ('DENIED', 'EXECUTED', 'APPROVED') THEN 'Bench' END
     FROM generate_series(1, $6::int) n,
       LATERAL (SELECT (ARRAY['PENDING','EXECUTED','EXECUTED','EXECUTED','EXECUTED','EXECUTED','DENIED','DENIED','EXPIRED','APPROVED'])[n % 10 + 1] AS status,
         $7::timestamptz - ($6 - n) * interval '90 days' / $6 AS at) s`,
    [user, agent, service, SIZE.agents, SIZE.services, SIZE.actions, now],
  );
  await run('SET session_replication_role = DEFAULT');
  await run('UPDATE agents SET version = version + 1');
  await run('VACUUM ANALYZE');
  console.log(`seeded in ${((performance.now() - startMs) / 1000).toFixed(0)} s: ${JSON.stringify(SIZE)}`);
}

async function lists() {
  const { rows } = await database.query(
    `SELECT (SELECT id FROM agents WHERE name LIKE 'agent %' ORDER BY id LIMIT 1 OFFSET 700) AS agent,
            (SELECT id FROM services WHERE name LIKE 'service %' ORDER BY id LIMIT 1 OFFSET 700) AS service,
            (SELECT workspace_id FROM agents LIMIT 1) AS user, (SELECT id FROM actions WHERE status = 'PENDING' LIMIT 1) AS action, (SELECT request_id FROM audit_records LIMIT 1) AS request`,
  );
  const { agent, service, action, user, request: requestId } = rows[0];
  const day = (days) => new Date(Date.now() - days * 86_400_000).toISOString();
  const approvals = [
    '',
    'status=ALL',
    'status=APPROVED',
    'status=DENIED',
    'status=EXPIRED',
    'status=EXECUTED',
    'sort=risk',
    'sort=expiry',
    'status=ALL&sort=risk',
    'status=ALL&sort=expiry',
    'minRisk=0.9',
    'method=DELETE',
    `agentId=${agent}`,
    `serviceId=${service}`,
    'q=orders%2F777',
    'status=ALL&q=orders%2F777',
    'status=ALL&q=nothing-has-this',
    'limit=200',
  ].map((query) => `/approvals?${query}`);
  const audit = [
    '',
    'limit=200',
    `agentId=${agent}`,
    `serviceId=${service}`,
    'kind=request',
    'kind=execution',
    'kind=change',
    'kind=access',
    'outcome=held',
    'outcome=refused',
    'outcome=changed',
    'outcome=forwarded',
    'method=DELETE',
    'method=HEAD',
    'statusClass=5',
    'statusClass=3',
    'decision=any',
    'decision=denied',
    'decision=any&q=nothing-has-this',
    `decision=any&actorId=${user}`,
    `kind=request&actorId=${user}`,
    `kind=change&actorId=${user}`,
    `requestId=${requestId}`,
    `actionId=${action}`,
    `from=${day(80)}&to=${day(79)}`,
    'q=customers',
    'q=customer+777777',
    'q=nothing-has-this',
    `q=nothing-has-this&from=${day(7)}`,
  ].map((query) => `/audit?${query}`);
  const others = [
    '/services',
    '/agents',
    `/services/${service}`,
    `/agents/${agent}`,
    `/approvals/${action}`,
    '/approvals/counts',
    '/audit/stats',
    `/audit/stats?from=${day(90)}`,
    `/audit/stats?from=${day(1)}`,
    '/audit/stats?q=customers',
    `/audit/stats?q=nothing-has-this&from=${day(90)}`,
    `/audit/stats?decision=any&actorId=${user}&from=${day(90)}`,
    '/audit/people',
    '/audit/usage/services',
    `/audit/usage/agents?agentIds=${Array.from({ length: 100 }, (_, index) => agent + index)}`,
    '/audit/export?format=csv',
    '/audit/export?format=ndjson',
    '/audit/export?format=csv&q=nothing-has-this',
  ];
  const paths = [...approvals, ...audit, ...others].filter((path) => path.includes(ONLY));
  for (const path of paths) await list(path);
  await plans(paths);
}

/** Runs now what the gateway does every ten minutes. */
async function fold() {
  const load = (path) => import(pathToFileURL(join(process.cwd(), 'dist', path)).href);
  const [{ DataSource }, { parseConnection, dataSourceOptions }, { UsageFold }, { firstUuidV7 }] = await Promise.all([
    import('typeorm'),
    load('libs/database/src/index.js'),
    load('apps/api/src/figures/usage-fold.js'),
    load('apps/api/src/platform/uuid-v7.js'),
  ]);
  const source = await new DataSource(dataSourceOptions(parseConnection(gateway.databaseUrl), 1)).initialize();
  const startMs = performance.now();
  const fold = new UsageFold(source, { nowMs: () => Date.now() }, null);
  // The gateway's own job may be running. Two jobs never run together: this one then ends immediately.
  const settled = firstUuidV7(Date.now() - 20 * 60_000);
  for (let done = false; !done;) {
    await fold.fold();
    ({ done } = (await database.query('SELECT folded_to >= $1 AS done FROM usage_fold', [settled])).rows[0]);
    if (!done) await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await source.destroy();
  await database.query('VACUUM ANALYZE');
  console.log(`counted into hours in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
}

/**
 * Reads the plans that PostgreSQL really used from its log: requests each path once with `auto_explain` on. With a
 * matching index a list stays fast when the tables grow.
 */
async function plans(paths) {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': 0,
    'auto_explain.log_analyze': true,
    'auto_explain.log_buffers': true,
    'auto_explain.log_format': 'json',
    log_min_messages: 'log',
  };
  const { rows } = await database.query('SELECT quote_ident(current_database()) AS name');
  for (const [name, value] of Object.entries(settings)) {
    await database.query(`ALTER DATABASE ${rows[0].name} SET ${name} = '${value}'`);
  }
  let failed = 0;
  try {
    await reconnect();
    for (const path of paths) {
      const startsAt = statSync(gateway.postgresLog).size;
      await firstByte(path);
      // PostgreSQL writes the log before the answer; an export continues a little longer.
      await new Promise((resolve) => setTimeout(resolve, path.includes('export') ? 500 : 100));
      const log = readFileSync(gateway.postgresLog).subarray(startsAt).toString('utf8');
      const found = [...log.matchAll(/ plan:\n((?:\t.*\n)+)/g)]
        .flatMap(([, text]) => listNodes(JSON.parse(text).Plan))
        .filter((node) => /^(?:audit_records|actions)/.test(node['Relation Name'] ?? findTable(node['Index Name'])));
      const how = new Set(
        found.map((node) => node['Index Name'] ?? `${node['Node Type']} on ${node['Relation Name']}`),
      );
      // A partition without rows needs no index.
      const bad = found.some((node) => node['Node Type'] === 'Seq Scan' && readBy(node) > SCANNED_MAX);
      if (bad) failed += 1;
      const rowsRead = found.reduce((sum, node) => sum + readBy(node), 0);
      console.log(
        `${path.slice(0, 64).padEnd(64)} ${String(Math.round(rowsRead)).padStart(7)} rows read by ${[...how].sort().join(', ')}${bad ? '  <-- whole table' : ''}`,
      );
    }
  } finally {
    for (const name of Object.keys(settings)) await database.query(`ALTER DATABASE ${rows[0].name} RESET ${name}`);
    await reconnect();
  }
  if (failed > 0) {
    console.error(`${failed} lists read a whole table`);
    process.exitCode = 1;
  }
}

/** The settings apply to new connections, so this closes the gateway's. */
async function reconnect() {
  await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  for (let status = 0; status !== 200;) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    status = (await request(`${gateway.origin}/ready`)).statusCode;
  }
}

function readBy(node) {
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}

function listNodes(plan) {
  return [plan, ...(plan.Plans ?? []).flatMap(listNodes)];
}

function findTable(index = '') {
  return index.startsWith('audit_') ? 'audit_records' : index.startsWith('actions_') ? 'actions' : '';
}

async function firstByte(path) {
  const response = await request(gateway.origin + path, {
    headers: { authorization: `Bearer ${gateway.accessToken}` },
    headersTimeout: 120_000,
  });
  // Does not wait for the rest of an export.
  await response.body[Symbol.asyncIterator]().next();
  response.body.destroy();
  return response.statusCode;
}

async function list(path) {
  const took = [];
  let status = 0;
  const before = cpuSeconds([gateway.pid, gateway.postgresPid]);
  for (let turn = 0; turn < TIMES; turn++) {
    const startMs = performance.now();
    status = await firstByte(path);
    took.push(performance.now() - startMs);
    // After its reader has left, an export still finishes its batch.
    if (path.includes('export')) await new Promise((resolve) => setTimeout(resolve, 300));
    if (took.at(-1) > 2000) break;
  }
  const cpuMs = ((cpuSeconds([gateway.pid, gateway.postgresPid]) - before) * 1000) / took.length;
  took.sort((a, b) => a - b);
  const p95 = took[Math.min(took.length - 1, Math.floor(took.length * 0.95))];
  const mark = status !== 200 || p95 > LIMIT_MS ? '  <-- over' : '';
  console.log(
    `${path.slice(0, 64).padEnd(64)} ${status}  p50 ${took[took.length >> 1].toFixed(1).padStart(8)} ms  p95 ${p95.toFixed(1).padStart(8)} ms  CPU ${cpuMs.toFixed(0).padStart(5)} ms${mark}`,
  );
}

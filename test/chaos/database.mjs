/**
 * Requests arrive while the database is cut off, hangs, stops and restarts, blocks rows with locks, and rejects
 * statements with conflicts. Each request gets its 503 while the database is still unavailable, nothing is forwarded
 * without its audit record, and everything works again. The time that this takes is a figure. Its baseline is the time
 * that the same requests take without an outage.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../../scripts/lib/postgres.mjs';
import { DatabaseLink } from './lib/database-link.mjs';
import { Report } from './lib/report.mjs';
import { setStage, until } from './lib/stage.mjs';

const POOL_SIZE = 20;
/** Long enough for a slow machine. How long it takes is a figure. */
const SERVING_MS = 60_000;

/**
 * @typedef {import('./lib/stage.mjs').Stage} Stage
 * @typedef {import('./lib/stage.mjs').Answer & {startMs: number, what: string}} Seen
 */

/**
 * @param {object} options
 * @param {string} options.databaseUrl
 * @param {{postgres: import('../../scripts/lib/postgres.mjs').Postgres, dataDir: string}} [options.server] a server of
 * our
 *   own, that may be stopped and frozen; without it those parts are left out
 * @param {number} [options.outageMs]
 */
export async function database({ databaseUrl, server, outageMs = 7000 }) {
  const report = new Report('PostgreSQL unavailable, hanging, exhausted, in conflict');
  const link = await DatabaseLink.to(databaseUrl);
  const stage = await setStage({
    databaseUrl,
    gatewayDatabaseUrl: link.url,
    environment: { DATABASE_POOL_SIZE: String(POOL_SIZE) },
  });
  /** @type {import('../../scripts/lib/postgres.mjs').Postgres | null} */
  let restarted = null;
  try {
    await withoutOutage(stage, report);
    await outage(
      stage,
      report,
      'connection refused',
      outageMs,
      () => link.set('refused'),
      () => link.set('open'),
    );
    await outage(
      stage,
      report,
      'silent, old connections stay dead',
      outageMs,
      () => link.set('silent'),
      () => link.set('open'),
    );
    await slowUpstream(stage, report);
    await locks(stage, report);
    await conflicts(stage, report);
    await deadlock(stage, report);
    if (server) {
      await outage(
        stage,
        report,
        'every server process frozen',
        outageMs,
        () => signal(server.dataDir, 'SIGSTOP'),
        () => signal(server.dataDir, 'SIGCONT'),
      );
      await outage(
        stage,
        report,
        'server stopped and started',
        3000,
        () => server.postgres.stop(),
        async () => {
          restarted = await startPostgres({ dataDir: server.dataDir, durable: true });
          link.target = new URL(restarted.url);
          stage.database = new pg.Pool({ connectionString: restarted.url, max: 4 });
          stage.database.on('error', () => {});
        },
      );
    }
    await everythingRecorded(stage, report);
    const [gateway] = stage.instances;
    report.check('the process survived all of it', gateway.runs, gateway.output.slice(-2000));
  } finally {
    await stage.close();
    await link.close();
    await /** @type {any} */ (restarted)?.stop();
  }
  return report;
}

/** @param {Stage} stage @returns {Promise<Seen>[]} one request of each kind */
function oneOfEach(stage) {
  const startMs = performance.now();
  const key = randomUUID();
  /** @type {[string, Promise<import('./lib/stage.mjs').Answer>][]} */
  const all = [
    ['proxy GET', stage.proxy({ id: randomUUID() })],
    ['proxy keyed POST', stage.proxy({ id: key, method: 'POST', key })],
    [
      'proxy keyed POST, model asked',
      stage.proxy({ id: randomUUID(), method: 'POST', key: randomUUID(), service: 'judged' }),
    ],
    ['proxy POST to be held', stage.proxy({ id: randomUUID(), method: 'POST', key: randomUUID(), service: 'held' })],
    ['GET /services', stage.admin('GET', '/services')],
    ['PATCH approve', stage.admin('PATCH', `/approvals/${randomUUID()}/approve`, {})],
    ['GET /ready', stage.call('GET', '/ready')],
  ];
  return all.map(async ([what, answer]) => ({ ...(await answer), startMs, what }));
}

/** @param {Seen} seen */
const served = ({ what, status }) =>
  what === 'PATCH approve' ? status === 404 : what.endsWith('held') ? status === 428 : status === 200;

/**
 * Asks until all are served: on a slow machine, a statement may reach its time limit.
 * @param {Stage} stage
 * @returns {Promise<{ms: number, answers: Seen[]}>} how long that took, and the answers of all rounds
 */
async function askUntilServed(stage) {
  /** @type {Seen[]} */
  const answers = [];
  const ms = await until(async () => {
    const round = await Promise.all(oneOfEach(stage));
    answers.push(...round);
    return round.every(served);
  }, SERVING_MS);
  return { ms, answers };
}

/** The baseline of the other times. @param {Stage} stage @param {Report} report */
async function withoutOutage(stage, report) {
  const rounds = [];
  for (let round = 0; round < 10; round++) rounds.push(await askUntilServed(stage));
  const answers = rounds.flatMap((round) => round.answers);
  const odd = answers.filter((seen) => seen.status !== 503 && !served(seen));
  report.figure('without an outage: slowest answer, ms', Math.max(...answers.map(({ ms }) => ms)));
  report.figure('without an outage: answered 503', answers.filter(({ status }) => status === 503).length);
  report.check('without an outage: all served', odd.length === 0 && rounds.every(({ ms }) => ms !== Infinity), odd);
}

/**
 * @param {Stage} stage
 * @param {Report} report
 * @param {string} name
 * @param {number} lastsMs
 * @param {() => unknown} begin
 * @param {() => unknown} end
 */
async function outage(stage, report, name, lastsMs, begin, end) {
  /** @type {Promise<Seen>[]} */
  const asked = [];
  let answered = 0;
  let running = true;
  const load = (async () => {
    while (running) {
      const round = oneOfEach(stage);
      asked.push(...round);
      for (const answer of round) void answer.then(() => answered++);
      // All that wait for a time limit of 3.5 s must be fewer than an agent may have in progress.
      await delay(100);
    }
  })();
  // Every connection of the pool is open, so that the outage hits all of them.
  await Promise.all(Array.from({ length: POOL_SIZE * 2 }, () => stage.admin('GET', '/services')));
  // The load goes on until the end, so some requests are in progress when the outage begins.
  await until(() => answered >= 50, SERVING_MS);
  const beginMs = performance.now();
  await begin();
  const awayMs = performance.now();
  await delay(lastsMs);
  running = false;
  await load;
  const endMs = performance.now();
  // Each request has its answer before the database is back.
  const during = (await Promise.all([...asked, delay(0)])).filter((seen) => seen !== undefined);
  const backStartMs = performance.now();
  await end();
  const startedMs = performance.now() - backStartMs;
  const { ms: back } = await askUntilServed(stage);

  const refused = during.filter(({ startMs }) => startMs > awayMs && startMs < endMs);
  const slowest = Math.max(...refused.map(({ ms }) => ms));
  const around = during.filter(({ startMs, ms }) => startMs <= awayMs && startMs + ms > beginMs);
  report.figure(`${name}: requests meanwhile`, refused.length);
  report.figure(`${name}: slowest 503, ms`, slowest);
  report.figure(`${name}: slowest of those in progress at its start, ms`, Math.max(0, ...around.map(({ ms }) => ms)));
  if (startedMs > 200) report.figure(`${name}: start of the server, ms`, startedMs);
  report.figure(`${name}: all served again after, ms`, back);
  const odd = refused
    .filter(({ status }) => status !== 503)
    .map(({ what, status, text, error }) => ({ what, status, text, error }));
  report.check(`${name}: 503 to each`, refused.length > 20 && odd.length === 0, odd);
  report.check(`${name}: serving again`, back !== Infinity);
}

/**
 * Upstreams that never answer hold sockets, but no database connections.
 * @param {Stage} stage
 * @param {Report} report
 */
async function slowUpstream(stage, report) {
  const before = stage.ledger.arrivals.length;
  const hanging = Array.from({ length: POOL_SIZE * 3 }, (_, index) =>
    stage.proxy(
      index % 2 === 0
        ? { service: 'ruled/hang', id: randomUUID() }
        : { service: 'ruled/hang', id: randomUUID(), method: 'POST', key: randomUUID() },
    ),
  );
  let open = hanging.length;
  for (const promise of hanging) void promise.then(() => open--);
  await until(() => stage.ledger.arrivals.length - before >= open, SERVING_MS);
  const { ms, answers } = await askUntilServed(stage);
  // Other work of the gateway may use a connection at this moment. A hanging request would hold one until its end.
  let busy = Infinity;
  await until(async () => {
    const [{ count }] = await stage.rows(
      `SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'agent-gateway'
         AND datname = current_database() AND state <> 'idle'`,
    );
    if (open > 0) busy = Math.min(busy, count);
    return busy === 0 || open === 0;
  }, SERVING_MS);
  report.figure('upstream hangs, 3 x the pool: slowest of the others, ms', Math.max(...answers.map(({ ms }) => ms)));
  report.figure('upstream hangs, 3 x the pool: connections held', busy);
  report.check('no connection is held while an upstream is slow', busy === 0 && ms !== Infinity, answers.slice(-7));
  // The hanging requests end with the gateway. Waiting 30 s for them would only test the upstream's timeout.
}

/** Tries again while a busy machine answers 503. @param {Stage} stage @returns {Promise<string>} the action */
async function holdOne(stage) {
  let id = '';
  await until(async () => {
    const { text } = await stage.proxy({ id: randomUUID(), method: 'POST', key: randomUUID(), service: 'held' });
    id = JSON.parse(text).action_id ?? '';
    return id !== '';
  }, SERVING_MS);
  return id;
}

/** The whole pool waits for rows that another connection has locked. @param {Stage} stage @param {Report} report */
async function locks(stage, report) {
  const ids = await Promise.all(Array.from({ length: POOL_SIZE * 2 }, () => holdOne(stage)));
  const holder = await stage.database.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM actions WHERE id = ANY($1) FOR UPDATE', [ids]);
  const approvals = ids.map((id) => stage.admin('PATCH', `/approvals/${id}/approve`, {}));
  await until(async () => (await waitingForLocks(stage)).length > 0, SERVING_MS);
  const others = await Promise.all(oneOfEach(stage));
  const decided = await Promise.all(approvals);
  await holder.query('ROLLBACK');
  holder.release();
  const { ms: back } = await askUntilServed(stage);
  const all = [...decided.map((answer) => ({ ...answer, what: 'approve' })), ...others];
  report.figure('pool exhausted by locks: slowest answer, ms', Math.max(...all.map(({ ms }) => ms)));
  report.figure('pool exhausted by locks: all served again after, ms', back);
  const odd = all.filter((seen) => seen.status !== 503 && !served(/** @type {Seen} */ (seen)));
  report.check('pool exhausted: 503 or served', odd.length === 0, odd);
  report.check('pool exhausted: serving again', back !== Infinity);
}

/**
 * Every eighth write fails with the error that PostgreSQL gives the victim of a conflict.
 * @param {Stage} stage
 * @param {Report} report
 */
async function conflicts(stage, report) {
  const tables = ['audit_records', 'idempotency_records', 'actions'];
  await stage.database.query(`
    CREATE FUNCTION chaos_conflict() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE dice float := random();
    BEGIN
      IF dice < 1.0 / 16 THEN RAISE EXCEPTION 'deadlock detected (injected)' USING ERRCODE = '40P01'; END IF;
      IF dice < 2.0 / 16 THEN RAISE EXCEPTION 'could not serialize access (injected)' USING ERRCODE = '40001'; END IF;
      RETURN NULL;
    END $$;
    ${tables.map((table) => `CREATE TRIGGER chaos AFTER INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION chaos_conflict();`).join('\n')}
  `);
  /** @type {Seen[]} */
  const answers = [];
  for (let round = 0; round < 40; round++) answers.push(...(await Promise.all(oneOfEach(stage))));
  await stage.database.query(`DROP FUNCTION chaos_conflict CASCADE`);
  const odd = answers.filter((seen) => seen.status !== 503 && !served(seen));
  const unserved = answers.filter(({ status }) => status === 503);
  report.figure('every eighth write in conflict: requests', answers.length);
  report.figure('every eighth write in conflict: answered 503', unserved.length);
  report.check('conflicts: served or 503, nothing else', odd.length === 0, odd.slice(0, 5));
}

/** The gateway's connections that wait for a lock. @param {Stage} stage */
const waitingForLocks = (stage) =>
  stage.rows(
    `SELECT FROM pg_stat_activity WHERE application_name = 'agent-gateway' AND datname = current_database() AND wait_event_type = 'Lock'`,
  );

/** A real deadlock with the gateway as its victim. @param {Stage} stage @param {Report} report */
async function deadlock(stage, report) {
  const [first, second] = [`a-${randomUUID()}`, `b-${randomUUID()}`];
  const [{ id: agentId }] = await stage.rows('SELECT id FROM agents LIMIT 1');
  const rival = await stage.database.connect();
  const take = (/** @type {string} */ key) =>
    rival.query(
      `INSERT INTO idempotency_records (agent_id, key, request_hash, method, status, claim_id, created_at, expires_at)
       VALUES ($1, $2, 'x', 'POST', 'failed', gen_random_uuid(), now(), now() + interval '1 hour')`,
      [agentId, key],
    );
  await rival.query('BEGIN');
  await take(second);
  const asked = [first, second].map((key) => stage.proxy({ id: key, method: 'POST', key }));
  await until(async () => (await waitingForLocks(stage)).length > 0, 3000);
  const outcome = await take(first).then(
    () => 'the gateway',
    () => 'the rival',
  );
  await rival.query('ROLLBACK');
  rival.release();
  const answers = await Promise.all(asked);
  report.figure('real deadlock: victim', outcome);
  report.check(
    'real deadlock: served or 503',
    answers.every(({ status }) => status === 200 || status === 503),
    answers.map(({ status, text }) => `${status} ${text}`),
  );
}

/** @param {Stage} stage @param {Report} report */
async function everythingRecorded(stage, report) {
  const recorded = new Set();
  for (const { url } of await stage.rows(`SELECT url FROM audit_records WHERE outcome IN ('forwarded', 'executed')`)) {
    recorded.add(url.slice(url.lastIndexOf('/') + 1));
  }
  const byId = stage.ledger.byId();
  const missing = [...byId].filter(([id]) => !recorded.has(id));
  const twice = [...byId.values()].filter((list) => list.length > 1);
  report.figure('requests that reached the upstream through all of this', stage.ledger.arrivals.length);
  report.check('nothing was forwarded without its audit record', missing.length === 0, missing);
  report.check('nothing was forwarded twice', twice.length === 0, twice);
}

/** Sends the signal to the server and all of its processes. @param {string} dataDir @param {NodeJS.Signals} name */
function signal(dataDir, name) {
  const postmaster = Number(
    readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0],
  );
  const children = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => readParent(pid) === postmaster);
  for (const pid of [postmaster, ...children]) process.kill(pid, name);
}

/** @param {number} pid */
function readParent(pid) {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[1],
    );
  } catch {
    return 0;
  }
}

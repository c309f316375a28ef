/**
 * `node scripts/soak.mjs`: sends all kinds of requests at half of the measured maximum for 30 minutes, and then reports
 * errors, memory, handles, connections and table sizes. Needs Linux (/proc) and a build. The last line is `N passed, N
 * failed`.
 *   --minutes=N
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { Report } from '../test/chaos/lib/report.mjs';
import { quantile, setStage } from '../test/chaos/lib/stage.mjs';
import { green, red, say, step } from './lib/lines.mjs';
import { startPostgres } from './lib/postgres.mjs';
import { buildIfNeeded } from './lib/toolchain.mjs';

const minutes = Number(process.argv.find((argument) => argument.startsWith('--minutes='))?.slice(10) ?? 30);
const CONNECTIONS = 32;
const SAMPLE_MS = 10_000;
/** By then code is compiled and caches are filled: growth counts from here. */
const SETTLED_SHARE = 0.25;
const GROWTH_LIMIT = 0.1;
/** By then the gateway has closed every idle connection; it keeps one for 65 seconds. */
const REST_MS = 75_000;

await buildIfNeeded(step);
const dataDir = mkdtempSync(join(tmpdir(), 'agw-soak-'));
const postgres = await startPostgres({ dataDir, durable: true });
const stage = await setStage({ databaseUrl: postgres.url, environment: { RISK_CACHE_SECONDS: '60' } });
const report = new Report(`Soak, ${minutes} minutes`);
const [gateway] = stage.instances;
/** @type {Map<string, number>} */
const errors = new Map();
/** @type {Record<string, number>} */
const counts = {};

/** Every kind of request, in the shares of a busy installation. @type {[number, string, () => Promise<void>][]} */
const KINDS = [
  [30, 'GET, rule', () => expectStatus(stage.proxy({ id: randomUUID() }), 200)],
  [10, 'GET, model', () => expectStatus(stage.proxy({ id: randomUUID(), service: 'judged' }), 200)],
  [20, 'keyed POST, rule', () => keyed('ruled')],
  [10, 'keyed POST, model', () => keyed('judged')],
  [5, 'replay of a key', replay],
  [4, 'held, approved, executed', decide],
  [2, 'refused', () => expectStatus(stage.proxy({ id: '', service: 'nowhere' }), 404)],
  [4, 'lists', list],
  [1, 'log-in and refresh', session],
  // A few every minute: more than people make.
  [0.02, 'configuration change', change],
];
const total = KINDS.reduce((sum, [weight]) => sum + weight, 0);

async function one() {
  let dice = Math.random() * total;
  const [, name, act] = KINDS.find(([weight]) => (dice -= weight) < 0) ?? KINDS[0];
  try {
    await act();
    counts[name] = (counts[name] ?? 0) + 1;
  } catch (error) {
    const text = `${name}: ${error instanceof Error ? error.message : String(error)}`;
    errors.set(text, (errors.get(text) ?? 0) + 1);
  }
}

try {
  step('Measuring the maximum …');
  const maximum = await measureMaximum();
  const rate = maximum / 2;
  await delay(REST_MS);
  const handlesAtRest = gateway.handles();
  step(`${maximum.toFixed(0)} requests/s at most; ${minutes} minutes at ${rate.toFixed(0)} …`);
  await soak(rate, maximum, handlesAtRest);
} finally {
  await stage.close();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
for (const { name, value } of report.figures) say(`  ${name.padEnd(52)} ${value}`);
for (const { name, ok, detail } of report.checks) say(`  ${ok ? green('✓') : red('✗')} ${name} ${ok ? '' : detail}`);
say(`\n${report.checks.length - report.failed.length} passed, ${report.failed.length} failed`);
process.exit(report.failed.length === 0 ? 0 : 1);

async function measureMaximum() {
  const run = async (/** @type {number} */ ms) => {
    const endMs = performance.now() + ms;
    let done = 0;
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (; performance.now() < endMs; done++) await one();
      }),
    );
    return (done / ms) * 1000;
  };
  await run(10_000);
  return run(10_000);
}

/** @param {number} rate @param {number} maximum @param {number} handlesAtRest before it */
async function soak(rate, maximum, handlesAtRest) {
  const durationMs = minutes * 60_000;
  const startMs = performance.now();
  /** @type {{rss: number, handles: number, connections: number, pending: number}[]} */
  const samples = [];
  let begun = 0;
  let pending = 0;
  let nextSampleMs = 0;
  for (;;) {
    const elapsedMs = performance.now() - startMs;
    if (elapsedMs > durationMs) break;
    for (; begun < (elapsedMs / 1000) * rate; begun++) {
      pending++;
      void one().finally(() => pending--);
    }
    if (elapsedMs > nextSampleMs) {
      nextSampleMs = elapsedMs + SAMPLE_MS;
      const [{ connections }] = await stage.rows(
        `SELECT count(*)::int AS connections FROM pg_stat_activity WHERE application_name LIKE 'agent-gateway%'`,
      );
      samples.push({ rss: gateway.rssMb(), handles: gateway.handles(), connections, pending });
    }
    await delay(5);
  }
  while (pending > 0) await delay(50);
  await delay(REST_MS);
  const settled = samples.slice(Math.floor(samples.length * SETTLED_SHARE));
  const third = Math.max(1, Math.floor(settled.length / 3));
  const median = (/** @type {{rss: number}[]} */ list) =>
    quantile(
      list.map(({ rss }) => rss),
      0.5,
    );
  const [first, last] = [median(settled.slice(0, third)), median(settled.slice(-third))];
  const sizes = await stage.rows(
    `SELECT relname AS name, n_live_tup::int AS rows, pg_size_pretty(pg_total_relation_size(relid)) AS size
     FROM pg_stat_user_tables WHERE n_live_tup > 100 ORDER BY pg_total_relation_size(relid) DESC`,
  );
  const [{ requests, open }] = await stage.rows(
    `SELECT (SELECT count(*)::int FROM audit_records WHERE outcome = 'forwarded') AS requests,
            (SELECT count(*)::int FROM audit_records WHERE outcome IN ('forwarded', 'executed') AND status IS NULL)
          + (SELECT count(*)::int FROM idempotency_records WHERE status = 'processing' AND action_id IS NULL)
          + (SELECT count(*)::int FROM actions WHERE claim_id IS NOT NULL) AS open`,
  );
  report.figure('maximum, requests/s', maximum);
  report.figure('requested, requests/s', rate);
  for (const [name, count] of Object.entries(counts)) report.figure(name, count);
  report.figure(
    'errors',
    [...errors.values()].reduce((sum, count) => sum + count, 0),
  );
  report.figure(
    'RSS: settled, end, MB',
    `${first.toFixed(0)}, ${last.toFixed(0)} (${((last / first - 1) * 100).toFixed(1)} %)`,
  );
  const handles = gateway.handles();
  report.figure(
    'file handles: most under load; at rest before, after',
    `${Math.max(...samples.map((sample) => sample.handles))}; ${handlesAtRest}, ${handles}`,
  );
  report.figure('database connections: most', Math.max(...samples.map(({ connections }) => connections)));
  for (const { name, rows, size } of sizes) report.figure(`table ${name}`, `${rows} rows, ${size}`);
  const arrived = stage.ledger.arrivals.length;
  report.check('no error', errors.size === 0, [...errors].slice(0, 10));
  report.check('RSS grows by less than 10 %', last < first * (1 + GROWTH_LIMIT));
  report.check('no leaked handle', handles <= handlesAtRest, { handlesAtRest, handles });
  report.check('no leaked connection', Math.max(...samples.map(({ connections }) => connections)) <= 21);
  report.check('nothing is left half-done', open === 0, open);
  report.check(
    'one record for each request that was forwarded',
    requests + (counts['held, approved, executed'] ?? 0) >= arrived,
    { requests, arrived },
  );
}

/** @param {Promise<import('../test/chaos/lib/stage.mjs').Answer>} asked @param {number} status */
async function expectStatus(asked, status) {
  const answer = await asked;
  if (answer.status !== status) throw new Error(`${answer.status} ${answer.error ?? answer.text.slice(0, 200)}`);
}

/** @param {string} service */
async function keyed(service) {
  const id = randomUUID();
  await expectStatus(stage.proxy({ id, service, method: 'POST', key: id }), 200);
}

async function replay() {
  const id = randomUUID();
  const [first, second] = [
    await stage.proxy({ id, method: 'POST', key: id }),
    await stage.proxy({ id, method: 'POST', key: id }),
  ];
  if (first.status !== 200 || first.text !== second.text) throw new Error(`${first.status} ${second.status}`);
}

async function decide() {
  const id = randomUUID();
  const held = await stage.proxy({ id, service: 'held', method: 'POST', key: id });
  if (held.status !== 428) throw new Error(`${held.status} ${held.text}`);
  const { action_id: action } = JSON.parse(held.text);
  await stage.made('PATCH', `/approvals/${action}/approve`, {});
  await expectStatus(stage.call('POST', `/proxy/execute/${action}`, { headers: { 'agent-key': stage.agentKey } }), 200);
}

async function list() {
  for (const path of ['/approvals', '/approvals/counts', '/audit', '/services', '/agents']) {
    await expectStatus(stage.admin('GET', path), 200);
  }
}

async function session() {
  const { refreshToken } = await stage.logIn();
  await expectStatus(stage.call('POST', '/auth/refresh', { body: { refreshToken } }), 200);
}

/** Makes every cached view stale. */
async function change() {
  await expectStatus(stage.admin('PUT', `/services/${stage.serviceIds.ruled}`, { name: `ruled ${Date.now()}` }), 200);
}

/**
 * `node benchmarks/waiting.mjs`: the cost of 1,000 agents that wait for a decision (`Prefer: wait`) and of 200
 * dashboards on `/events`: memory, statements in the database, and the time until an approval on one instance reaches
 * an agent that waits on the other. Needs Linux (/proc) and a build.
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { startPostgres } from '../scripts/lib/postgres.mjs';
import { quantile, setStage, until } from '../test/chaos/lib/stage.mjs';

const AGENTS = 1000;
const DASHBOARDS = 200;
const APPROVALS = 100;
const QUIET_MS = 10_000;

const dataDir = mkdtempSync(join(tmpdir(), 'agw-waiting-'));
const postgres = await startPostgres({ dataDir, durable: true });
const stage = await setStage({ databaseUrl: postgres.url, instances: 2 });
const [first, second] = stage.instances;
const rss = () => stage.instances.map((instance) => Math.round(instance.rssMb()));
const abort = new AbortController();
setMaxListeners(DASHBOARDS + 1, abort.signal);

// Both instances have done some work, as a gateway in use has.
for (let n = 0; n < 2000; n += 20) {
  await Promise.all(Array.from({ length: 20 }, () => stage.proxy({ id: randomUUID() })));
}
await delay(2000);
const idle = rss();

let events = 0;
const streams = await Promise.all(
  Array.from({ length: DASHBOARDS }, async (_, index) => {
    const { body } = await request(`${stage.instances[index % 2].origin}/events`, {
      headers: { authorization: `Bearer ${stage.token}` },
      signal: abort.signal,
    });
    body.on('error', () => {});
    body.on('data', (chunk) => (events += String(chunk).match(/^event:/gm)?.length ?? 0));
    return body;
  }),
);

// All agents wait on the second instance; they are approved on the first one.
const waiting = new Map();
let begun = 0;
const answers = Array.from({ length: AGENTS }, async (_, index) => {
  await delay(index * 5);
  const id = randomUUID();
  const asked = stage.proxy({ id, service: 'held', method: 'POST', key: id, prefer: 'wait=60', origin: second.origin });
  begun++;
  const answer = await asked;
  waiting.get(id)?.(performance.now());
  return answer.status;
});
const allHeld = await until(async () => {
  const [{ count }] = await stage.rows(`SELECT count(*)::int FROM actions WHERE status = 'PENDING'`);
  return begun === AGENTS && count === AGENTS;
}, 60_000);
console.log(`${AGENTS} agents wait, ${streams.length} dashboards read; held after ${Math.round(allHeld)} ms`);

const transactions = async () => {
  const [{ n }] = await stage.rows(
    `SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()`,
  );
  return Number(n);
};
// Connections report their statistics with a delay of up to ten seconds.
await delay(15_000);
const before = await transactions();
await delay(QUIET_MS);
const quiet = (await transactions()) - before;
const loaded = rss();

const pending = await stage.rows(
  `SELECT id, target_url FROM actions WHERE status = 'PENDING' ORDER BY random() LIMIT $1`,
  [APPROVALS],
);
const took = [];
for (const { id: action, target_url: url } of pending) {
  const arrived = new Promise((resolve) => waiting.set(url.slice(url.lastIndexOf('/') + 1), resolve));
  const startMs = performance.now();
  const answer = await stage.admin('PATCH', `/approvals/${action}/approve`, {}, first.origin);
  const approvedMs = performance.now();
  if (answer.status !== 200) throw new Error(answer.text);
  const endMs = await Promise.race([arrived, delay(20_000, Infinity)]);
  // The agent has its answer only after the execution, so this includes the upstream's time of up to 30 ms.
  took.push({ fromClick: endMs - startMs, fromApproval: endMs - approvedMs });
}
console.log(`memory, MB: idle ${idle.join(' + ')}, waiting ${loaded.join(' + ')}, more: ${sum(loaded) - sum(idle)}`);
console.log(
  `transactions in ${QUIET_MS / 1000} s without a decision: ${quiet} (two instances, including this measurement)`,
);
console.log(
  `approval on one instance to the upstream's answer at the agent on the other: from the call p50 ${ms(took, 'fromClick', 0.5)}, p95 ${ms(took, 'fromClick', 0.95)} ms;` +
    ` from its response p50 ${ms(took, 'fromApproval', 0.5)}, p95 ${ms(took, 'fromApproval', 0.95)} ms`,
);
console.log(`events that the dashboards got: ${events}`);
abort.abort();
await stage.close();
await postgres.stop();
rmSync(dataDir, { recursive: true, force: true });
void answers;
process.exit(0);

function sum(values) {
  return values.reduce((a, b) => a + b, 0);
}

function ms(list, key, q) {
  return quantile(
    list.map((one) => one[key]),
    q,
  ).toFixed(0);
}

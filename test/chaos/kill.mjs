/**
 * Instances are killed (SIGKILL) at random moments under load. Meanwhile clients repeat failed requests with the same
 * key, and claims of live requests are made to look abandoned. Every request that reached the upstream has its audit
 * record, and nothing that must happen once happens twice.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Report } from './lib/report.mjs';
import { quantile, setStage, until } from './lib/stage.mjs';

const ONCE = new Set(['POST', 'PATCH']);
/** Long enough for a slow machine. The settlement job runs every minute. */
const SETTLED_MS = 60_000;
const SETTLED_BY_JOB_MS = 3 * 60_000;

/** @typedef {{id: string, kind: string, method: string, service: string, key?: string, actionId?: string, tries: number}} Job */

/**
 * The requests of agents, with their shares.
 * @type {[number, string, string, string][]}
 */
const MIX = [
  [3, 'plain', 'GET', 'ruled'],
  [1, 'plain', 'GET', 'judged'],
  [4, 'keyed', 'POST', 'ruled'],
  [3, 'keyed', 'POST', 'judged'],
  [1, 'keyed', 'PATCH', 'judged'],
  [1, 'keyed', 'PUT', 'ruled'],
  [3, 'action', 'POST', 'held'],
];

/** @returns {Job} */
function newJob() {
  let dice = Math.random() * MIX.reduce((sum, [weight]) => sum + weight, 0);
  const [, kind, method, service] = MIX.find(([weight]) => (dice -= weight) < 0) ?? MIX[0];
  const id = randomUUID();
  return { id, kind, method, service, tries: 0, ...(kind === 'plain' ? {} : { key: `key-${id}` }) };
}

/**
 * @param {object} options
 * @param {string} options.databaseUrl
 * @param {number} options.rounds
 * @param {number} [options.workers]
 * @param {boolean} [options.waitForJob] leave some claims to the settlement job; otherwise every client retries
 */
export async function kill({ databaseUrl, rounds, workers = 16, waitForJob = true }) {
  const report = new Report(`kill -9, ${rounds} rounds`);
  const stage = await setStage({ databaseUrl, instances: 2, modelDelayMs: 10 });
  try {
    await play(stage, report, rounds, workers, waitForJob);
  } finally {
    await stage.close();
  }
  return report;
}

/** @param {import('./lib/stage.mjs').Stage} stage @param {Report} report @param {number} rounds @param {number} workers @param {boolean} waitForJob */
async function play(stage, report, rounds, workers, waitForJob) {
  /** @type {Job[]} left with a claim that another caller holds */
  const stuck = [];
  /** @type {Record<string, number>} */
  const counts = { sent: 0, repeated: 0, stuck: 0, 'left alone': 0 };
  /** @type {string[]} */
  const wrong = [];
  /** @type {Map<string, string>} the first upstream answer for each key */
  const answers = new Map();
  let running = true;

  /** One attempt. @returns {Promise<'done' | 'again' | 'taken'>} @param {Job} job */
  async function attempt(job) {
    counts.sent++;
    if (job.tries++ > 0) counts.repeated++;
    if (job.actionId !== undefined) return advance(job, job.actionId);
    const answer = await stage.proxy(job);
    if (answer.headers['x-proxy-status'] !== undefined) {
      if (answer.status !== 200 || JSON.parse(answer.text).id !== job.id) wrong.push(`${job.id}: ${answer.status}`);
      if (job.key !== undefined && ONCE.has(job.method)) {
        const first = answers.get(job.key) ?? answer.text;
        answers.set(job.key, first);
        if (first !== answer.text) wrong.push(`${job.id}: two different answers`);
      }
      return 'done';
    }
    if (answer.status === 428) {
      job.actionId = JSON.parse(answer.text).action_id;
      return 'again';
    }
    // Our own 502: the request may have been carried out, and is never sent again.
    if (answer.status === 502) return 'done';
    if (answer.status === 409) return 'taken';
    if (answer.status !== 0 && answer.status !== 503) wrong.push(`${job.id}: ${answer.status} ${answer.text}`);
    return 'again';
  }

  /** @returns {Promise<'done' | 'again' | 'taken'>} @param {Job} job @param {string} actionId */
  async function advance(job, actionId) {
    const headers = { 'agent-key': stage.agentKey };
    const found = await stage.call('GET', `/status/${actionId}`, { headers });
    if (found.status !== 200) return 'again';
    const { status } = JSON.parse(found.text);
    if (status === 'EXECUTED') return 'done';
    if (status === 'PENDING') {
      await stage.admin('PATCH', `/approvals/${actionId}/approve`, {});
      return 'again';
    }
    if (status !== 'APPROVED') wrong.push(`${job.id}: action became ${status}`);
    const executed = await stage.call('POST', `/proxy/execute/${actionId}`, { headers });
    if (executed.status === 409) return executed.text.includes('in progress') ? 'taken' : 'again';
    return 'again';
  }

  /** @param {Job} job @param {() => boolean} goOn */
  async function carryOut(job, goOn) {
    let taken = 0;
    while (goOn()) {
      const result = await attempt(job);
      if (result === 'done') return;
      if (result === 'taken' && ++taken >= 3) break;
      // Some clients do not retry: the job must settle their claims.
      if (waitForJob && Math.random() < 0.05) return void counts['left alone']++;
      await delay(20 + Math.random() * 60);
    }
    counts.stuck++;
    stuck.push(job);
  }

  const load = Array.from({ length: workers }, async () => {
    while (running) {
      const job = newJob();
      // Sometimes sends the same key twice in parallel.
      const twins = Math.random() < 0.15 && job.key !== undefined ? [job, { ...job }] : [job];
      await Promise.all(twins.map((twin) => carryOut(twin, () => running)));
    }
  });

  /** @type {number[]} */
  const readyMs = [];
  for (let round = 0; round < rounds; round++) {
    await delay(100 + Math.random() * 500);
    const both = Math.random() < 0.1;
    const victims = both ? stage.instances : [stage.instances[Math.floor(Math.random() * 2)]];
    await Promise.all(victims.map((victim) => victim.kill()));
    await stage.ageClaims(0.5);
    readyMs.push(...(await Promise.all(victims.map((victim) => victim.start()))));
    await stage.ageClaims(0.3);
  }
  running = false;
  await Promise.all(load);

  // Time passes, and every client with an unfinished request retries.
  await stage.ageClaims();
  /** @type {Job[]} */
  const hopeless = [];
  const deadlineMs = performance.now() + 60_000;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let job = stuck.pop(); job; job = stuck.pop()) {
        let result = 'again';
        while (result !== 'done' && performance.now() < deadlineMs) {
          result = await attempt(job);
          if (result !== 'done') await delay(20);
        }
        if (result !== 'done') hopeless.push(job);
      }
    }),
  );
  const open = async () => {
    const [{ keys, actions }] = await stage.rows(
      `SELECT (SELECT count(*)::int FROM idempotency_records WHERE status = 'processing' AND action_id IS NULL) AS keys,
              (SELECT count(*)::int FROM actions WHERE claim_id IS NOT NULL) AS actions`,
    );
    return keys + actions;
  };
  const settledMs = await until(async () => (await open()) === 0, waitForJob ? SETTLED_BY_JOB_MS : SETTLED_MS);
  const stillOpen = await open();
  // They finish what they have begun, so nothing else is recorded or sent after this.
  await Promise.all(stage.instances.map((instance) => instance.stop()));

  const recorded = new Map();
  for (const { url } of await stage.rows(
    `SELECT url FROM audit_records WHERE kind IN ('request', 'execution') AND outcome IN ('forwarded', 'executed')`,
  )) {
    const id = url.slice(url.lastIndexOf('/') + 1);
    recorded.set(id, (recorded.get(id) ?? 0) + 1);
  }
  const arrived = stage.ledger.byId();
  const unrecorded = [...arrived].filter(([id, list]) => (recorded.get(id) ?? 0) < list.length);
  const twice = [...arrived].filter(([, list]) => list.length > 1 && ONCE.has(list[0].method));
  const again = [...arrived].filter(([, list]) => list.length > 1 && !ONCE.has(list[0].method));
  // The worst case. The database still shows how it happened.
  for (const [id] of twice) {
    console.error(
      JSON.stringify(
        await stage.rows(
          `SELECT (SELECT json_agg(a ORDER BY a.id) FROM audit_records a WHERE url LIKE '%${id}') AS records,
                  (SELECT json_agg(r) FROM idempotency_records r WHERE key = 'key-${id}') AS keys,
                  (SELECT json_agg(c) FROM actions c WHERE target_url LIKE '%${id}') AS actions`,
        ),
        null,
        1,
      ),
    );
  }
  const [{ abandoned }] = await stage.rows(
    `SELECT count(*)::int AS abandoned FROM audit_records WHERE outcome = 'abandoned'`,
  );
  const [{ unknown }] = await stage.rows(
    `SELECT (SELECT count(*) FROM idempotency_records WHERE response_from_upstream = false)
          + (SELECT count(*) FROM actions WHERE result_from_upstream = false) AS unknown`,
  );

  report.figure('requests sent by clients', counts.sent);
  report.figure('retries among them', counts.repeated);
  report.figure('requests that reached the upstream', stage.ledger.arrivals.length);
  report.figure('left for the settlement job by their client', counts['left alone']);
  report.figure('given up before sending (abandoned)', abandoned);
  report.figure('settled as "may have been carried out"', unknown);
  const [{ blank }] = await stage.rows(
    `SELECT count(*)::int AS blank FROM audit_records WHERE outcome IN ('forwarded', 'executed') AND status IS NULL`,
  );
  report.figure('until every claim was settled, ms', settledMs);
  report.figure('records whose outcome died with the process', blank);
  report.figure('idempotent requests (GET, PUT) repeated, as documented', again.length);
  report.figure('ready again, p95 ms', quantile(readyMs, 0.95));
  report.figure('ready again, slowest ms', Math.max(...readyMs));
  report.figure('ready without load, ms', await startWithoutLoad(stage.instances[0]));
  report.check('every request that reached the upstream has its audit record', unrecorded.length === 0, unrecorded);
  report.check('no keyed POST or PATCH and no action reached it twice', twice.length === 0, twice);
  report.check('no claim stays open after its deadline', settledMs !== Infinity, `${stillOpen} open`);
  report.check('every client that retried got an answer', hopeless.length === 0, hopeless);
  report.check('every answer was correct, and the same each time', wrong.length === 0, wrong.slice(0, 10));
  report.check('the load was high enough', stage.ledger.arrivals.length > rounds * 10, stage.ledger.arrivals.length);
}

/** The baseline of the other starts. @param {import('./lib/gateway-process.mjs').GatewayProcess} instance */
async function startWithoutLoad(instance) {
  await instance.kill();
  return instance.start();
}

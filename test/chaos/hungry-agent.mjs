/**
 * One agent, whose API is its accomplice, does the worst that it can with answers. Other clients are served as before,
 * and the memory stays level. Idle and attack take turns, so that a busy machine changes both.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { add, compare, measure, nothing } from './lib/other-clients.mjs';
import { Report } from './lib/report.mjs';
import { setStage, until } from './lib/stage.mjs';

const MEMORY_LIMIT_MB = 200;
const ROUNDS = 2;
/** The attack has begun to hurt. */
const BEFORE_MEASURING_MS = 3000;
const CALM_MS = 50;
const CALM_LIMIT_MS = 90_000;

/** @typedef {import('./lib/stage.mjs').Stage} Stage */
/** @typedef {import('./lib/hungry.mjs').Attack} Attack */
/** @typedef {import('./lib/other-clients.mjs').Measured} Measured */

/** @type {Record<string, Attack[]>} what runs at the same time */
export const ATTACKS = {
  '100 streams of one byte at a time, three-byte events and escapes': [
    { path: 'bytes', count: 34, prefer: 'stream' },
    { path: 'events', count: 33, prefer: 'stream' },
    { path: 'escapes', count: 33, prefer: 'stream' },
  ],
  '100 streams that nobody reads': [
    { path: 'bytes', count: 50, prefer: 'stream', isUnread: true },
    { path: 'events', count: 50, prefer: 'stream', isUnread: true },
  ],
  '100 streams of gzip that unpack to a thousand times their size': [
    { path: 'inflating', count: 100, prefer: 'stream' },
  ],
  '100 streams of events that are only line breaks of all kinds': [{ path: 'breaks', count: 100, prefer: 'stream' }],
  '100 streams of br with the largest window': [{ path: 'windows', count: 100, prefer: 'stream' }],
  '60 answers of 10 MB that are slow to redact, kept for their keys': [{ path: 'slow', count: 60, hasKey: true }],
  '60 answers that come one byte at a time': [{ path: 'bytes', count: 60 }],
  '200 gzip bombs of 9.9 MB': [{ path: 'bomb', count: 200 }],
  '40 answers of 10 MB at once': [{ path: 'large', count: 40 }],
  '150 answers of 10 MB that nobody reads': [{ path: 'large', count: 150, isUnread: true }],
};

/**
 * @param {object} options
 * @param {string} options.databaseUrl
 * @param {number} options.seconds of each measurement
 * @param {string} [options.attack] only the attacks with this text in their name
 */
export async function hungryAgent({ databaseUrl, seconds, attack: only = '' }) {
  const report = new Report('One agent does its worst with answers');
  const accomplice = await startAccomplice();
  const { port: apiPort } = accomplice;
  const stage = await setStage({ databaseUrl, environment: { PRIVATE_TARGET_ALLOWLIST: `127.0.0.1:${apiPort}` } });
  try {
    const apiKey = await makeHungryAgent(stage, apiPort);
    const [gateway] = stage.instances;
    for (const [name, attacks] of Object.entries(ATTACKS)) {
      if (!name.includes(only)) continue;
      // A process does not give all of its memory back, so each attack gets a new one.
      await gateway.stop();
      await gateway.start();
      await measure(stage, 2);
      const before = gateway.rssMb();
      const found = {
        idle: nothing(),
        attacked: nothing(),
        growthMb: 0,
        statuses: /** @type {Record<string, number>} */ ({}),
      };
      for (let round = 0; round < ROUNDS; round++) {
        add(found.idle, await measure(stage, seconds));
        accomplice.attack({ port: gateway.port, apiKey, attacks });
        await delay(BEFORE_MEASURING_MS);
        add(found.attacked, await measure(stage, seconds));
        found.growthMb = Math.max(found.growthMb, found.attacked.rssMb - before);
        for (const [status, count] of Object.entries(await accomplice.stop())) {
          found.statuses[status] = (found.statuses[status] ?? 0) + count;
        }
        await until(() => isCalm(stage), CALM_LIMIT_MS);
      }
      say(report, name, found);
    }
  } finally {
    await stage.close();
    await accomplice.close();
  }
  return report;
}

/** What the attack has left is done, so that the next idle measurement is one. @param {Stage} stage */
async function isCalm(stage) {
  const { ms } = await stage.call('GET', '/health');
  return ms < CALM_MS;
}

/** @param {Stage} stage @param {number} apiPort @returns {Promise<string>} its key */
async function makeHungryAgent(stage, apiPort) {
  const { id } = await stage.made('POST', '/services', {
    name: 'accomplice',
    baseUrl: `http://127.0.0.1:${apiPort}/`,
    authType: 'bearer',
    credentials: { token: 'chaos-upstream-token' },
  });
  await stage.made('POST', `/services/${id}/risk-rules`, { name: 'allow', effect: 'allow' });
  return (await stage.made('POST', '/agents', { name: 'hungry', serviceIds: [id] })).apiKey;
}

/** @param {Report} report @param {string} name @param {{idle: Measured, attacked: Measured, growthMb: number, statuses: Record<string, number>}} found */
function say(report, name, { idle, attacked, growthMb, statuses }) {
  report.figure(`${name}: answers by status`, JSON.stringify(statuses));
  compare(report, name, { idle, attacked });
  report.figure('  growth of the memory, MB', growthMb);
  report.check(`${name}: memory within ${MEMORY_LIMIT_MB} MB`, growthMb <= MEMORY_LIMIT_MB, growthMb);
}

/** In a thread of its own, so that the figures show the gateway and not the test. */
async function startAccomplice() {
  const worker = new Worker(new URL('lib/hungry.mjs', import.meta.url));
  const [port] = await once(worker, 'message');
  return {
    port: Number(port),
    /** @param {{port: number, apiKey: string, attacks: Attack[]}} order */
    attack: (order) => worker.postMessage(order),
    /** @returns {Promise<Record<string, number>>} how many answers began with each status */
    stop: async () => {
      worker.postMessage(null);
      return (await once(worker, 'message'))[0];
    },
    close: () => worker.terminate(),
  };
}

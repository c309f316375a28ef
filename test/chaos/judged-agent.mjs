/**
 * One agent sends large bodies to a service with 500 rules, each with a condition that reads the body. Other clients are
 * served as before. Idle and attack take turns, so that a busy machine changes both.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { add, compare, measure, nothing } from './lib/other-clients.mjs';
import { Report } from './lib/report.mjs';
import { setStage } from './lib/stage.mjs';

const RULES = 500;
const AT_ONCE = 16;
const ROUNDS = 2;
/** The attack has begun to hurt. */
const BEFORE_MEASURING_MS = 1000;

/** Each rule reads the body in another way, and none matches. The last one refuses, so that nothing has to be sent. */
const CONDITIONS = [
  (/** @type {number} */ n) => `request.body.items.exists(item, item.id == ${-n})`,
  (/** @type {number} */ n) => `has(request.body.note) && request.body.note.matches("(a|b)*c${n}$")`,
  (/** @type {number} */ n) => `request.text.contains("nothing-${n}")`,
  (/** @type {number} */ n) => `request.body.items.size() < ${n} && "money" in effects`,
];

/** @type {Record<string, import('./lib/judged.mjs').Kind>} what the bodies are */
const ATTACKS = {
  'bodies of 1 MB that every rule reads': 'read',
  'bodies of 1 MB with two keys of one name': 'doubtful',
  'bodies of 10 MB': 'large',
};

/** @param {{databaseUrl: string, seconds: number}} options of each measurement */
export async function judgedAgent({ databaseUrl, seconds }) {
  const report = new Report(`One agent sends large bodies to a service with ${RULES} conditions`);
  const worker = new Worker(new URL('lib/judged.mjs', import.meta.url));
  const stage = await setStage({ databaseUrl });
  try {
    const target = stage.target('judged', '');
    const apiKey = await makeJudgedAgent(stage, target);
    const [{ port }] = stage.instances;
    await measure(stage, 2);
    for (const [name, kind] of Object.entries(ATTACKS)) {
      const found = { idle: nothing(), attacked: nothing() };
      /** @type {Record<string, number>} */
      const statuses = {};
      for (let round = 0; round < ROUNDS; round++) {
        add(found.idle, await measure(stage, seconds));
        worker.postMessage({ port, apiKey, target, kind, count: AT_ONCE });
        await delay(BEFORE_MEASURING_MS);
        add(found.attacked, await measure(stage, seconds));
        worker.postMessage(null);
        const [ended] = /** @type {[Record<string, number>]} */ (await once(worker, 'message'));
        for (const [status, count] of Object.entries(ended)) statuses[status] = (statuses[status] ?? 0) + count;
      }
      report.figure(`${name}: answers by status`, JSON.stringify(statuses));
      compare(report, name, found);
      report.check(`${name}: all were refused`, Object.keys(statuses).join() === '403', statuses);
    }
  } finally {
    await stage.close();
    await worker.terminate();
  }
  return report;
}

/** @param {import('./lib/stage.mjs').Stage} stage @param {string} baseUrl @returns {Promise<string>} its key */
async function makeJudgedAgent(stage, baseUrl) {
  const { id } = await stage.made('POST', '/services', {
    name: 'judged',
    baseUrl,
    authType: 'bearer',
    credentials: { token: 'chaos-upstream-token' },
  });
  for (let number = 1; number < RULES; number++) {
    const when = CONDITIONS[number % CONDITIONS.length](number);
    await stage.made('POST', `/services/${id}/risk-rules`, { name: `Rule ${number}`, effect: 'allow', when });
  }
  await stage.made('POST', `/services/${id}/risk-rules`, { name: 'No', effect: 'deny', when: 'request.size >= 0' });
  return (await stage.made('POST', '/agents', { name: 'judged', serviceIds: [id] })).apiKey;
}

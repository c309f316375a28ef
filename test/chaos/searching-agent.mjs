/**
 * One agent searches 45,000 documented operations, 16 times at once. Other clients are served as before. Idle and attack
 * take turns, so that a busy machine changes both.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { add, compare, measure, nothing } from './lib/other-clients.mjs';
import { Report } from './lib/report.mjs';
import { setStage } from './lib/stage.mjs';

const SEARCHES = 16;
const DOCUMENTS = 5;
const OPERATIONS_PER_DOCUMENT = 9_000;
const ROUNDS = 2;
/** The attack has begun to hurt. */
const BEFORE_MEASURING_MS = 1000;

const SERVICES = ['shop', 'mall'];
/** Two such services exceed the operations that are kept in memory, so that each search indexes one of them anew. */
const ATTACKS = {
  '16 searches at once': ['shop'],
  '16 searches at once that index documents again and again': SERVICES,
};

/** @param {{databaseUrl: string, seconds: number}} options of each measurement */
export async function searchingAgent({ databaseUrl, seconds }) {
  const report = new Report('One agent searches 45,000 operations');
  const worker = new Worker(new URL('lib/searching.mjs', import.meta.url));
  const stage = await setStage({ databaseUrl });
  try {
    const apiKey = await makeSearchingAgent(stage);
    const [{ port }] = stage.instances;
    await measure(stage, 2);
    for (const [name, services] of Object.entries(ATTACKS)) {
      const found = { idle: nothing(), attacked: nothing() };
      /** @type {Record<string, number>} */
      const outcomes = {};
      for (let round = 0; round < ROUNDS; round++) {
        add(found.idle, await measure(stage, seconds));
        worker.postMessage({ port, apiKey, services, count: SEARCHES });
        await delay(BEFORE_MEASURING_MS);
        add(found.attacked, await measure(stage, seconds));
        worker.postMessage(null);
        const [ended] = /** @type {[Record<string, number>]} */ (await once(worker, 'message'));
        for (const [outcome, count] of Object.entries(ended)) outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
      }
      report.figure(`${name}: searches by outcome`, JSON.stringify(outcomes));
      compare(report, name, found);
      report.check(`${name}: all searches found something`, Object.keys(outcomes).join() === 'found', outcomes);
    }
  } finally {
    await stage.close();
    await worker.terminate();
  }
  return report;
}

/** @param {import('./lib/stage.mjs').Stage} stage @returns {Promise<string>} its key */
async function makeSearchingAgent(stage) {
  const serviceIds = [];
  for (const name of SERVICES) {
    const { id } = await stage.made('POST', '/services', {
      name,
      baseUrl: stage.target(name, ''),
      authType: 'bearer',
      credentials: { token: 'chaos-upstream-token' },
    });
    for (let number = 0; number < DOCUMENTS; number++) {
      const document = { type: 'openapi', title: `Part ${number}`, content: content(number) };
      await stage.made('POST', `/services/${id}/documentation`, document);
    }
    serviceIds.push(id);
  }
  return (await stage.made('POST', '/agents', { name: 'searching', serviceIds })).apiKey;
}

/** @param {number} number */
function content(number) {
  const paths = Object.fromEntries(
    Array.from({ length: OPERATIONS_PER_DOCUMENT / 3 }, (_, index) => {
      const thing = `part${number}/orders${index}`;
      const operation = (/** @type {string} */ verb) => ({
        operationId: `${verb}RefundOfOrder${number}x${index}`,
        summary: `${verb} the refund of order kind ${index} for a customer`,
        description: `Use it to ${verb} what a customer has ordered and returned within ${index} days. `.repeat(3),
      });
      return [
        `/${thing}/refunds/{id}`,
        { get: operation('get'), post: operation('create'), delete: operation('delete') },
      ];
    }),
  );
  return JSON.stringify({ openapi: '3.1.0', paths });
}

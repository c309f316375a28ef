/** The agent of `test/chaos/judged-agent.mjs`, in a worker thread, so that the figures show the gateway and not the test. */
import { parentPort } from 'node:worker_threads';

const MIB = 1024 * 1024;

/** @typedef {'read' | 'doubtful' | 'large'} Kind */

/** @param {number} length */
function itemsOf(length) {
  const items = [];
  for (let size = 0; size < length; size += 40) items.push({ id: items.length, name: 'x'.repeat(20) });
  return items;
}

/** @type {Record<Kind, () => string>} */
const BODIES = {
  read: () => JSON.stringify({ note: 'ab'.repeat(20_000), items: itemsOf(0.8 * MIB) }),
  doubtful: () => `{"amount": 1, "items": ${JSON.stringify(itemsOf(0.8 * MIB))}, "amount": 2}`,
  large: () => JSON.stringify({ items: itemsOf(7 * MIB) }),
};

let isAttacking = false;
/** How many answers had each status. @type {Record<string, number>} */
let statuses = {};

/** @param {{port: number, apiKey: string, target: string, body: string}} attack */
async function again({ port, apiKey, target, body }) {
  while (isAttacking) {
    const response = await fetch(`http://127.0.0.1:${port}/proxy`, {
      method: 'POST',
      headers: { 'Agent-Key': apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        targetUrl: target,
        method: 'POST',
        intent: 'store',
        idempotencyKey: crypto.randomUUID(),
        headers: { 'Content-Type': 'application/json' },
        body,
      }),
    });
    await response.arrayBuffer();
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
  }
}

/** @type {Promise<void>[]} */
let running = [];
parentPort?.on(
  'message',
  (/** @type {{port: number, apiKey: string, target: string, kind: Kind, count: number} | null} */ order) => {
    if (order === null) {
      isAttacking = false;
      void Promise.all(running).then(() => parentPort?.postMessage(statuses));
      return;
    }
    [isAttacking, statuses] = [true, {}];
    const body = BODIES[order.kind]();
    running = Array.from({ length: order.count }, () => again({ ...order, body }));
  },
);

/** An agent that searches without end, in a worker thread: `test/chaos/searching-agent.mjs` gives the orders. */
import { parentPort } from 'node:worker_threads';
import { Agent, request } from 'undici';

const http = new Agent({ connections: null, headersTimeout: 90_000, bodyTimeout: 90_000 });
/** @type {Record<string, number>} */
let outcomes = {};
let isOn = false;
/** @type {Promise<void>[]} */
let running = [];

/** @typedef {{port: number, apiKey: string, services: (string | undefined)[], count: number}} Order */

parentPort?.on('message', (/** @type {Order | null} */ order) => {
  if (order === null) {
    isOn = false;
    // The next measurement is one without searches.
    void Promise.all(running).then(() => parentPort?.postMessage(outcomes));
    return;
  }
  isOn = true;
  outcomes = {};
  running = Array.from({ length: order.count }, (_, number) => searchOn(order, number));
});

/** @param {Order} order @param {number} number */
async function searchOn({ port, apiKey, services }, number) {
  for (let round = number; isOn; round++) {
    const outcome = await search(port, apiKey, services[round % services.length]).catch((error) => String(error));
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
}

/** @param {number} port @param {string} apiKey @param {string} [service] */
async function search(port, apiKey, service) {
  const given = { query: 'create the refund of an order for a customer', limit: 50, service };
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: {
      'agent-key': apiKey,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_docs', arguments: given },
    }),
    dispatcher: http,
  });
  const text = await body.text();
  return text.includes('/refunds/') ? 'found' : `${statusCode} ${text.slice(0, 100)}`;
}

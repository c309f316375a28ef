/** An API and a model on loopback. The API records every request that reaches it, by the last segment of its path. */
import { once } from 'node:events';
import { createServer } from 'node:http';

/** @param {import('node:http').Server} server @returns {Promise<number>} */
async function listen(server) {
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

/** @param {import('node:http').Server} server */
async function close(server) {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

/** @typedef {{id: string, method: string, atMs: number}} Arrival */

/**
 * Answers after a random time, so that a process may die while it waits. Never answers under `/hang/`.
 * @param {{maxDelayMs?: number}} [options]
 */
export async function startLedger({ maxDelayMs = 30 } = {}) {
  /** @type {Arrival[]} */
  const arrivals = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0];
    const id = path.slice(path.lastIndexOf('/') + 1);
    arrivals.push({ id, method: request.method ?? '', atMs: performance.now() });
    request.resume();
    request.on('end', () => {
      if (path.includes('/hang/')) return;
      setTimeout(() => {
        const body = JSON.stringify({ id, serial: arrivals.length });
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
        response.end(body);
      }, Math.random() * maxDelayMs);
    });
  });
  const port = await listen(server);
  return {
    port,
    arrivals,
    /** How often each id has arrived. @returns {Map<string, Arrival[]>} */
    byId() {
      const map = new Map();
      for (const arrival of arrivals) map.set(arrival.id, [...(map.get(arrival.id) ?? []), arrival]);
      return map;
    },
    close: () => close(server),
  };
}

/** A model that scores everything as harmless, unless `answer` is replaced. */
export async function startModel({ delayMs = 0 } = {}) {
  const model = {
    port: 0,
    /** How often it was called. */
    calls: 0,
    answer: (/** @type {import('node:http').ServerResponse} */ response) => {
      const content = '{"score": 0.05, "explanation": "harmless"}';
      const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content, refusal: null } }];
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'fake', choices }));
    },
    close: () => close(server),
  };
  const server = createServer((request, response) => {
    model.calls++;
    request.resume();
    request.on('end', () => setTimeout(() => model.answer(response), delayMs));
  });
  model.port = await listen(server);
  return model;
}

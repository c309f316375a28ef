/**
 * `node benchmarks/floor.mjs`: the least that a forwarded request with a durable record costs, beside the bare app that
 * stores nothing, with 64 connections: what of the gateway's ratios the runtime, PostgreSQL and the client leave no way
 * around (benchmarks/README.md#floor). Needs Linux and `npm run build:api`.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postmasterPid } from './lib/gateway.mjs';
import { ask, cpuSeconds, start } from './lib/processes.mjs';
import { startPostgres } from '../scripts/lib/postgres.mjs';

const CONNECTIONS = 64;
const WARM_UP_REQUESTS = 15_000;
const ROUNDS = 9;
const ROUND_MS = 1500;

const { child: servers, message: ports } = await start('benchmarks/lib/fake-servers.mjs');
const upstream = `127.0.0.1:${ports.upstream}`;
const load = fork('benchmarks/lib/load.mjs');
const sides = [await bare(), await floor('nest'), await floor('http')];
try {
  for (const method of ['GET', 'POST']) await compare(method);
} finally {
  load.kill();
  servers.kill();
  for (const { stop } of sides) await stop();
}

async function bare() {
  const { child, message } = await start('benchmarks/lib/bare-app.mjs', { UPSTREAM: upstream });
  return { name: 'bare', port: message.port, pids: [child.pid], stop: () => child.kill() };
}

async function floor(form) {
  const dataDir = mkdtempSync(join(tmpdir(), 'agw-floor-'));
  const postgres = await startPostgres({ dataDir, durable: true });
  const { child, message } = await start('benchmarks/lib/floor-app.mjs', {
    UPSTREAM: upstream,
    DATABASE: postgres.url,
    FORM: form,
  });
  return {
    name: `${form} and a record`,
    port: message.port,
    pids: [child.pid, await postmasterPid(postgres.url)],
    async stop() {
      child.kill();
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The sides take turns, and each ratio is the median of those within a round. */
async function compare(method) {
  const orders = Array.from({ length: 8 }, (_, index) => ({ sku: `A-${index}`, quantity: index + 1 }));
  const body = {
    targetUrl: `http://${upstream}/ruled/customers/42`,
    method,
    intent: 'Look up the customer who wrote in',
    ...(method === 'POST' ? { body: JSON.stringify({ orders }) } : {}),
  };
  const send = ({ port }, limits) =>
    ask(load, {
      origin: `http://127.0.0.1:${port}`,
      path: '/proxy',
      headers: { 'content-type': 'application/json' },
      body,
      connections: CONNECTIONS,
      keyPrefix: null,
      ...limits,
    });
  for (const side of sides) await send(side, { durationMs: 60_000, maxRequests: WARM_UP_REQUESTS });
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const costs = [];
    for (const side of sides) {
      const before = side.pids.map((pid) => cpuSeconds([pid]));
      const { requests } = await send(side, { durationMs: ROUND_MS, maxRequests: 1e9 });
      costs.push(side.pids.map((pid, index) => ((cpuSeconds([pid]) - before[index]) / requests) * 1e6));
    }
    rounds.push(costs);
  }
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  for (const [index, { name }] of sides.entries()) {
    const own = median(rounds.map((costs) => costs[index][0]));
    const database = median(rounds.map((costs) => costs[index][1] ?? 0));
    const ratio = median(rounds.map((costs) => sum(costs[index]) / sum(costs[0])));
    console.log(
      `${method.padEnd(5)}${name.padEnd(20)} ${own.toFixed(0)} us, PostgreSQL ${database.toFixed(0)} us, ratio ${ratio.toFixed(2)}`,
    );
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

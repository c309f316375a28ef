/**
 * `node benchmarks/mcp.mjs`: the cost of the tool `request` of `POST /mcp` compared with `POST /proxy`, for the same
 * request by the same agent, alternately in one run. Counts the CPU of gateway and PostgreSQL together. Needs Linux
 * (/proc) and a build.
 *   --quick   fewer rounds
 */
import { fork } from 'node:child_process';
import process from 'node:process';
import { startGateway } from './lib/gateway.mjs';
import { ask, cpuSeconds, rssMb, start } from './lib/processes.mjs';

const ROUNDS = process.argv.includes('--quick') ? 2 : 5;
const CONNECTIONS = 64;
const WARM_UP_REQUESTS = 15_000;
const ROUND_REQUESTS = 10_000;
let serial = 0;

const { child: servers, message: ports } = await start('benchmarks/lib/fake-servers.mjs');
const gateway = await startGateway({ upstreamPort: ports.upstream, modelPort: ports.model });
const load = fork('benchmarks/lib/load.mjs');

try {
  await compare('GET');
  await compare('POST');
} finally {
  load.kill();
  await gateway.stop();
  servers.kill();
}

async function compare(method) {
  const sides = { proxy: proxyJob(method), mcp: mcpJob(method) };
  const cpu = { proxy: 0, mcp: 0 };
  for (const job of Object.values(sides)) await send(job, WARM_UP_REQUESTS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [side, job] of Object.entries(sides)) {
      const before = cpuSeconds([gateway.pid, gateway.postgresPid]);
      const { statuses } = await send(job, ROUND_REQUESTS);
      if (statuses[200] !== ROUND_REQUESTS) throw new Error(`${side}: ${JSON.stringify(statuses)}`);
      cpu[side] += cpuSeconds([gateway.pid, gateway.postgresPid]) - before;
    }
  }
  const perThousand = (side) => (cpu[side] / (ROUNDS * ROUND_REQUESTS)) * 1000;
  console.log(
    `${method}: /proxy ${perThousand('proxy').toFixed(3)} s, /mcp ${perThousand('mcp').toFixed(3)} s of CPU per 1,000; ` +
      `ratio ${(cpu.mcp / cpu.proxy).toFixed(2)}; RSS ${rssMb(gateway.pid).toFixed(0)} MB`,
  );
}

function send(job, maxRequests) {
  const { idempotent, ...rest } = job;
  return ask(load, {
    origin: gateway.origin,
    connections: CONNECTIONS,
    durationMs: 120_000,
    maxRequests,
    ...rest,
    ...(idempotent ? { keyPrefix: `mcp-${process.pid}-${serial++}` } : {}),
  });
}

function request(method) {
  return {
    targetUrl: `http://127.0.0.1:${ports.upstream}/ruled/customers/42`,
    method,
    headers: { Accept: 'application/json', 'X-Trace': 'abc' },
    intent: 'Look up the customer who wrote in',
    ...(method === 'POST' ? { body: JSON.stringify({ orders: [{ sku: 'A-1', quantity: 2 }] }) } : {}),
  };
}

function headers() {
  return { 'content-type': 'application/json', 'agent-key': gateway.apiKey };
}

function proxyJob(method) {
  return { path: '/proxy', headers: headers(), body: request(method), idempotent: method === 'POST' };
}

/** Without an idempotency key: the gateway creates one for each POST. */
function mcpJob(method) {
  return {
    path: '/mcp',
    headers: {
      ...headers(),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'request', arguments: request(method) } },
  };
}

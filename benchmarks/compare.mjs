/**
 * `node benchmarks/compare.mjs OTHER`: the CPU of this build beside that of another built checkout, in one run. Both
 * gateways take turns, because the speed of a machine may change by a third within minutes. Needs Linux (/proc) and a
 * build in both checkouts.
 *   --post        keyed POSTs instead of GETs
 *   --model         every request asks the model
 *   --rounds=N    rounds of 1.5 s for each gateway (12)
 */
import { fork } from 'node:child_process';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { ask, cpuSeconds, start } from './lib/processes.mjs';

const other = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
if (!other) throw new Error('Usage: node benchmarks/compare.mjs OTHER_CHECKOUT [--post] [--model] [--rounds=N]');
const method = process.argv.includes('--post') ? 'POST' : 'GET';
const asksModel = process.argv.includes('--model');
const rounds = Number(
  process.argv.find((argument) => argument.startsWith('--rounds='))?.slice('--rounds='.length) ?? 12,
);
const WARM_UP_REQUESTS = 15_000;
const ROUND_MS = 1500;
const CONNECTIONS = 64;
let serial = 0;

const { child: servers, message: ports } = await start('benchmarks/lib/fake-servers.mjs');
const checkouts = [];
for (const [name, root] of [
  ['this', '.'],
  ['other', other],
]) {
  // Each checkout starts the gateway that is built in it.
  const { startGateway } = await import(pathToFileURL(join(resolve(root), 'benchmarks/lib/gateway.mjs')).href);
  const environment = asksModel ? { RISK_CACHE_SECONDS: '0' } : {};
  const gateway = await startGateway({ upstreamPort: ports.upstream, modelPort: ports.model, environment });
  checkouts.push({ name, gateway, results: [] });
}
const load = fork('benchmarks/lib/load.mjs');

try {
  for (const { gateway } of checkouts) await send(gateway, { durationMs: 60_000, maxRequests: WARM_UP_REQUESTS });
  for (let round = 0; round < rounds; round++) {
    for (const checkout of round % 2 === 0 ? checkouts : checkouts.toReversed()) {
      checkout.results.push(await measure(checkout.gateway));
    }
  }
  for (const { name, results } of checkouts) {
    const of = (figure) => median(results.map((result) => result[figure])).toFixed(0);
    console.log(
      `${name.padEnd(6)} gateway ${of('gateway')} us, PostgreSQL ${of('database')} us, ${of('perSecond')} requests/s`,
    );
  }
} finally {
  load.kill();
  for (const { gateway } of checkouts) await gateway.stop();
  servers.kill();
}

function send({ origin, apiKey }, limits) {
  const orders = Array.from({ length: 8 }, (_, index) => ({ sku: `A-${index}`, quantity: index + 1 }));
  return ask(load, {
    origin,
    path: '/proxy',
    headers: { 'content-type': 'application/json', 'agent-key': apiKey },
    body: {
      targetUrl: `http://127.0.0.1:${ports.upstream}/${asksModel ? 'unruled' : 'ruled'}/customers/42`,
      method,
      headers: { Accept: 'application/json', 'X-Trace': 'abc' },
      intent: 'Look up the customer who wrote in',
      ...(method === 'POST' ? { body: JSON.stringify({ orders }) } : {}),
    },
    connections: CONNECTIONS,
    keyPrefix: method === 'POST' ? `compare-${process.pid}-${serial++}` : null,
    ...limits,
  });
}

async function measure(gateway) {
  const cpu = () => [cpuSeconds([gateway.pid]), cpuSeconds([gateway.postgresPid])];
  const before = cpu();
  const { requests, perSecond } = await send(gateway, { durationMs: ROUND_MS, maxRequests: 1e9 });
  const [own, database] = cpu().map((seconds, index) => ((seconds - before[index]) / requests) * 1e6);
  return { gateway: own, database, perSecond };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/**
 * `npm run bench`: the cost of the gateway as a ratio to a bare Nest + Express app that only parses and forwards,
 * measured in one run. The cases take turns, and each figure is the median of its rounds (each ratio the median of the
 * ratios within a round), since a machine's speed may change by a third within minutes. Needs Linux (/proc) and a
 * build.
 *   --quick         64 connections only
 *   --only=TEXT     the cases whose name contains it (and the bare ones); `streams`: only the streams
 *   --rss           the memory after 200,000 requests, instead of the table
 */
import { fork } from 'node:child_process';
import process from 'node:process';
import { startGateway } from './lib/gateway.mjs';
import { startNginx } from './lib/nginx.mjs';
import { ask, cpuSeconds, rssMb, start } from './lib/processes.mjs';
import { measureStreams } from './lib/streams.mjs';
import { freePort } from '../scripts/lib/free-port.mjs';
import { START } from '../scripts/lib/production.mjs';

const has = (flag) => process.argv.includes(flag);
const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length) ?? '';
const CONNECTIONS = has('--quick') ? [64] : [1, 16, 64];
/** By count, not by time: V8 compiles code that has run often, and the slower side must get as many runs. */
const WARM_UP_REQUESTS = 15_000;
const ROUNDS = 9;
const ROUND_MS = 1500;
const RSS_REQUESTS = 200_000;
/** The first case of each kind is what the others are compared with: the bare app, or the same gateway with one rule. */
const KINDS = ['GET', 'POST', 'judged GET', 'judged POST'];
let serial = 0;

const { child: servers, message: ports } = await start('benchmarks/lib/fake-servers.mjs');
const upstream = `127.0.0.1:${ports.upstream}`;
const { child: bare, message: bareAt } = await start('benchmarks/lib/bare-app.mjs', { UPSTREAM: upstream });
const gateway = await startGateway({ upstreamPort: ports.upstream, modelPort: ports.model });
const uncached =
  has('--rss') || only === 'streams'
    ? null
    : await startGateway({
        upstreamPort: ports.upstream,
        modelPort: ports.model,
        environment: { RISK_CACHE_SECONDS: '0' },
      });
const nginx = await startNginx({ upstreamPort: ports.upstream, apiKey: gateway.apiKey, port: await freePort() });
const load = fork('benchmarks/lib/load.mjs');

try {
  if (has('--rss')) await memory();
  else {
    if (only !== 'streams') await table();
    if ('streams'.includes(only)) await streams();
  }
} finally {
  load.kill();
  await nginx?.stop();
  await gateway.stop();
  await uncached?.stop();
  bare.kill();
  servers.kill();
}

async function table() {
  console.log(`Node ${process.version}. Gateway: ${START.slice(0, -1).join(' ')}. Bare app: no flags.`);
  for (const connections of CONNECTIONS) for (const kind of KINDS) await compare(kind, connections);
}

function streams() {
  const side = (name, origin, pid, headers = {}) => ({ name, origin, pid, headers });
  const key = { 'agent-key': gateway.apiKey, 'x-intent': 'Read the orders' };
  return measureStreams([
    side('upstream', `http://${upstream}/ruled`),
    side('bare', `http://127.0.0.1:${bareAt.port}/ruled`, bare.pid),
    ...(nginx ? [side('nginx', `${nginx.origin}/ruled`, nginx.pid, key)] : []),
    side('gateway', `${gateway.origin}/s/ruled`, gateway.pid, key),
  ]);
}

async function compare(kind, connections) {
  const all = cases().filter((test) => test.kind === kind);
  if (all.length < 2) return;
  for (const test of all) await send(test, 64, { durationMs: 60_000, maxRequests: WARM_UP_REQUESTS });
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const results = [];
    for (const test of all) results.push(await measure(test, connections));
    rounds.push(results);
  }
  const baseline = rounds.map(([first]) => first);
  for (const [index, { name }] of all.entries()) {
    print(
      name,
      connections,
      rounds.map((results) => results[index]),
      baseline,
    );
  }
}

function cases() {
  const bareApp = { origin: `http://127.0.0.1:${bareAt.port}`, pids: [bare.pid], headers: {} };
  const whole = (g) => ({ origin: g.origin, pids: [g.pid, g.postgresPid], headers: { 'agent-key': g.apiKey } });
  const get = (service) => request('GET', service);
  const post = (service) => request('POST', service);
  const all = [
    { name: 'bare GET', kind: 'GET', ...bareApp, body: get('ruled') },
    { name: 'GET, rule', kind: 'GET', ...whole(gateway), body: get('ruled') },
    { name: 'GET, verdict cached', kind: 'GET', ...whole(gateway), body: get('unruled') },
    { name: 'GET, model asked', kind: 'GET', ...whole(uncached), body: get('unruled') },
    { name: 'bare POST', kind: 'POST', ...bareApp, body: post('ruled') },
    { name: 'keyed POST, rule', kind: 'POST', keyed: true, ...whole(gateway), body: post('ruled') },
    { name: 'keyed POST, verdict cached', kind: 'POST', keyed: true, ...whole(gateway), body: post('unruled') },
    { name: 'keyed POST, model asked', kind: 'POST', keyed: true, ...whole(uncached), body: post('unruled') },
  ];
  for (const kind of ['GET', 'POST']) {
    const both = { kind: `judged ${kind}`, keyed: kind === 'POST', ...whole(gateway) };
    const note = kind === 'POST' ? '/notes' : '';
    all.push({ name: `${kind}, one rule`, ...both, body: request(kind, 'ruled', note) });
    all.push({ name: `${kind}, judged: 20 rules`, ...both, body: request(kind, 'judged', note) });
  }
  if (nginx) {
    const headers = { 'agent-key': gateway.apiKey };
    all.push({ name: 'nginx', kind: 'POST', origin: nginx.origin, pids: [nginx.pid], headers, body: post('ruled') });
  }
  return all.filter(({ name }) => name.startsWith('bare') || name.endsWith('one rule') || name.includes(only));
}

function request(method, service, more = '') {
  const orders = Array.from({ length: 8 }, (_, index) => ({ sku: `A-${index}`, quantity: index + 1 }));
  // With `more`, the body has 1 kB.
  const text = more ? { text: 'The customer asked where the parcel is. '.repeat(18) } : {};
  return {
    targetUrl: `http://${upstream}/${service}/customers/42${more}`,
    method,
    headers: { Accept: 'application/json', 'X-Trace': 'abc' },
    intent: 'Look up the customer who wrote in',
    ...(method === 'POST' ? { body: JSON.stringify({ orders, ...text }) } : {}),
  };
}

function send({ origin, headers, body, keyed }, connections, limits) {
  return ask(load, {
    origin,
    path: '/proxy',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    connections,
    keyPrefix: keyed ? `bench-${process.pid}-${serial++}` : null,
    ...limits,
  });
}

async function measure(test, connections) {
  const { pids } = test;
  const before = pids.map((pid) => cpuSeconds([pid]));
  const result = await send(test, connections, { durationMs: ROUND_MS, maxRequests: 1e9 });
  const cpu = pids.map((pid, index) => cpuSeconds([pid]) - before[index]);
  return {
    ...result,
    cpuPerThousand: (cpu.reduce((sum, seconds) => sum + seconds, 0) / result.requests) * 1000,
    databasePerThousand: ((cpu[1] ?? 0) / result.requests) * 1000,
    rss: rssMb(pids[0]),
  };
}

function print(name, connections, rounds, baseline) {
  const of = (figure) => median(rounds.map((result) => result[figure]));
  const ratio = (figure) =>
    `(${median(rounds.map((result, round) => result[figure] / baseline[round][figure])).toFixed(2)})`;
  const other = rounds.flatMap(({ statuses }) => Object.entries(statuses)).filter(([status]) => status !== '200');
  console.log(
    `${String(connections).padStart(3)} conn  ${name.padEnd(28)}` +
      ` ${of('perSecond').toFixed(0).padStart(6)}/s ${ratio('perSecond')}` +
      `  p50 ${of('p50').toFixed(2)} ms  p99 ${of('p99').toFixed(2)} ms ${ratio('p99')}` +
      `  CPU ${of('cpuPerThousand').toFixed(3)} s/1000 ${ratio('cpuPerThousand')}` +
      (of('databasePerThousand') > 0 ? `, PostgreSQL ${of('databasePerThousand').toFixed(3)} of it` : '') +
      `  RSS ${rounds.at(-1).rss.toFixed(0)} MB${other.length > 0 ? `  NOT 200: ${JSON.stringify(other)}` : ''}`,
  );
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function memory() {
  const headers = { 'content-type': 'application/json', 'agent-key': gateway.apiKey };
  const run = (maxRequests, method) =>
    ask(load, {
      origin: gateway.origin,
      path: '/proxy',
      headers,
      body: request(method, 'ruled'),
      connections: 64,
      durationMs: 600_000,
      maxRequests,
      keyPrefix: method === 'POST' ? `rss-${process.pid}-${serial++}` : null,
    });
  console.log(`RSS at start: ${rssMb(gateway.pid).toFixed(0)} MB`);
  for (let done = 0; done < RSS_REQUESTS; done += RSS_REQUESTS / 4) {
    await run(RSS_REQUESTS / 8, 'GET');
    const { statuses } = await run(RSS_REQUESTS / 8, 'POST');
    console.log(
      `RSS after ${done + RSS_REQUESTS / 4} requests: ${rssMb(gateway.pid).toFixed(0)} MB ${JSON.stringify(statuses)}`,
    );
  }
}

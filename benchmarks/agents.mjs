/**
 * `node benchmarks/agents.mjs`: the cost of waiting for a human, for an agent that uses libs/client: the HTTP calls for
 * a request that is decided after a minute (`--decide-after=SECONDS`), the time from the decision to the agent's
 * result, and the overhead of the client on a forwarded call. Needs a build.
 */
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createGatewayFetch } from '../libs/client/dist/index.js';
import { startGateway } from './lib/gateway.mjs';
import { start } from './lib/processes.mjs';

const decideAfterMs = 1000 * Number(option('decide-after') ?? 60);
const DECISIONS = 100;
const WARM_UP = 500;
const PAIRS = 3000;

const { child: servers, message: ports } = await start(new URL('./lib/fake-servers.mjs', import.meta.url).pathname);
const gateway = await startGateway({ upstreamPort: ports.upstream, modelPort: ports.model });
const admin = async (method, path, body) => {
  const response = await fetch(gateway.origin + path, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${gateway.accessToken}` },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
};
const services = await admin('GET', '/services');
const [ruled, unruled] = ['ruled', 'unruled'].map((name) => services.find((service) => service.name === name));
await admin('POST', `/services/${unruled.id}/risk-rules`, {
  name: 'Ask',
  effect: 'require_approval',
  methods: ['POST'],
});

let calls = 0;
const options = {
  gatewayUrl: gateway.origin,
  agentKey: gateway.apiKey,
  intent: 'Look after customers',
  fetch: (input, init) => {
    calls++;
    return fetch(input, init);
  },
};
let serial = 0;
const heldUrl = () => `${unruled.baseUrl}/held/${++serial}`;
const pending = async (url) => {
  for (;;) {
    const { items } = await admin('GET', '/approvals?limit=200');
    const action = items.find(({ targetUrl }) => targetUrl === url);
    if (action) return action;
    await delay(5);
  }
};
const post = { method: 'POST', body: '{"name":"Ada"}' };

/** @returns how many calls to the gateway one held request took */
async function callsFor(client) {
  calls = 0;
  const url = heldUrl();
  const startMs = performance.now();
  const answer = client(url, post);
  const { action_id } = await pending(url);
  // A little before the end of the first wait: a later decision would need the next call.
  await delay(Math.max(0, decideAfterMs - 300 - (performance.now() - startMs)));
  await admin('PATCH', `/approvals/${action_id}/approve`, {});
  if ((await answer).status !== 200) throw new Error('not executed');
  return { calls, seconds: ((performance.now() - startMs) / 1000).toFixed(1) };
}
const polling = await callsFor(createGatewayFetch({ ...options, onHeld: () => undefined }));
const preferring = await callsFor(createGatewayFetch(options));
console.log(
  `decided after ${decideAfterMs / 1000} s, calls: long polling ${show(polling)}; Prefer: wait ${show(preferring)}`,
);

/** Measured from the moment when the decision is sent. */
async function decisionToResult(client) {
  const took = [];
  for (let n = 0; n < DECISIONS; n++) {
    const url = heldUrl();
    const answer = client(url, post).then((response) => response.text());
    const { action_id } = await pending(url);
    // By then the agent is in its long call.
    await delay(30);
    const startMs = performance.now();
    await Promise.all([admin('PATCH', `/approvals/${action_id}/approve`, {}), answer]);
    took.push(performance.now() - startMs);
  }
  return `p50 ${quantile(took, 0.5).toFixed(0)} ms, p95 ${quantile(took, 0.95).toFixed(0)} ms`;
}
console.log(
  `decision to the agent's result, long polling: ${await decisionToResult(createGatewayFetch({ ...options, onHeld: () => undefined }))}`,
);
console.log(`decision to the agent's result, Prefer: wait: ${await decisionToResult(createGatewayFetch(options))}`);

// The same request with and without the client, alternately, so that other work on the machine affects both equally.
const url = `${ruled.baseUrl}/customers/42`;
const client = createGatewayFetch(options);
const viaClient = () => client(url);
const direct = () =>
  fetch(`${gateway.origin}/proxy`, {
    method: 'POST',
    headers: { 'Agent-Key': gateway.apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ method: 'GET', targetUrl: url, headers: {}, intent: options.intent }),
    redirect: 'manual',
  });
const timed = async (call) => {
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  await (await call()).text();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - startMs, cpuMs: (user + system) / 1000 };
};
const taken = { direct: [], client: [] };
for (let n = -WARM_UP; n < PAIRS; n++) {
  const [first, second] = n % 2 ? ['client', 'direct'] : ['direct', 'client'];
  for (const way of [first, second]) {
    const took = await timed(way === 'client' ? viaClient : direct);
    if (n >= 0) taken[way].push(took);
  }
}
const median = (way, of) => quantile(taken[way].map(of), 0.5);
const directMs = median('direct', ({ ms }) => ms);
const added = median('client', ({ ms }) => ms) / directMs - 1;
const addedCpuMs = median('client', ({ cpuMs }) => cpuMs) - median('direct', ({ cpuMs }) => cpuMs);
console.log(
  `a forwarded GET: median ${directMs.toFixed(2)} ms by fetch alone; the client adds ${(100 * added).toFixed(1)} % of time, ` +
    `${addedCpuMs.toFixed(3)} ms of CPU (${PAIRS} pairs)`,
);

await gateway.stop();
servers.kill();

function option(name) {
  return process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
}

function show({ calls: count, seconds }) {
  return `${count} (${seconds} s)`;
}

function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}

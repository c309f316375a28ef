/**
 * A hundred agents request names in a DNS zone whose nameserver never answers. This must not affect others: requests to
 * another origin, which need a lookup each, requests that call the model, and the database.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { startNameserver } from '../../libs/egress/test/nameserver.mjs';
import { Report } from './lib/report.mjs';
import { quantile, setStage } from './lib/stage.mjs';

const AGENTS = 100;
const LANES = 4;
const SLOWER_AT_MOST = 3;
const PRELOAD = fileURLToPath(new URL('./lib/nameserver-of-test.mjs', import.meta.url));

/** @param {{databaseUrl: string, requests: number}} options `requests` of each kind and phase */
export async function deadZone({ databaseUrl, requests }) {
  const report = new Report(`A dead DNS zone that ${AGENTS} agents request, ${requests} requests of others a phase`);
  const nameserver = await startNameserver({ 'live.test': ['127.0.0.1'], '*.dead.test': 'silent' });
  const upstream = await startClosingUpstream();
  const stage = await setStage({
    databaseUrl,
    environment: {
      PRIVATE_TARGET_ALLOWLIST: `live.test:${upstream.port}`,
      NODE_OPTIONS: `--import=${PRELOAD}`,
      CHAOS_NAMESERVER: nameserver.address,
    },
  });
  let stopped = false;
  try {
    const origin = `http://live.test:${upstream.port}`;
    const live = await addAgent(stage, `${origin}/`, 'allow');
    const judged = await addAgent(stage, `${origin}/judged/`, null);
    const dead = [];
    for (let n = 0; n < AGENTS; n++) dead.push(await addAgent(stage, `http://n${n}.dead.test/`, 'allow'));
    const others = async () => ({
      'another origin': await measure(stage, live, requests),
      'another origin, assessed by the model': await measure(stage, judged, requests),
      'the database (GET /ready)': await measureReady(stage, requests),
    });
    await others();
    const idle = await others();
    /** @type {import('./lib/stage.mjs').Answer[]} */
    const lost = [];
    const asking = dead.map(async (agent) => {
      while (!stopped) lost.push(await get(stage, agent));
    });
    const during = await others();
    stopped = true;
    await Promise.all(asking);
    for (const name of /** @type {(keyof typeof idle)[]} */ (Object.keys(idle))) {
      const [before, then] = [idle[name], during[name]].map(({ took }) => quantile(took, 0.99));
      report.figure(`${name}: p99 idle and under load, ms`, `${before.toFixed(1)}, ${then.toFixed(1)}`);
      report.check(`${name}: all answered`, during[name].odd.length === 0, during[name].odd.slice(0, 5));
      report.check(`${name}: p99 within ${SLOWER_AT_MOST} times idle`, then <= SLOWER_AT_MOST * before);
    }
    report.figure('requests for the dead zone', lost.length);
    report.figure('  slowest of them, ms', Math.max(...lost.map(({ ms }) => ms)));
    report.check(
      'requests for the dead zone: 502',
      lost.every(({ status }) => status === 502),
      lost.filter(({ status }) => status !== 502).slice(0, 3),
    );
    report.check('each lookup reached the nameserver', nameserver.questions.includes('A live.test'));
  } finally {
    stopped = true;
    await stage.close();
    await upstream.close();
    await nameserver.close();
  }
  return report;
}

/** @typedef {import('./lib/stage.mjs').Stage} Stage */
/** @typedef {{baseUrl: string, apiKey: string}} ChaosAgent */

/**
 * A service, and an agent with access only to it.
 * @param {Stage} stage
 * @param {string} baseUrl
 * @param {string | null} effect of a rule
 */
async function addAgent(stage, baseUrl, effect) {
  const credentials = { token: 'chaos-upstream-token' };
  const { id } = await stage.made('POST', '/services', { name: baseUrl, baseUrl, authType: 'bearer', credentials });
  if (effect) await stage.made('POST', `/services/${id}/risk-rules`, { name: effect, effect });
  const { apiKey } = await stage.made('POST', '/agents', { name: baseUrl, serviceIds: [id] });
  return { baseUrl, apiKey };
}

/** @param {Stage} stage @param {ChaosAgent} agent */
const get = (stage, { baseUrl, apiKey }) =>
  stage.call('POST', '/proxy', {
    headers: { 'agent-key': apiKey },
    body: { targetUrl: baseUrl + randomUUID(), method: 'GET', intent: 'look' },
  });

/** @param {Stage} stage @param {ChaosAgent} agent @param {number} requests */
const measure = (stage, agent, requests) => repeat(requests, () => get(stage, agent));

/** @param {Stage} stage @param {number} requests */
const measureReady = (stage, requests) => repeat(requests, () => stage.call('GET', '/ready'));

/** @param {number} requests @param {() => Promise<import('./lib/stage.mjs').Answer>} ask */
async function repeat(requests, ask) {
  /** @type {number[]} */
  const took = [];
  /** @type {string[]} */
  const odd = [];
  let left = requests;
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      while (left-- > 0) {
        const { status, ms, text } = await ask();
        took.push(ms);
        if (status !== 200) odd.push(`${status} ${text.slice(0, 100)}`);
      }
    }),
  );
  return { took, odd };
}

/** Closes each connection after its answer, so that each request needs a lookup. */
async function startClosingUpstream() {
  const server = createServer((_request, response) => response.setHeader('Connection', 'close').end('{}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

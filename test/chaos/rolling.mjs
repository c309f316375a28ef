/**
 * Two instances behind a simple balancer are restarted in turn (SIGTERM) under load, and no request fails. The balancer
 * polls `/ready`, keeps its connections open, and tries the other instance only after a refused connection.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request as send } from 'node:http';
import { Report } from './lib/report.mjs';
import { quantile, setStage, until } from './lib/stage.mjs';

const HEALTH_INTERVAL_MS = 200;
/** Long enough for a slow machine. */
const HEALTHY_MS = 60_000;
const REQUESTS_BETWEEN = 20;

/**
 * @param {object} options
 * @param {string} options.databaseUrl
 * @param {number} options.restarts
 * @param {number} [options.workers]
 */
export async function rolling({ databaseUrl, restarts, workers = 16 }) {
  const report = new Report(`SIGTERM under load, ${restarts} rolling restarts`);
  const stage = await setStage({ databaseUrl, instances: 2, upstreamDelayMs: 250 });
  const balancer = await startBalancer(stage.instances);
  try {
    await play(stage, balancer, report, restarts, workers);
  } finally {
    await balancer.close();
    await stage.close();
  }
  return report;
}

/** @param {import('./lib/stage.mjs').Stage} stage @param {Balancer} balancer @param {Report} report @param {number} restarts @param {number} workers */
async function play(stage, balancer, report, restarts, workers) {
  /** @type {string[]} */
  const failed = [];
  let requests = 0;
  let running = true;
  const load = Array.from({ length: workers }, async (_, worker) => {
    while (running) {
      const id = randomUUID();
      const turn = requests++ % 8;
      const origin = balancer.origin;
      const answer =
        turn === 0
          ? await stage.admin('GET', '/services', undefined, origin)
          : turn % 2 === 0
            ? await stage.proxy({ id, origin })
            : await stage.proxy({ id, origin, method: 'POST', key: id, service: turn === 3 ? 'judged' : 'ruled' });
      if (answer.status !== 200)
        failed.push(`worker ${worker}: ${answer.status} ${answer.error ?? ''} ${answer.text.slice(0, 120)}`);
    }
  });
  /** @type {number[]} */
  const stopMs = [];
  /** @type {(number | null)[]} */
  const codes = [];
  for (let turn = 0; turn < restarts; turn++) {
    const instance = stage.instances[turn % 2];
    await until(() => balancer.healthy(), HEALTHY_MS);
    const before = requests;
    await until(() => requests - before > REQUESTS_BETWEEN, HEALTHY_MS);
    const { code, ms } = await instance.stop();
    codes.push(code);
    stopMs.push(ms);
    await instance.start();
  }
  running = false;
  await Promise.all(load);
  const duplicates = [...stage.ledger.byId().values()].filter((list) => list.length > 1);
  report.figure('requests', requests);
  report.figure('failed', failed.length);
  report.figure('retried on the other instance (connection refused)', balancer.refused);
  report.figure('SIGTERM to exit, p50 ms', quantile(stopMs, 0.5));
  report.figure('SIGTERM to exit, slowest ms', Math.max(...stopMs));
  report.figure('SIGTERM to exit without load, ms', (await stage.instances[0].stop()).ms);
  report.check('no request failed', failed.length === 0 && requests > restarts * REQUESTS_BETWEEN, failed.slice(0, 5));
  report.check('nothing was sent twice', duplicates.length === 0, duplicates);
  report.check(
    'every exit was clean',
    codes.every((code) => code === 0),
    codes,
  );
}

/** @typedef {Awaited<ReturnType<typeof startBalancer>>} Balancer */

/** @param {import('./lib/gateway-process.mjs').GatewayProcess[]} instances */
async function startBalancer(instances) {
  const targets = instances.map((instance) => ({
    instance,
    up: true,
    agent: new Agent({ keepAlive: true, maxSockets: 64 }),
  }));
  let turn = 0;
  const balancer = {
    origin: '',
    refused: 0,
    healthy: () => targets.every(({ up }) => up),
    close: async () => {
      clearInterval(health);
      server.close();
      server.closeAllConnections();
      for (const { agent } of targets) agent.destroy();
      await once(server, 'close');
    },
  };
  const health = setInterval(() => {
    for (const target of targets) void target.instance.ready().then((ready) => (target.up = ready));
  }, HEALTH_INTERVAL_MS);

  /** @param {import('node:http').IncomingMessage} incoming @param {import('node:http').ServerResponse} response @param {Buffer} body @param {number} attempt */
  function pass(incoming, response, body, attempt) {
    const up = targets.filter((target) => target.up);
    const { instance, agent } = (up.length > 0 ? up : targets)[turn++ % (up.length || targets.length)];
    const { connection: _hop, ...headers } = incoming.headers;
    const options = {
      host: '127.0.0.1',
      port: instance.port,
      method: incoming.method,
      path: incoming.url,
      headers,
      agent,
    };
    const outgoing = send(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    outgoing.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'ECONNREFUSED' && attempt < 4) {
        balancer.refused++;
        return pass(incoming, response, body, attempt + 1);
      }
      if (response.headersSent) return response.destroy();
      response.writeHead(502).end(`balancer: ${error.code} ${error.message}`);
    });
    outgoing.end(body);
  }
  const server = createServer((incoming, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => pass(incoming, response, Buffer.concat(chunks), 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  balancer.origin = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  return balancer;
}

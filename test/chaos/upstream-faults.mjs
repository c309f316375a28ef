/**
 * Everything that an upstream and a model can do wrong, each many times. The agent gets the error of
 * docs/reference/egress.md#failures, never a truncated 200, and the gateway's memory stays level.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Report } from './lib/report.mjs';
import { quantile, setStage } from './lib/stage.mjs';

const PARALLEL = 16;
/** Requests before the memory is measured: after them pools, compiled code and the heap have their size. */
const WARM_UP = 100;
const GROWTH_LIMIT_MB = 40;
const COLLECT_MS = 60_000;
const ELEVEN_MB = 11 * 1024 * 1024;
const MB_CHUNK = Buffer.alloc(1024 * 1024, 'x');

/** @typedef {import('node:net').Socket} Socket */
/**
 * The behaviour of the upstream, and the response to the agent: a status, and the body if it is a success.
 * @typedef {{name: string, act: (socket: Socket) => unknown, status: number | number[], body?: string, slow?: boolean,
 * https?: boolean, heavy?: boolean}} Fault
 */

const head = (/** @type {string[]} */ ...lines) => `${lines.join('\r\n')}\r\n\r\n`;

/** @type {Fault[]} */
const FAULTS = [
  {
    name: 'slow: 300 ms',
    status: 200,
    body: 'whole',
    act: (s) => setTimeout(() => s.write(head('HTTP/1.1 200 OK', 'Content-Length: 5') + 'whole'), 300),
  },
  { name: 'closes before headers', status: 502, act: (s) => s.end() },
  { name: 'resets before headers', status: 502, act: (s) => s.resetAndDestroy() },
  {
    name: 'resets after headers',
    status: 502,
    act: (s) => s.write(head('HTTP/1.1 200 OK', 'Content-Length: 100') + 'half', () => s.resetAndDestroy()),
  },
  {
    name: 'body shorter than its length',
    status: 502,
    act: (s) => s.end(head('HTTP/1.1 200 OK', 'Content-Length: 100') + 'half'),
  },
  {
    name: 'body longer than its length',
    status: [200, 502],
    body: 'whole',
    act: (s) => s.end(head('HTTP/1.1 200 OK', 'Content-Length: 5') + 'whole and more'),
  },
  {
    name: 'chunks without an end',
    status: 502,
    act: (s) => s.end(head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked') + '4\r\nhalf\r\n'),
  },
  {
    name: 'bad chunk size',
    status: 502,
    act: (s) => s.end(head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked') + 'zz\r\nhalf\r\n0\r\n\r\n'),
  },
  {
    name: 'two different lengths',
    status: 502,
    act: (s) => s.end(head('HTTP/1.1 200 OK', 'Content-Length: 4', 'Content-Length: 9') + 'half'),
  },
  {
    name: 'bad gzip',
    // It passes as it is, with its coding: the request was carried out.
    status: 200,
    act: (s) => s.end(head('HTTP/1.1 200 OK', 'Content-Encoding: gzip', 'Content-Length: 8') + 'not gzip'),
  },
  {
    name: 'gzip cut off',
    status: 200,
    act: (s) => {
      const whole = gzipSync('x'.repeat(5000));
      const cut = whole.subarray(0, whole.length - 12);
      // Announces the close, as below: the end comes in a piece of its own.
      s.write(head('HTTP/1.1 200 OK', 'Content-Encoding: gzip', `Content-Length: ${cut.length}`, 'Connection: close'));
      s.end(cut);
    },
  },
  {
    name: 'gzip bomb of 50 MB',
    status: 413,
    heavy: true,
    act: (s) => {
      // Announces the close. Otherwise the next request may use this connection while the bomb is decoded.
      s.write(head('HTTP/1.1 200 OK', 'Content-Encoding: gzip', `Content-Length: ${BOMB.length}`, 'Connection: close'));
      s.end(BOMB);
    },
  },
  { name: '11 MB, declared', status: 413, act: (s) => s.end(head('HTTP/1.1 200 OK', `Content-Length: ${ELEVEN_MB}`)) },
  {
    name: '11 MB, not declared',
    // 16 of them at once fill the memory of the agent. What comes then is refused before it is sent.
    status: [413, 429],
    heavy: true,
    act: (s) => {
      s.write(head('HTTP/1.1 200 OK', 'Connection: close'));
      pour(s, 11);
    },
  },
  { name: 'no HTTP', status: 502, act: (s) => s.end('SSH-2.0-OpenSSH_9.2\r\n') },
  { name: 'status 000', status: 502, act: (s) => s.end(head('HTTP/1.1 000 Nothing', 'Content-Length: 4') + 'half') },
  { name: 'status 999', status: 502, act: (s) => s.end(head('HTTP/1.1 999 Much', 'Content-Length: 4') + 'half') },
  {
    name: 'unrequested 101',
    status: 502,
    act: (s) => s.write(head('HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade')),
  },
  {
    name: 'unrequested 100 and 103, then 200',
    status: [200, 502],
    body: 'whole',
    act: (s) =>
      s.end(
        head('HTTP/1.1 100 Continue') +
          head('HTTP/1.1 103 Early Hints', 'Link: </a>') +
          head('HTTP/1.1 200 OK', 'Content-Length: 5') +
          'whole',
      ),
  },
  {
    name: '204 with a body',
    status: [204, 502],
    body: '',
    act: (s) => s.end(head('HTTP/1.1 204 No Content', 'Content-Length: 4') + 'half'),
  },
  {
    name: '304 with a body',
    status: [304, 502],
    body: '',
    act: (s) => s.end(head('HTTP/1.1 304 Not Modified', 'Content-Length: 4') + 'half'),
  },
  {
    name: 'headers of 100 kB',
    status: 502,
    act: (s) => s.end(head('HTTP/1.1 200 OK', `X-Much: ${'x'.repeat(100_000)}`, 'Content-Length: 5') + 'whole'),
  },
  {
    name: 'no TLS where it is expected',
    status: 502,
    https: true,
    act: (s) => s.end(head('HTTP/1.1 400 Bad Request', 'Content-Length: 0')),
  },
  { name: 'hangs', status: 504, slow: true, act: () => {} },
  {
    name: 'hangs after headers',
    status: 504,
    slow: true,
    act: (s) => s.write(head('HTTP/1.1 200 OK', 'Content-Length: 100') + 'half'),
  },
  {
    name: 'drips a byte every 100 ms',
    status: 504,
    slow: true,
    act: (s) => {
      s.write(head('HTTP/1.1 200 OK', 'Content-Length: 1000000'));
      const timer = setInterval(() => s.write('x'), 100);
      s.on('close', () => clearInterval(timer));
    },
  },
];
const BOMB = gzipSync(Buffer.alloc(50 * 1024 * 1024));

/** The behaviour of the model, and the outcome for a GET: forwarded (by the heuristic), or held for a human. */
const MODEL_FAULTS = {
  'answers 500': { status: 200, act: (/** @type {any} */ r) => r.writeHead(500).end('{}') },
  'answers invalid JSON': {
    status: 200,
    act: (/** @type {any} */ r) => r.writeHead(200, { 'Content-Type': 'application/json' }).end('<html>'),
  },
  'breaks the connection': { status: 200, act: (/** @type {any} */ r) => r.socket.resetAndDestroy() },
  'sends half an answer': {
    status: 200,
    act: (/** @type {any} */ r) => {
      r.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
      r.write('{"id":');
      setTimeout(() => r.socket?.destroy(), 5);
    },
  },
  hangs: { status: 428, act: () => {} },
};

/**
 * @param {object} options
 * @param {string} options.databaseUrl
 * @param {number} options.times of each quick fault
 * @param {boolean} [options.slow] also run the faults that take 30 s
 */
export async function upstreamFaults({ databaseUrl, times, slow = true }) {
  const report = new Report(`Faults of upstream and model, ${times} of each`);
  const upstream = await startFaultyUpstream();
  const stage = await setStage({
    databaseUrl,
    environment: { PRIVATE_TARGET_ALLOWLIST: `127.0.0.1:${upstream.port}`, LLM_TIMEOUT_MS: '5000' },
  });
  try {
    const ids = [];
    for (const scheme of ['http', 'https']) {
      const { id } = await stage.made('POST', '/services', {
        name: `faulty ${scheme}`,
        baseUrl: `${scheme}://127.0.0.1:${upstream.port}/`,
        authType: 'bearer',
        credentials: { token: 'chaos-upstream-token' },
      });
      await stage.made('POST', `/services/${id}/risk-rules`, { name: 'allow', effect: 'allow' });
      ids.push(id);
    }
    const { apiKey } = await stage.made('POST', '/agents', { name: 'faults', serviceIds: ids });
    const ask = (/** @type {number} */ index, /** @type {Fault} */ { https }) =>
      stage.call('POST', '/proxy', {
        headers: { 'agent-key': apiKey },
        body: {
          targetUrl: `${https ? 'https' : 'http'}://127.0.0.1:${upstream.port}/${index}`,
          method: 'GET',
          intent: 'see what happens',
        },
      });
    const atStart = stage.instances[0].rssMb();
    for (const [index, fault] of FAULTS.entries()) {
      if (fault.slow) continue;
      await repeat(
        report,
        stage,
        fault.name,
        fault.heavy ? Math.ceil(times / 4) : times,
        fault.status,
        fault.body,
        () => ask(index, fault),
      );
    }
    for (const [name, { status, act }] of Object.entries(MODEL_FAULTS)) {
      stage.model.answer = act;
      const count = status === 428 ? Math.ceil(times / 10) : times;
      await repeat(report, stage, `model ${name}`, count, status, undefined, () =>
        stage.proxy({ service: 'judged', id: randomUUID() }),
      );
    }
    if (slow) await slowOnes(report, ask);
    report.figure(
      'RSS before all and after all, MB',
      `${atStart.toFixed(0)}, ${stage.instances[0].rssMb().toFixed(0)}`,
    );
    const health = await stage.call('GET', '/health');
    report.check('the gateway still reports that it is up', health.status === 200, health);
  } finally {
    await stage.close();
    await upstream.close();
  }
  return report;
}

/**
 * @param {Report} report
 * @param {import('./lib/stage.mjs').Stage} stage
 * @param {string} name
 * @param {number} times
 * @param {number | number[]} expected
 * @param {string | undefined} body of a success
 * @param {() => Promise<import('./lib/stage.mjs').Answer>} ask
 */
async function repeat(report, stage, name, times, expected, body, ask) {
  const statuses = [expected].flat();
  /** @type {string[]} */
  const odd = [];
  /** @type {number[]} */
  const took = [];
  const run = async (/** @type {number} */ count) => {
    let left = count;
    await Promise.all(
      Array.from({ length: PARALLEL }, async () => {
        while (left-- > 0) {
          const answer = await ask();
          took.push(answer.ms);
          const whole = body === undefined || answer.status >= 400 || answer.text === body;
          if (!statuses.includes(answer.status) || !whole)
            odd.push(`${answer.status} ${answer.error ?? answer.text.slice(0, 100)}`);
        }
      }),
    );
  };
  const gateway = stage.instances[0];
  await run(Math.min(WARM_UP, times));
  const before = gateway.rssMb();
  await run(times);
  let growth = gateway.rssMb() - before;
  // Uncollected bodies of 11 MB are not growth: ordinary requests trigger the garbage collection.
  const endMs = performance.now() + COLLECT_MS;
  while (growth >= GROWTH_LIMIT_MB && performance.now() < endMs) {
    await Promise.all(Array.from({ length: PARALLEL }, () => stage.proxy({ id: randomUUID() })));
    growth = gateway.rssMb() - before;
  }
  report.figure(`${name}: RSS change, MB (p99 ${Math.round(quantile(took, 0.99))} ms)`, growth);
  report.check(
    `${name}: ${statuses.join(' or ')}, memory flat`,
    odd.length === 0 && growth < GROWTH_LIMIT_MB,
    odd.slice(0, 5),
  );
}

/**
 * All in parallel: each takes the whole 30 s.
 * @param {Report} report
 * @param {(index: number, fault: Fault) => Promise<import('./lib/stage.mjs').Answer>} ask
 */
async function slowOnes(report, ask) {
  const each = 30;
  const asked = [...FAULTS.entries()]
    .filter(([, { slow }]) => slow)
    .flatMap(([index, fault]) => Array.from({ length: each }, async () => ({ fault, ...(await ask(index, fault)) })));
  const answers = await Promise.all(asked);
  for (const fault of FAULTS.filter(({ slow }) => slow)) {
    const own = answers.filter((answer) => answer.fault === fault);
    const slowest = Math.max(...own.map(({ ms }) => ms));
    report.figure(`${fault.name}: slowest of ${each}, ms`, slowest);
    report.check(
      `${fault.name}: 504`,
      own.every(({ status }) => status === 504),
      own.map(({ status }) => status),
    );
  }
}

/** Speaks raw TCP, so that it can send bytes that no HTTP library would send. The path is the number of the fault. */
async function startFaultyUpstream() {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      // A TLS handshake has no end of headers.
      if (chunk[0] === 0x16) return void FAULTS.find(({ https }) => https)?.act(socket);
      if (!seen.includes('\r\n\r\n')) return;
      const [, index] = /^GET \/(\d+)/.exec(seen) ?? [];
      seen = '';
      FAULTS[Number(index)].act(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/**
 * Writes this many megabytes, no faster than the client reads them.
 * @param {Socket} socket
 * @param {number} megabytes
 */
function pour(socket, megabytes) {
  let left = megabytes;
  const more = () => {
    while (left-- > 0) if (!socket.write(MB_CHUNK)) return void socket.once('drain', more);
    socket.end();
  };
  more();
}

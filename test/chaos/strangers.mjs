/** Fifty connections without a token do their worst. Other clients are served as before, and the memory stays level. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { compare, measure } from './lib/other-clients.mjs';
import { Report } from './lib/report.mjs';
import { setStage } from './lib/stage.mjs';

const MIB = 1024 * 1024;
const MEMORY_LIMIT_MB = 100;
/**
 * Pause between the end of a connection and the next one: the test measures what one connection does, not how many
 * there are.
 */
const AGAIN_MS = 250;

const head = (/** @type {string} */ request, /** @type {string[]} */ ...lines) =>
  [`${request} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...lines].join('\r\n') + '\r\n\r\n';
const EMPTY_ARRAYS = Buffer.from(`{"content":[${'[],'.repeat(6_600_000)}[]]}`);
const SPACES = Buffer.alloc(19 * MIB, ' ');
const NESTED = Buffer.from('['.repeat(0.9 * MIB));
const LONG_TEXT = Buffer.from(`{"email":"${'x'.repeat(0.95 * MIB)}`);
const CHUNK = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'x'), Buffer.from('\r\n')]);

/**
 * The bytes that a stranger sends, piece by piece; an endless one repeats the last piece.
 * @type {{name: string, count: number, pieces: (string | Buffer)[], endless?: boolean}[]}
 */
const ATTACKS = [
  {
    name: '19.8 MB of empty arrays as documentation',
    count: 10,
    pieces: [head('POST /services/1/documentation', `Content-Length: ${EMPTY_ARRAYS.length}`), EMPTY_ARRAYS],
  },
  {
    name: '19 of 20 MB, and then nothing',
    count: 15,
    pieces: [head('POST /services/1/documentation', `Content-Length: ${20 * MIB}`), SPACES],
  },
  {
    name: 'most of a log-in of 1 MB',
    count: 10,
    pieces: [head('POST /auth/login', `Content-Length: ${MIB}`), LONG_TEXT],
  },
  {
    name: 'a refresh nested 900,000 levels deep',
    count: 5,
    pieces: [head('POST /auth/refresh', `Content-Length: ${NESTED.length}`), NESTED],
  },
  {
    name: 'a GET with a body that never ends',
    count: 5,
    pieces: [head('GET /health', 'Transfer-Encoding: chunked'), CHUNK],
    endless: true,
  },
  { name: 'a head that never ends', count: 5, pieces: ['GET /health HTTP/1.1\r\n', 'X-More: y\r\n'] },
];

/** @param {{databaseUrl: string, seconds: number}} options of each of the two measurements */
export async function strangers({ databaseUrl, seconds }) {
  const report = new Report('Fifty strangers do their worst');
  const stage = await setStage({ databaseUrl });
  const gateway = stage.instances[0];
  try {
    await measure(stage, 2);
    const idle = await measure(stage, seconds);
    const before = gateway.rssMb();
    const attack = startAttack(gateway.port);
    const attacked = await measure(stage, seconds);
    await attack.stop();
    report.figure('connections of strangers that ended', attack.ended());
    compare(report, 'fifty strangers', { idle, attacked });
    report.figure('RSS before, and its maximum under attack, MB', `${before.toFixed(0)}, ${attacked.rssMb.toFixed(0)}`);
    report.check(`memory within ${MEMORY_LIMIT_MB} MB`, attacked.rssMb - before <= MEMORY_LIMIT_MB);
  } finally {
    await stage.close();
  }
  return report;
}

/** In a separate thread, so that the figures show the gateway and not the test. @param {number} port */
function startAttack(port) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { port } });
  let ended = 0;
  worker.on('message', () => ended++);
  return { ended: () => ended, stop: () => worker.terminate() };
}

/** @param {number} port */
function attackForEver(port) {
  for (const { count, pieces, endless } of ATTACKS) {
    for (let n = 0; n < count; n++) void attackAgainAndAgain(port, pieces, endless ?? false);
  }
}

/** @param {number} port @param {(string | Buffer)[]} pieces @param {boolean} endless */
async function attackAgainAndAgain(port, pieces, endless) {
  for (;;) {
    await attackOnce(port, pieces, endless);
    parentPort?.postMessage('ended');
    await delay(AGAIN_MS);
  }
}

/**
 * Resolves when the connection has ended.
 * @param {number} port
 * @param {(string | Buffer)[]} pieces
 * @param {boolean} endless
 * @returns {Promise<void>}
 */
function attackOnce(port, pieces, endless) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = () => socket.destroy();
    socket.on('error', end);
    // Reads the answer, so that the gateway never waits for this side.
    socket.resume();
    socket.on('close', () => resolve());
    const last = pieces[pieces.length - 1];
    const again = () => {
      if (!socket.destroyed) socket.write(last, again);
    };
    for (const piece of pieces) socket.write(piece, piece === last && endless ? again : undefined);
  });
}

if (!isMainThread) attackForEver(/** @type {{port: number}} */ (workerData).port);

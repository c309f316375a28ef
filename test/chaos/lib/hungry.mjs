/** The hungry agent and the API that helps it, in one worker thread: `test/chaos/hungry-agent.mjs` gives the orders. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const MIB = 1024 * 1024;
const BLOCK = 64 * 1024;
const LARGE = 10 * MIB - 1024;
const AGAIN_MS = 50;

/**
 * @typedef {object} Attack
 * @property {string} path what the API answers
 * @property {number} count at the same time, again and again
 * @property {string} [prefer]
 * @property {boolean} [isUnread]
 * @property {boolean} [hasKey]
 */

/** @param {string} unit @param {number} length */
const filled = (unit, length) => Buffer.from(unit.repeat(Math.ceil(length / unit.length)).slice(0, length));

/** @param {Buffer} data @param {number} size of each chunk */
function chunked(data, size) {
  const parts = [];
  for (let at = 0; at < data.length; at += size) {
    const part = data.subarray(at, at + size);
    parts.push(`${part.length.toString(16)}\r\n`, part, '\r\n');
  }
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

/** Every reading of it differs, and it holds most of the key. @param {string} key */
const slowUnit = (key) => `${key.slice(4)}%2541\\u0041\\\\u0041%5cu0041\n`;

/** What the API sends for a path. `again` follows without end. @param {string} path @param {string} key */
function makeAnswer(path, key) {
  /** @param {string} type @param {Buffer} again @param {string} [more] */
  const endless = (type, again, more = '') => ({
    head: `Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n${more}`,
    again,
  });
  /** @param {Buffer} body @param {string} [more] */
  const whole = (body, more = '') => ({
    head: `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}`,
    body,
  });
  switch (path) {
    case 'bytes':
      return endless('text/plain', chunked(filled('x', BLOCK), 1));
    case 'events':
      return endless('text/event-stream', chunked(filled('a\n\n', BLOCK), 3));
    case 'escapes':
      return endless('text/plain', chunked(filled(slowUnit(key), BLOCK), 8));
    case 'breaks':
      return endless('text/event-stream', chunked(filled(`}${'\n\n\r\r'.repeat(8 * 1024)}`, BLOCK), BLOCK));
    case 'windows': {
      const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 };
      return whole(brotliCompressSync(filled('x', 50 * MIB), { params }), 'Content-Encoding: br\r\n');
    }
    case 'inflating':
      // A gzip that never ends: the same deflate block again and again would need its own bits, so the whole is sent.
      return whole(gzipSync(filled(slowUnit(key), 50 * MIB)), 'Content-Encoding: gzip\r\n');
    case 'slow':
      return whole(filled(slowUnit(key), LARGE));
    case 'bomb':
      return whole(gzipSync(filled('x', LARGE)), 'Content-Encoding: gzip\r\n');
    default:
      return whole(filled('{"large": "answer"}', LARGE));
  }
}

/** @type {Map<string, {head: string, body?: Buffer, again?: Buffer}>} */
const answers = new Map();
let key = '';

const api = createServer((socket) => {
  socket.on('error', () => socket.destroy());
  let seen = '';
  socket.on('data', (data) => {
    seen += data.toString('latin1');
    if (!seen.includes('\r\n\r\n')) return;
    const path = /^GET \/(\w+)/.exec(seen)?.[1] ?? '';
    seen = '';
    if (!answers.has(path)) answers.set(path, makeAnswer(path, key));
    const { head, body, again } = /** @type {{head: string, body?: Buffer, again?: Buffer}} */ (answers.get(path));
    socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n`);
    if (body !== undefined) return void socket.write(body);
    const more = () => void (socket.writable && socket.write(/** @type {Buffer} */ (again), () => setImmediate(more)));
    more();
  });
});

/** @type {Set<import('node:net').Socket>} */
const open = new Set();
let isAttacking = false;
/** How many answers had each status. @type {Record<string, number>} */
let statuses = {};

/** @param {number} port @param {Attack} attack */
async function again(port, attack) {
  while (isAttacking) {
    await once(send(port, attack), 'close');
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** @param {number} port @param {Attack} attack */
function send(port, { path, prefer, isUnread, hasKey }) {
  const target = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (api.address()).port}/${path}`;
  const body = JSON.stringify({ targetUrl: target, method: 'GET', intent: 'eat' });
  const socket = connect(port, '127.0.0.1');
  open.add(socket);
  socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy());
  socket.write(
    [
      'POST /proxy HTTP/1.1',
      'Host: gateway',
      `Agent-Key: ${key}`,
      ...(prefer === undefined ? [] : [`Prefer: ${prefer}`]),
      ...(hasKey ? [`Idempotency-Key: ${randomUUID()}`] : []),
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
  // Without it, nothing of the answer is read.
  if (!isUnread) {
    socket.once('data', (data) => {
      const status = data.toString('latin1', 9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
    });
  }
  return socket;
}

parentPort?.on('message', (/** @type {{port: number, apiKey: string, attacks: Attack[]} | null} */ order) => {
  if (order === null) {
    isAttacking = false;
    for (const socket of open) socket.destroy();
    parentPort?.postMessage(statuses);
    return;
  }
  [key, isAttacking, statuses] = [order.apiKey, true, {}];
  for (const attack of order.attacks) for (let n = 0; n < attack.count; n++) void again(order.port, attack);
});
api.listen(0, '127.0.0.1', () => {
  parentPort?.postMessage(/** @type {import('node:net').AddressInfo} */ (api.address()).port);
});

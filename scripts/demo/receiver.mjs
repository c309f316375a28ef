/**
 * The terminal's own receiver of notifications: a webhook on loopback that verifies signatures. Uses only node:
 * built-ins.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Replays of older requests are refused, as Standard Webhooks recommends. */
const TOLERANCE_S = 300;
const WAIT_MS = 20_000;

/** @typedef {{type: string, timestamp: string, data: Record<string, any>}} Notification */
/** @typedef {Awaited<ReturnType<typeof startReceiver>>} Receiver */

/**
 * Listens on a free port of this machine. It answers 401 until it has a secret, and to requests that are not signed
 * with it.
 */
export async function startReceiver() {
  /** @type {Notification[]} */
  const received = [];
  /** @type {Set<() => void>} */
  const waiting = new Set();
  const receiver = {
    url: '',
    hostAndPort: '',
    /** The secret of the channel that leads here. */
    secret: '',
    /**
     * Waits for the notification about an action.
     * @param {string} type
     * @param {string} actionId
     * @returns {Promise<Notification>}
     */
    async next(type, actionId) {
      const isMeant = (/** @type {Notification} */ one) => one.type === type && one.data.actionId === actionId;
      const end = AbortSignal.timeout(WAIT_MS);
      for (;;) {
        const found = received.find(isMeant);
        if (found !== undefined) return found;
        if (end.aborted) throw new Error(`No notification arrived within ${WAIT_MS / 1000} seconds`);
        await new Promise((resolve) => {
          const wake = () => resolve(waiting.delete(wake));
          waiting.add(wake);
          end.addEventListener('abort', wake, { once: true });
        });
      }
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (!isSigned(request.headers, body, receiver.secret)) return response.writeHead(401).end();
      response.writeHead(204).end();
      received.push(JSON.parse(body));
      for (const wake of waiting) wake();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  receiver.hostAndPort = `127.0.0.1:${port}`;
  receiver.url = `http://${receiver.hostAndPort}/notifications`;
  return receiver;
}

/**
 * Standard Webhooks: a signature over id, time and body.
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {string} body
 * @param {string} secret
 */
function isSigned(headers, body, secret) {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  if (secret === '' || !(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`);
  return signatures
    .split(' ')
    .some((one) => one.length === expected.length && timingSafeEqual(Buffer.from(one), expected));
}

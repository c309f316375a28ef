/** The receivers of notifications: an HTTP server for webhooks, push messages and ntfy, and an SMTP server. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { PushReader } from './push-reader.mjs';

/**
 * `path`: for a mail, its address. `id`: of the delivery; '' if the medium has no id.
 * @typedef {{medium: string, path: string, title: string, actionId: string | null, id: string, atMs: number}}
 * Notification
 */

const LINK = /approvals\/([0-9a-f-]{36})/;
const MESSAGE_ID = /^Message-ID: <([^@>]+)/im;
const SUBJECT = /^Subject: (.*)$/im;

/** The first segment of a path is the medium. */
export class Receivers {
  /** @type {Notification[]} */
  all = [];
  /** The number of requests that wait for their answer. */
  open = 0;
  /** Each answer comes after a random time, so that a sender can be killed while it waits. */
  maxDelayMs = 0;
  /** @type {Map<string, PushReader>} by path */
  #browsers = new Map();
  #http = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const medium = path.split('/')[1];
      this.#keep(medium, path, request.headers, Buffer.concat(chunks));
      void this.#answer(() => response.writeHead(medium === 'webpush' ? 201 : 204).end());
    });
  });
  #smtp = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, { envelope }, done) => {
      /** @type {Buffer[]} */
      const chunks = [];
      stream.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
      stream.on('end', () => {
        const mail = Buffer.concat(chunks).toString().replace(/=\r\n/g, '');
        const id = MESSAGE_ID.exec(mail)?.[1] ?? '';
        const title = SUBJECT.exec(mail)?.[1] ?? '';
        this.#add({
          medium: 'email',
          path: envelope.rcptTo[0].address,
          title,
          actionId: LINK.exec(mail)?.[1] ?? null,
          id,
        });
        void this.#answer(done);
      });
    },
  });
  hostAndPort = '';
  url = '';
  smtpUrl = '';

  static async start() {
    const receivers = new Receivers();
    await receivers.#listen();
    return receivers;
  }

  async close() {
    this.#http.close();
    this.#http.closeAllConnections();
    await once(this.#http, 'close');
    await new Promise((resolve) => this.#smtp.close(() => resolve(null)));
  }

  /**
   * A browser that uses this server as its push service.
   * @param {string} path
   * @returns the subscription that the browser gives to the gateway
   */
  subscribe(path) {
    const browser = new PushReader(this.url + path);
    this.#browsers.set(path, browser);
    return browser.subscription;
  }

  /** @param {() => void} answer */
  async #answer(answer) {
    this.open++;
    if (this.maxDelayMs > 0) await delay(Math.random() * this.maxDelayMs);
    this.open--;
    answer();
  }

  async #listen() {
    this.#http.keepAliveTimeout = 120_000;
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    this.hostAndPort = `127.0.0.1:${readPort(this.#http)}`;
    this.url = `http://${this.hostAndPort}`;
    this.#smtp.on('error', () => {});
    this.#smtp.listen(0, '127.0.0.1');
    await once(this.#smtp.server, 'listening');
    this.smtpUrl = `smtp://127.0.0.1:${readPort(this.#smtp.server)}`;
  }

  /** @param {string} medium @param {string} path @param {import('node:http').IncomingHttpHeaders} headers @param {Buffer} body */
  #keep(medium, path, headers, body) {
    const title = String(headers['title'] ?? '');
    if (medium === 'webhook' || medium === 'callback') {
      const { data } = JSON.parse(body.toString());
      this.#add({ medium, path, title, actionId: data.actionId ?? null, id: String(headers['webhook-id']) });
    } else if (medium === 'webpush') {
      const message = JSON.parse(/** @type {PushReader} */ (this.#browsers.get(path)).decrypt(body));
      this.#add({ medium, path, title: message.title, actionId: message.actionId, id: message.id });
    } else {
      this.#add({ medium, path, title, actionId: LINK.exec(String(headers['click'] ?? ''))?.[1] ?? null, id: '' });
    }
  }

  /** @param {Omit<Notification, 'atMs'>} notification */
  #add(notification) {
    this.all.push({ ...notification, atMs: performance.now() });
  }
}

/** @param {import('node:net').Server} server */
const readPort = (server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port;

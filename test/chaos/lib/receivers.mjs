/** What people and programs read notifications with: an HTTP server for webhooks, push messages and ntfy, and an SMTP server. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { SMTPServer } from 'smtp-server';

/** @typedef {{medium: string, path: string, title: string, actionId: string | null, id: string, atMs: number}} Notification */

const LINK = /approvals\/([0-9a-f-]{36})/;
const MESSAGE_ID = /^Message-ID: <([^@>]+)/im;

/** The first segment of a path is the medium. */
export class Receivers {
  /** @type {Notification[]} */
  all = [];
  #http = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const medium = path.split('/')[1];
      this.#keep(medium, path, request.headers, Buffer.concat(chunks).toString());
      response.writeHead(medium === 'webpush' ? 201 : 204).end();
    });
  });
  #smtp = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, _session, done) => {
      /** @type {Buffer[]} */
      const chunks = [];
      stream.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
      stream.on('end', () => {
        const mail = Buffer.concat(chunks).toString().replace(/=\r\n/g, '');
        const id = MESSAGE_ID.exec(mail)?.[1] ?? '';
        this.#add({ medium: 'email', path: '', title: '', actionId: LINK.exec(mail)?.[1] ?? null, id });
        done();
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

  async #listen() {
    this.#http.keepAliveTimeout = 120_000;
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    this.hostAndPort = `127.0.0.1:${portOf(this.#http)}`;
    this.url = `http://${this.hostAndPort}`;
    this.#smtp.on('error', () => {});
    this.#smtp.listen(0, '127.0.0.1');
    await once(this.#smtp.server, 'listening');
    this.smtpUrl = `smtp://127.0.0.1:${portOf(this.#smtp.server)}`;
  }

  /** @param {string} medium @param {string} path @param {import('node:http').IncomingHttpHeaders} headers @param {string} body */
  #keep(medium, path, headers, body) {
    const title = String(headers['title'] ?? '');
    if (medium === 'webhook') {
      const { data } = JSON.parse(body);
      this.#add({ medium, path, title, actionId: data.actionId ?? null, id: String(headers['webhook-id']) });
    } else if (medium === 'webpush') {
      // The message is encrypted. Its topic is the action.
      const topic = headers['topic'];
      const actionId = typeof topic === 'string' ? withDashes(topic) : null;
      this.#add({ medium, path, title, actionId, id: '' });
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
const portOf = (server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port;

/** @param {string} hex of a UUID */
const withDashes = (hex) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

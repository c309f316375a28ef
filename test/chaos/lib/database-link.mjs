/** The connection from the gateway to its database, which a scenario can cut or silence. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * `open`: everything passes. `refused`: connections are cut, and new ones refused. `silent`: connections are accepted,
 * but neither they nor existing connections get an answer; a connection that was used during the silence stays dead
 * after it.
 * @typedef {'open' | 'refused' | 'silent'} LinkState
 */
export class DatabaseLink {
  /** @type {LinkState} */
  #state = 'open';
  /** @type {Set<{near: import('node:net').Socket, far: import('node:net').Socket | null}>} */
  #pairs = new Set();
  #server = createServer((socket) => this.#accept(socket));
  port = 0;

  /** @param {string} databaseUrl */
  constructor(databaseUrl) {
    this.target = new URL(databaseUrl);
  }

  /** @param {string} databaseUrl */
  static async to(databaseUrl) {
    const link = new DatabaseLink(databaseUrl);
    await link.#listen();
    return link;
  }

  /** The database's URL through this link. */
  get url() {
    const url = new URL(this.target.href);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  get connections() {
    return this.#pairs.size;
  }

  /** @param {LinkState} state */
  async set(state) {
    const before = this.#state;
    this.#state = state;
    if (state === 'refused') {
      const closed = once(this.#server, 'close');
      this.#server.close();
      for (const { near, far } of this.#pairs) {
        near.destroy();
        far?.destroy();
      }
      await closed;
    }
    if (state === 'silent') {
      for (const { near, far } of this.#pairs) {
        near.unpipe();
        far?.unpipe();
        near.pause();
        far?.pause();
      }
    }
    if (before === 'refused' && state !== 'refused') await this.#listen();
  }

  async close() {
    this.#state = 'open';
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far?.destroy();
    }
    if (this.#server.listening) {
      this.#server.close();
      await once(this.#server, 'close');
    }
  }

  async #listen() {
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = /** @type {import('node:net').AddressInfo} */ (this.#server.address()).port;
  }

  /** @param {import('node:net').Socket} near */
  #accept(near) {
    const far =
      this.#state === 'silent' ? null : connect({ host: this.target.hostname, port: Number(this.target.port || 5432) });
    const pair = { near, far };
    this.#pairs.add(pair);
    const end = () => {
      this.#pairs.delete(pair);
      near.destroy();
      far?.destroy();
    };
    for (const socket of [near, far]) socket?.on('error', end).on('close', end);
    if (far) near.pipe(far).pipe(near);
  }
}

/**
 * The embedded PostgreSQL: for the trial mode (permanent, survives `kill -9`) and for the tests (temporary, fast). It
 * has its own launcher, because the class in the npm package leaves an orphan behind when its process is killed, and
 * needs a system user to be created when it runs as root. Depends on node: built-ins and `pg`.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { readIfExists, readOrCreate, tail, writeWhole } from './files.mjs';
import { freePort } from './free-port.mjs';
import { EXE, findBinaries } from './postgres-binaries.mjs';
import {
  USER,
  ensureCluster,
  isPostgres,
  preparePlace,
  readPidFile,
  run,
  serverEnv,
  temporaryPlace,
} from './postgres-place.mjs';
import { isAlive, spawnTethered } from './tethered.mjs';

/**
 * @typedef {import('./postgres-binaries.mjs').Binaries} Binaries
 * @typedef {import('./postgres-place.mjs').Place} Place
 *
 * @typedef {object} Postgres
 * @property {string} url of the database, as its superuser
 * @property {boolean} joined true: another process has started this server and will stop it
 * @property {() => Promise<void>} stop a clean shutdown; nothing if `joined`
 * @property {Promise<Error | null>} exited null: stopped; an Error: the server is gone and could not be restarted
 */

const DATABASE = 'agent_gateway';
/** After a crash, PostgreSQL first writes every file to the disk (`fsync`), which takes minutes on a busy disk. */
const START_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 15_000;
/** If a server dies twice within this time, a third start would not help. */
const RESTART_WINDOW_MS = 60_000;
/** After this time, a failed restart is not tried again. */
const RESTART_LIMIT_MS = 60_000;
const LOG_MAX_BYTES = 20 * 2 ** 20;

/**
 * Starts PostgreSQL on a free port of 127.0.0.1, or joins the server that already runs in this directory.
 * @param {{dataDir?: string, durable: boolean, socketDirectory?: string, log?: (line: string) => void}} options
 *   `dataDir` holds the cluster, its password and its log; without `durable` it can be omitted: then it is temporary and
 *   removed at the end. In `socketDirectory` the server opens a Unix socket too
 * @returns {Promise<Postgres>}
 */
export async function startPostgres({ dataDir, durable, socketDirectory = '', log = () => {} }) {
  if (!dataDir && durable) throw new Error('A durable PostgreSQL needs a dataDir');
  const place = dataDir ? preparePlace(resolve(dataDir)) : temporaryPlace();
  const binaries = findBinaries(place.owner);
  const password = readOrCreate(join(place.base, 'postgres-password'), () => randomBytes(24).toString('hex')).trim();

  const running = await findRunning(place, password);
  if (running) return running;

  ensureCluster(place, binaries, password, durable, log);
  const server = new Server(place, binaries, password, durable, socketDirectory, log);
  try {
    await server.start();
  } catch (error) {
    // PostgreSQL refuses the second of two parallel starts.
    const other = await findRunning(place, password);
    if (!other) throw error;
    return other;
  }
  return { url: server.url, joined: false, stop: () => server.stop(), exited: server.exited };

  /**
   * A server whose launcher was killed is shutting down, so this waits for its end. If it stays (Windows has no
   * tether), we take it over.
   * @returns {Promise<Postgres | null>}
   */
  async function findRunning(/** @type {Place} */ at, /** @type {string} */ secret) {
    const begunAt = Date.now();
    for (;;) {
      const pidFile = readPidFile(at);
      if (!pidFile || !isPostgres(pidFile.pid)) return null;
      const url = databaseUrl(pidFile.port, secret);
      const launcher = Number(readIfExists(join(at.base, 'postgres-launcher')));
      const answers = await canConnect(url);
      if (answers && launcher && isAlive(launcher)) {
        return { url, joined: true, stop: () => Promise.resolve(), exited: new Promise(() => {}) };
      }
      // A start after a crash and a shutdown can both take minutes.
      const limitMs = pidFile.status === 'ready' ? STOP_TIMEOUT_MS : START_TIMEOUT_MS;
      if (Date.now() - begunAt > limitMs) return answers ? adopt(at, url) : null;
      await delay(50);
    }
  }

  /** @returns {Postgres} */
  function adopt(/** @type {Place} */ at, /** @type {string} */ url) {
    writeWhole(join(at.base, 'postgres-launcher'), String(process.pid));
    /** @type {(reason: null) => void} */
    let settle;
    const exited = new Promise((done) => (settle = done));
    return {
      url,
      joined: false,
      exited,
      stop: async () => {
        run(join(binaries.bin, `pg_ctl${EXE}`), ['stop', '-D', at.cluster, '-m', 'fast', '-w'], at.owner);
        settle(null);
      },
    };
  }
}

class Server {
  /** @type {import('./tethered.mjs').Tethered | undefined} */
  #child;
  #port = 0;
  #stopping = false;
  #startedAt = 0;
  #restarted = false;
  #logStart = 0;
  /** @type {(reason: Error | null) => void} */
  #settle = () => {};
  #logFile;
  #log;
  #place;
  #binaries;
  #password;
  #durable;
  #socketDirectory;

  constructor(
    /** @type {Place} */ place,
    /** @type {Binaries} */ binaries,
    /** @type {string} */ password,
    /** @type {boolean} */ durable,
    /** @type {string} */ socketDirectory,
    /** @type {(line: string) => void} */ log,
  ) {
    this.#place = place;
    this.#binaries = binaries;
    this.#password = password;
    this.#durable = durable;
    this.#socketDirectory = socketDirectory;
    this.#log = log;
    this.#logFile = join(place.base, 'postgres.log');
    /** @type {Promise<Error | null>} */
    this.exited = new Promise((settle) => (this.#settle = settle));
  }

  get url() {
    return databaseUrl(this.#port, this.#password);
  }

  async start() {
    // Another program may take the free port before PostgreSQL listens on it, so this tries several times.
    for (let attempt = 1; ; attempt++) {
      this.#port = await freePort();
      try {
        await this.#launch();
        break;
      } catch (error) {
        if (attempt === 3 || !/could not bind|Address already in use/i.test(String(error))) throw error;
      }
    }
    await createDatabase(this.#port, this.#password);
  }

  async stop() {
    if (this.#stopping) return void (await this.exited);
    this.#stopping = true;
    if (this.#child) {
      this.#requestStop();
      const stopped = await Promise.race([this.#child.exited, delay(STOP_TIMEOUT_MS, null, { ref: false })]);
      if (!stopped) this.#child.kill();
      await this.#child.exited;
    }
    if (this.#place.temporary) fs.rmSync(this.#place.base, { recursive: true, force: true, maxRetries: 3 });
    else fs.rmSync(join(this.#place.base, 'postgres-launcher'), { force: true });
    this.#settle(null);
  }

  #requestStop() {
    if (process.platform === 'win32') {
      run(join(this.#binaries.bin, 'pg_ctl.exe'), ['stop', '-D', this.#place.cluster, '-m', 'fast'], null);
    } else this.#child?.release();
  }

  async #launch() {
    const logSize = fs.statSync(this.#logFile, { throwIfNoEntry: false })?.size ?? 0;
    if (logSize > LOG_MAX_BYTES) fs.renameSync(this.#logFile, `${this.#logFile}.1`);
    const earlier = readPidFile(this.#place);
    const output = fs.openSync(this.#logFile, 'a', 0o600);
    this.#logStart = fs.fstatSync(output).size;
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.#socketDirectory,
      max_connections: this.#durable ? '60' : '300',
      // Autovacuum visits each of some hundred databases every minute.
      ...(this.#durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }),
    };
    const args = ['-D', this.#place.cluster, '-p', String(this.#port)];
    for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
    const child = spawnTethered(join(this.#binaries.bin, `postgres${EXE}`), args, {
      // INT is PostgreSQL's fast shutdown; TERM would wait until every client disconnects.
      signal: 'INT',
      stdout: output,
      env: serverEnv(),
      cwd: process.platform === 'win32' ? this.#binaries.bin : '/',
      ...this.#place.owner,
    });
    fs.closeSync(output);
    this.#child = child;
    let gone = false;
    void child.exited.then(() => (gone = true));
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      // Waits for "ready" in the pid file, as pg_ctl does. A killed server leaves a file that says "ready", too.
      const pidFile = readPidFile(this.#place);
      const isNew = pidFile?.pid !== earlier?.pid || pidFile?.startedAt !== earlier?.startedAt;
      if (pidFile?.status === 'ready' && pidFile.port === this.#port && isNew) break;
      if (gone || Date.now() > deadline) {
        child.kill();
        throw new Error(
          `PostgreSQL did not start. Its log, ${this.#logFile}, ends:\n${tail(this.#logFile, 8, this.#logStart)}`,
        );
      }
      await delay(15);
    }
    // Only now, so that a start that PostgreSQL refuses does not count as the running server.
    writeWhole(join(this.#place.base, 'postgres-launcher'), String(process.pid));
    this.#startedAt = Date.now();
    void child.exited.then((end) => this.#ended(end));
  }

  /** @param {{code: number | null, signal: NodeJS.Signals | null}} end */
  async #ended(end) {
    if (this.#stopping) return;
    const reason = `PostgreSQL ended unexpectedly (${end.signal ?? `exit code ${end.code}`})`;
    if (Date.now() - this.#startedAt < RESTART_WINDOW_MS && this.#restarted) {
      return this.#settle(
        new Error(`${reason}, again. Its log, ${this.#logFile}, ends:\n${tail(this.#logFile, 8, this.#logStart)}`),
      );
    }
    this.#restarted = true;
    this.#log(`${reason}; starting it again`);
    const deadline = Date.now() + RESTART_LIMIT_MS;
    for (;;) {
      try {
        // On the same port, so that the gateway reconnects by itself.
        await this.#launch();
        return this.#log('PostgreSQL is running again');
      } catch (error) {
        if (this.#stopping) return;
        // The children of the killed server need a moment to release its shared memory.
        if (Date.now() > deadline) return this.#settle(/** @type {Error} */ (error));
        await delay(250);
        if (this.#stopping) return;
      }
    }
  }
}

function databaseUrl(/** @type {number} */ port, /** @type {string} */ password, database = DATABASE) {
  return `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
}

/** @param {string} url */
async function connect(url) {
  const { Client } = (await import('pg')).default;
  // Without `ssl`, the driver would follow PGSSLMODE, which is about a server of the operator.
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3000, ssl: false });
  // An error between two queries would otherwise end the process.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** @param {string} url @returns {Promise<boolean>} */
async function canConnect(url) {
  try {
    await (await connect(url)).end();
    return true;
  } catch {
    return false;
  }
}

/** A kill of the first start may have left a cluster without this database. */
async function createDatabase(/** @type {number} */ port, /** @type {string} */ password) {
  const client = await connect(databaseUrl(port, password, 'postgres'));
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

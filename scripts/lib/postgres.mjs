/**
 * The embedded PostgreSQL: of the trial mode (kept, safe against `kill -9`) and of the tests (temporary, fast).
 * A short launcher of our own, because the npm package's class leaves an orphan behind when its process is killed,
 * and needs a system user to be made when it runs as root. Depends on node: built-ins and `pg`.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { readIfExists, readOrCreate, writeWhole } from './files.mjs';
import { EXE, SYSTEM_DIR, findBinaries, makeSystemDir } from './postgres-binaries.mjs';
import { isAlive, spawnTethered } from './tethered.mjs';

/**
 * @typedef {import('./postgres-binaries.mjs').Owner} Owner
 * @typedef {import('./postgres-binaries.mjs').Binaries} Binaries
 *
 * @typedef {object} Postgres
 * @property {string} url of the database, as its superuser
 * @property {boolean} joined true: another process started this server and will stop it
 * @property {() => Promise<void>} stop a clean shutdown; nothing if `joined`
 * @property {Promise<Error | null>} exited null: stopped; an Error: the server is gone and could not be restarted
 */

const USER = 'agw';
const DATABASE = 'agent_gateway';
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
/** A server that dies twice within this time has a reason that a third start does not cure. */
const RESTART_WINDOW_MS = 60_000;
const TEMPORARY_PREFIX = 'agent-gateway-pg-';

/**
 * Starts PostgreSQL on a free port of 127.0.0.1, or joins the one that already runs on this directory.
 * @param {{dataDir?: string, durable: boolean, log?: (line: string) => void}} options `dataDir` holds the cluster, its
 *   password and its log; without `durable` it may be left out: a temporary one, removed at the end
 * @returns {Promise<Postgres>}
 */
export async function startPostgres({ dataDir, durable, log = () => {} }) {
  if (!dataDir && durable) throw new Error('A durable PostgreSQL needs a dataDir');
  const place = dataDir ? preparePlace(resolve(dataDir)) : temporaryPlace();
  const binaries = findBinaries(place.owner);
  const password = readOrCreate(join(place.base, 'postgres-password'), () => randomBytes(24).toString('hex')).trim();

  const running = await findRunning(place, password);
  if (running) return { ...running, exited: running.joined ? new Promise(() => {}) : running.exited };

  ensureCluster(place, binaries, password, durable, log);
  const server = new Server(place, binaries, password, durable, log);
  await server.start();
  return { url: server.url, joined: false, stop: () => server.stop(), exited: server.exited };

  /**
   * A server whose launcher was killed is just shutting down: wait for that. If it stays (Windows has no tether), it
   * becomes ours.
   * @returns {Promise<Postgres | null>}
   */
  async function findRunning(/** @type {Place} */ at, /** @type {string} */ secret) {
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    for (;;) {
      const pidFile = readPidFile(at);
      if (!pidFile || !isPostgres(pidFile.pid)) return null;
      const url = urlOf(pidFile.port, secret);
      const launcher = Number(readIfExists(join(at.base, 'postgres-launcher')));
      const answers = await canConnect(url);
      if (answers && launcher && isAlive(launcher)) {
        return { url, joined: true, stop: () => Promise.resolve(), exited: new Promise(() => {}) };
      }
      if (Date.now() > deadline) return answers ? adopt(at, url) : null;
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

/** @typedef {{base: string, home: string, cluster: string, owner: Owner | null, temporary: boolean}} Place */

/** @returns {Place} */
function preparePlace(/** @type {string} */ base) {
  fs.mkdirSync(base, { recursive: true, mode: 0o700 });
  const link = join(base, 'postgres');
  const root = process.getuid?.() === 0;
  if (!root) {
    fs.mkdirSync(link, { recursive: true, mode: 0o700 });
    assertOurs(link);
    return { base, home: link, cluster: join(link, 'cluster'), owner: null, temporary: false };
  }
  // The server's user must be able to walk through; the files in it are 0600.
  fs.chmodSync(base, 0o711);
  const owner = serverUser(join(link, 'cluster'));
  if (!fs.existsSync(link)) makeHome(base, link, owner);
  const home = fs.realpathSync(link);
  if (!canEnter(home, owner)) {
    throw new Error(
      `PostgreSQL cannot run as root, and the user it runs as (uid ${owner.uid}) cannot enter ${home}. ` +
        'Move the checkout to a place that others may enter, or set DATABASE_URL.',
    );
  }
  return { base, home, cluster: join(home, 'cluster'), owner, temporary: false };
}

/**
 * In a checkout below root's home no other user can reach .data/: then .data/postgres is a link to a place that can be
 * reached. Its name is random, so that removing .data/ is a fresh start.
 */
function makeHome(/** @type {string} */ base, /** @type {string} */ link, /** @type {Owner} */ owner) {
  // A link to a removed directory.
  fs.rmSync(link, { force: true });
  if (canEnter(base, owner)) {
    fs.mkdirSync(link, { mode: 0o711 });
    return;
  }
  makeSystemDir();
  const elsewhere = fs.mkdtempSync(join(SYSTEM_DIR, 'data-'));
  fs.chmodSync(elsewhere, 0o711);
  fs.symlinkSync(elsewhere, link);
}

/** @returns {Owner} whoever owns the cluster (it may have been made by an ordinary user), else nobody */
function serverUser(/** @type {string} */ cluster) {
  const stat = fs.statSync(cluster, { throwIfNoEntry: false });
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : { uid: 65534, gid: 65534 };
}

function canEnter(/** @type {string} */ directory, /** @type {Owner} */ owner) {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', directory], { ...owner, cwd: '/', stdio: 'ignore' }).status === 0;
}

function assertOurs(/** @type {string} */ home) {
  const cluster = fs.statSync(join(home, 'cluster'), { throwIfNoEntry: false });
  if (cluster && process.getuid && cluster.uid !== process.getuid()) {
    throw new Error(`${home} was made by another user (uid ${cluster.uid}): run as that user, or remove it`);
  }
}

/** @returns {Place} */
function temporaryPlace() {
  const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : null;
  for (const parent of new Set([tmpdir(), '/var/tmp'])) {
    if (!fs.existsSync(parent) || (owner && !canEnter(parent, owner))) continue;
    removeAbandoned(parent);
    const base = fs.mkdtempSync(join(parent, TEMPORARY_PREFIX));
    fs.chmodSync(base, 0o711);
    fs.writeFileSync(join(base, 'postgres-launcher'), String(process.pid));
    return { base, home: base, cluster: join(base, 'cluster'), owner, temporary: true };
  }
  throw new Error(`PostgreSQL's user cannot enter ${tmpdir()}: set TMPDIR to another directory`);
}

/** What runs that were killed have left. */
function removeAbandoned(/** @type {string} */ parent) {
  for (const name of fs.readdirSync(parent).filter((entry) => entry.startsWith(TEMPORARY_PREFIX))) {
    const base = join(parent, name);
    try {
      const launcher = Number(readIfExists(join(base, 'postgres-launcher')));
      const pidFile = readPidFile({ cluster: join(base, 'cluster') });
      if (!launcher || isAlive(launcher) || (pidFile && isPostgres(pidFile.pid))) continue;
      fs.rmSync(base, { recursive: true, force: true });
    } catch {
      // Another user's.
    }
  }
}

/** Makes the cluster, wholly or not at all. */
function ensureCluster(
  /** @type {Place} */ { home, cluster, owner },
  /** @type {Binaries} */ { bin, version, major },
  /** @type {string} */ password,
  /** @type {boolean} */ durable,
  /** @type {(line: string) => void} */ log,
) {
  if (fs.existsSync(cluster)) {
    const made = readIfExists(join(cluster, 'PG_VERSION'))?.trim();
    if (made === major) return;
    throw new Error(
      `The data in ${cluster} was made by PostgreSQL ${made ?? '(unknown)'}; this version brings ${version}, which cannot ` +
        'open it. Go back to the earlier version and dump the data, or remove the directory to start afresh.',
    );
  }
  log(`Creating a PostgreSQL ${version} database in ${home}`);
  for (const name of fs.readdirSync(home).filter((entry) => entry.startsWith('new-'))) {
    fs.rmSync(join(home, name), { recursive: true, force: true, maxRetries: 3 });
  }
  const fresh = fs.mkdtempSync(join(home, 'new-'));
  const passwordFile = `${fresh}.password`;
  try {
    fs.writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' });
    if (owner) for (const path of [fresh, passwordFile]) fs.chownSync(path, owner.uid, owner.gid);
    const args = [
      '-D',
      fresh,
      '-U',
      USER,
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '--locale=C',
    ];
    run(join(bin, `initdb${EXE}`), durable ? args : [...args, '-N'], owner);
    // From here on the cluster exists: a kill before this line leaves only a directory that the next start removes.
    fs.renameSync(fresh, cluster);
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true });
    // Another process was quicker: its cluster has the same password.
    if (!fs.existsSync(join(cluster, 'PG_VERSION'))) throw error;
  } finally {
    fs.rmSync(passwordFile, { force: true });
  }
}

class Server {
  /** @type {import('./tethered.mjs').Tethered | undefined} */
  #child;
  #port = 0;
  #stopping = false;
  #startedAt = 0;
  /** @type {(reason: Error | null) => void} */
  #settle = () => {};
  #logFile;
  #log;
  #place;
  #binaries;
  #password;
  #durable;

  constructor(
    /** @type {Place} */ place,
    /** @type {Binaries} */ binaries,
    /** @type {string} */ password,
    /** @type {boolean} */ durable,
    /** @type {(line: string) => void} */ log,
  ) {
    this.#place = place;
    this.#binaries = binaries;
    this.#password = password;
    this.#durable = durable;
    this.#log = log;
    this.#logFile = join(place.base, 'postgres.log');
    /** @type {Promise<Error | null>} */
    this.exited = new Promise((settle) => (this.#settle = settle));
  }

  get url() {
    return urlOf(this.#port, this.#password);
  }

  async start() {
    // Nobody can hold a port for somebody else: between asking for a free one and using it, it may be taken.
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
    const logStart = fs.statSync(this.#logFile, { throwIfNoEntry: false })?.size ?? 0;
    const output = fs.openSync(this.#logFile, logStart > 20 * 2 ** 20 ? 'w' : 'a', 0o600);
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: this.#durable ? '60' : '300',
      ...(this.#durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    };
    const args = ['-D', this.#place.cluster, '-p', String(this.#port)];
    for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
    writeWhole(join(this.#place.base, 'postgres-launcher'), String(process.pid));
    const child = spawnTethered(join(this.#binaries.bin, `postgres${EXE}`), args, {
      // INT is PostgreSQL's fast shutdown; TERM would wait for every client to leave.
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
      // "ready" in the pid file is what pg_ctl waits for; the port tells it from a file that an earlier server left.
      const pidFile = readPidFile(this.#place);
      if (pidFile?.status === 'ready' && pidFile.port === this.#port) break;
      if (gone || Date.now() > deadline) {
        child.kill();
        throw new Error(`PostgreSQL did not start. Its log, ${this.#logFile}, ends:\n${tail(this.#logFile, 8)}`);
      }
      await delay(15);
    }
    this.#startedAt = Date.now();
    void child.exited.then((end) => this.#ended(end));
  }

  /** @param {{code: number | null, signal: NodeJS.Signals | null}} end */
  async #ended(end) {
    if (this.#stopping) return;
    const reason = `PostgreSQL ended unexpectedly (${end.signal ?? `exit code ${end.code}`})`;
    if (Date.now() - this.#startedAt < RESTART_WINDOW_MS && this.#restarted) {
      return this.#settle(new Error(`${reason}, again. Its log, ${this.#logFile}, ends:\n${tail(this.#logFile, 8)}`));
    }
    this.#restarted = true;
    this.#log(`${reason}; starting it again`);
    const deadline = Date.now() + 10_000;
    for (;;) {
      try {
        // On the same port: the gateway reconnects by itself.
        await this.#launch();
        return;
      } catch (error) {
        if (this.#stopping) return;
        // The killed server's own children need a moment to let go of its shared memory.
        if (Date.now() > deadline) return this.#settle(/** @type {Error} */ (error));
        await delay(250);
      }
    }
  }

  #restarted = false;
}

/** Without PGDATA, PGOPTIONS and the like, which would change what the server does. */
function serverEnv() {
  const { PATH, SystemRoot, TEMP } = process.env;
  return { PATH, LC_ALL: 'C', ...(process.platform === 'win32' ? { SystemRoot, TEMP } : {}) };
}

function run(/** @type {string} */ program, /** @type {string[]} */ args, /** @type {Owner | null} */ owner) {
  const cwd = process.platform === 'win32' ? undefined : '/';
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...owner,
    cwd,
    env: serverEnv(),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
}

/** @returns {{pid: number, port: number, status: string} | null} */
function readPidFile(/** @type {{cluster: string}} */ { cluster }) {
  const lines = readIfExists(join(cluster, 'postmaster.pid'))?.split('\n');
  const pid = Number(lines?.[0]);
  return lines && pid > 0 ? { pid, port: Number(lines[3]), status: (lines[7] ?? '').trim() } : null;
}

/** Process numbers come round again, in a container at once: after a power cut another program may have this one. */
function isPostgres(/** @type {number} */ pid) {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  return readIfExists(`/proc/${pid}/cmdline`)?.includes('postgres') ?? false;
}

function urlOf(/** @type {number} */ port, /** @type {string} */ password, database = DATABASE) {
  return `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((found, failed) => {
    const probe = createServer().once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
      probe.close(() => found(port));
    });
  });
}

/** @param {string} url */
async function connect(url) {
  const { Client } = (await import('pg')).default;
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3000 });
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

/** The first start may have been killed between making the cluster and this. */
async function createDatabase(/** @type {number} */ port, /** @type {string} */ password) {
  const client = await connect(urlOf(port, password, 'postgres'));
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** @param {string} file @param {number} lines @returns {string} the last lines of a log */
export function tail(file, lines) {
  return (readIfExists(file) ?? '').trimEnd().split('\n').slice(-lines).join('\n');
}

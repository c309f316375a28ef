/**
 * Where an embedded PostgreSQL keeps its data, who owns the files, and how they are created. Uses only node: built-ins.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { readIfExists } from './files.mjs';
import { EXE, SYSTEM_DIR, makeSystemDir } from './postgres-binaries.mjs';
import { isAlive } from './tethered.mjs';

/**
 * @typedef {import('./postgres-binaries.mjs').Owner} Owner
 * @typedef {import('./postgres-binaries.mjs').Binaries} Binaries
 *
 * @typedef {object} Place
 * @property {string} base the password, the log and the launcher's process number
 * @property {string} home of the cluster; the server's user can enter it
 * @property {string} cluster PostgreSQL's own data directory
 * @property {Owner | null} owner null: the server runs as ourselves
 * @property {boolean} temporary
 */

/** PostgreSQL's superuser in every cluster that these scripts create. */
export const USER = 'agw';
const TEMPORARY_PREFIX = 'agent-gateway-pg-';

/** @returns {Place} */
export function preparePlace(/** @type {string} */ base) {
  fs.mkdirSync(base, { recursive: true, mode: 0o700 });
  const link = join(base, 'postgres');
  const root = process.getuid?.() === 0;
  if (!root) {
    fs.mkdirSync(link, { recursive: true, mode: 0o700 });
    assertOurs(link);
    return { base, home: link, cluster: join(link, 'cluster'), owner: null, temporary: false };
  }
  // The server's user must be able to enter it; the files in it have mode 0600.
  fs.chmodSync(base, 0o711);
  const owner = serverUser(join(link, 'cluster'));
  if (!fs.existsSync(link)) makeHome(base, link, owner);
  const home = fs.realpathSync(link);
  if (!canEnter(home, owner)) {
    throw new Error(
      `PostgreSQL cannot run as root, and the user it runs as (uid ${owner.uid}) cannot enter ${home}. ` +
        'Move the checkout to a directory that other users can enter, or set DATABASE_URL.',
    );
  }
  return { base, home, cluster: join(home, 'cluster'), owner, temporary: false };
}

/**
 * If the checkout is below root's home, no other user can reach .data/. Then .data/postgres is a link to a directory
 * that the server's user can reach. Its name is random, so that removing .data/ gives a fresh start.
 */
function makeHome(/** @type {string} */ base, /** @type {string} */ link, /** @type {Owner} */ owner) {
  if (canEnter(base, owner)) {
    fs.mkdirSync(link, { recursive: true, mode: 0o711 });
    return;
  }
  makeSystemDir();
  const elsewhere = fs.mkdtempSync(join(SYSTEM_DIR, 'data-'));
  fs.chmodSync(elsewhere, 0o711);
  try {
    // A link to a directory that was removed.
    if (fs.lstatSync(link, { throwIfNoEntry: false }) && !fs.existsSync(link)) fs.unlinkSync(link);
    fs.symlinkSync(elsewhere, link);
  } catch (error) {
    fs.rmdirSync(elsewhere);
    // Another process was faster.
    if (!fs.existsSync(link)) throw error;
  }
}

/** @returns {Owner} the owner of the cluster (an ordinary user may have created it), or else the user nobody */
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
    throw new Error(`${home} belongs to another user (uid ${cluster.uid}): run as that user, or remove it`);
  }
}

/** @returns {Place} */
export function temporaryPlace() {
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

/** Removes directories that killed runs have left. */
function removeAbandoned(/** @type {string} */ parent) {
  for (const name of fs.readdirSync(parent).filter((entry) => entry.startsWith(TEMPORARY_PREFIX))) {
    const base = join(parent, name);
    try {
      const launcher = Number(readIfExists(join(base, 'postgres-launcher')));
      const pidFile = readPidFile({ cluster: join(base, 'cluster') });
      if (!launcher || isAlive(launcher) || (pidFile && isPostgres(pidFile.pid))) continue;
      fs.rmSync(base, { recursive: true, force: true });
    } catch {
      // It belongs to another user.
    }
  }
}

/** Creates the cluster completely or not at all. */
export function ensureCluster(
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
      `The data in ${cluster} is from PostgreSQL ${made ?? '(unknown)'}; this version includes ${version}, which cannot ` +
        'open it. Go back to the earlier version and dump the data, or remove the directory to start from scratch.',
    );
  }
  log(`Creating a PostgreSQL ${version} database in ${home}`);
  for (const name of fs.readdirSync(home)) {
    // A killed start has left it, or another start is creating one now.
    const maker = Number(/^new-(\d+)-/.exec(name)?.[1]);
    if (maker && !isAlive(maker)) fs.rmSync(join(home, name), { recursive: true, force: true, maxRetries: 3 });
  }
  const fresh = fs.mkdtempSync(join(home, `new-${process.pid}-`));
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
    // From here on the cluster exists. A kill before this line leaves only a directory that the next start removes.
    fs.renameSync(fresh, cluster);
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true });
    // Another process was faster: its cluster has the same password.
    if (!fs.existsSync(join(cluster, 'PG_VERSION'))) throw error;
  } finally {
    fs.rmSync(passwordFile, { force: true });
  }
}

/** `startedAt` is in seconds. @returns {{pid: number, startedAt: number, port: number, status: string} | null} */
export function readPidFile(/** @type {{cluster: string}} */ { cluster }) {
  const lines = readIfExists(join(cluster, 'postmaster.pid'))?.split('\n');
  const pid = Number(lines?.[0]);
  return lines && pid > 0
    ? { pid, startedAt: Number(lines[2]), port: Number(lines[3]), status: (lines[7] ?? '').trim() }
    : null;
}

/** Process ids are reused, in a container very soon: after a power cut another program may have this id. */
export function isPostgres(/** @type {number} */ pid) {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  return readIfExists(`/proc/${pid}/cmdline`)?.includes('postgres') ?? false;
}

/** The environment without PGDATA, PGOPTIONS and similar variables, which would change the server. */
export function serverEnv() {
  const { PATH, SystemRoot, TEMP } = process.env;
  return { PATH, LC_ALL: 'C', ...(process.platform === 'win32' ? { SystemRoot, TEMP } : {}) };
}

export function run(/** @type {string} */ program, /** @type {string[]} */ args, /** @type {Owner | null} */ owner) {
  const cwd = process.platform === 'win32' ? undefined : '/';
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...owner,
    cwd,
    env: serverEnv(),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
}

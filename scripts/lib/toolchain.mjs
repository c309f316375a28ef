/**
 * Prepares a fresh checkout: checks Node's version, installs packages, builds. Uses only node: built-ins, because
 * nothing is installed yet.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { readIfExists, writeWhole } from './files.mjs';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const STAMP = join(ROOT, 'dist', '.built');
/** The inputs of the build. */
const SOURCES = ['apps/api/src', 'apps/dashboard', 'libs', 'package.json', 'package-lock.json', 'tsconfig.base.json'];

/** @returns {string | null} why this Node can't be used; null: it can */
export function nodeFault(version = process.versions.node) {
  const { engines } = JSON.parse(fs.readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const admitted = String(engines.node)
    .split('||')
    .some((range) => satisfies(version, range.trim()));
  return admitted
    ? null
    : `Agent Gateway needs Node ${engines.node}; this is ${version}. See https://nodejs.org/en/download`;
}

/** Supports the two kinds of semver ranges that package.json uses: `^a.b.c` and `>=a.b.c`. */
function satisfies(/** @type {string} */ version, /** @type {string} */ range) {
  const [major, minor, patch] = numbers(version);
  const [wantedMajor, wantedMinor, wantedPatch] = numbers(range);
  if (major !== wantedMajor) return range.startsWith('>=') && major > wantedMajor;
  return minor > wantedMinor || (minor === wantedMinor && patch >= wantedPatch);
}

function numbers(/** @type {string} */ text) {
  return text.replace(/^\D+/, '').split('.').map(Number);
}

/**
 * Runs `npm ci` when node_modules is missing, older than the lock file, or lacks the packages for the build
 * (`--omit=dev`).
 * @param {(line: string) => void} log
 */
export async function installIfNeeded(log) {
  const modules = join(ROOT, 'node_modules');
  const installed = fs.statSync(join(modules, '.package-lock.json'), { throwIfNoEntry: false });
  const { devDependencies } = JSON.parse(fs.readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const whole = Object.keys(devDependencies).every((name) => fs.existsSync(join(modules, name)));
  if (whole && installed && installed.mtimeMs >= fs.statSync(join(ROOT, 'package-lock.json')).mtimeMs) return;
  await timed(log, 'Installing packages (once, about a minute)', () =>
    // Deprecations and engine notes of build tools do not help a newcomer.
    npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']),
  );
}

/** Builds if a source file has changed since the last build. @param {(line: string) => void} log */
export async function buildIfNeeded(log) {
  const fingerprint = computeFingerprint(SOURCES);
  if (readIfExists(STAMP) === fingerprint) return;
  await timed(log, 'Building', () => npm(['run', '--silent', 'build'], { quiet: true }));
  writeWhole(STAMP, fingerprint);
}

/** The compiler copies no SQL. */
export function copyFunctions() {
  const from = 'libs/database/src/functions';
  const to = join(ROOT, 'dist', from);
  fs.rmSync(to, { recursive: true, force: true });
  fs.cpSync(join(ROOT, from), to, { recursive: true });
}

/**
 * @param {(line: string) => void} log
 * @param {string} what
 * @param {() => Promise<void>} work
 */
async function timed(log, what, work) {
  log(`${what} …`);
  const start = Date.now();
  await work();
  log(`${what}: done in ${((Date.now() - start) / 1000).toFixed(1)} s`);
}

/** @param {string[]} args @param {{quiet?: boolean}} [options] */
export function npm(args, { quiet } = {}) {
  // The npm that runs this script, if there is one. On Windows `npm` is a batch file that only a shell can start.
  const cli = process.env.npm_execpath;
  const [command, all] = cli?.endsWith('.js') ? [process.execPath, [cli, ...args]] : ['npm', args];
  return runToEnd(command, all, { quiet, shell: command === 'npm' && process.platform === 'win32' });
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & {quiet?: boolean}} [options] `quiet`: the output is shown only if
 *   it fails
 * @returns {Promise<void>}
 */
export function runToEnd(command, args, { quiet, ...options } = {}) {
  return new Promise((done, failed) => {
    const output = quiet ? 'pipe' : 'inherit';
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', output, output], ...options });
    /** @type {Buffer[]} */
    const held = [];
    child.stdout?.on('data', (/** @type {Buffer} */ chunk) => held.push(chunk));
    child.stderr?.on('data', (/** @type {Buffer} */ chunk) => held.push(chunk));
    child.once('error', failed);
    child.once('close', (code, signal) => {
      if (code === 0) return done();
      process.stderr.write(Buffer.concat(held));
      failed(new Error(`${[command, ...args].join(' ')} ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}

/** Names, times and sizes: a deleted file and a checkout of an older commit count as changes too. */
function computeFingerprint(/** @type {string[]} */ paths) {
  const hash = createHash('sha256');
  const visit = (/** @type {string} */ path) => {
    const stat = fs.statSync(join(ROOT, path));
    if (stat.isDirectory()) {
      if (path.endsWith('/dist')) return;
      for (const name of fs.readdirSync(join(ROOT, path)).sort()) visit(`${path}/${name}`);
    } else hash.update(`${path}\n${stat.mtimeMs}\n${stat.size}\n`);
  };
  paths.forEach(visit);
  return hash.digest('hex');
}

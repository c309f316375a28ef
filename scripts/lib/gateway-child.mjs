/** The built gateway as a child process that ends with its parent. Uses only node: built-ins. */
import * as fs from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { tail } from './files.mjs';
import { ENVIRONMENT, START } from './production.mjs';
import { spawnTethered } from './tethered.mjs';
import { ROOT } from './toolchain.mjs';

const READY_TIMEOUT_MS = 60_000;
/** The gateway gives requests in flight 35 s (a forwarded one may take 30 s). */
const DRAIN_TIMEOUT_MS = 40_000;

/**
 * Starts the built API and waits until it is ready.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} url
 * @param {string | null} logFile null: the log goes to the terminal
 */
export async function startGateway(env, url, logFile) {
  const output = logFile === null ? /** @type {const} */ ('inherit') : openLog(logFile);
  const logStart = typeof output === 'number' ? fs.fstatSync(output).size : 0;
  /** @param {string} what */
  const failure = (what) =>
    new Error(logFile === null ? what : `${what}. Its log, ${logFile}, ends:\n${tail(logFile, 12, logStart)}`);
  const child = spawnTethered(process.execPath, START, {
    signal: 'TERM',
    stdout: output,
    env: { ...ENVIRONMENT, ...env },
    cwd: ROOT,
  });
  if (typeof output === 'number') fs.closeSync(output);
  let gone = false;
  void child.exited.then(() => (gone = true));
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await answersOk(`${url}/ready`))) {
    if (gone || Date.now() > deadline) {
      child.kill();
      throw failure('The gateway did not start');
    }
    await delay(50);
  }
  // If our gateway could not listen and is exiting, another program may have answered on that port.
  if (gone) throw failure('The gateway did not start');
  return {
    exited: child.exited.then(({ code, signal }) =>
      failure(`The gateway ended unexpectedly (${signal ?? `exit code ${code}`})`),
    ),
    kill: child.kill,
    stop: async () => {
      child.release();
      const drained = await Promise.race([child.exited, delay(DRAIN_TIMEOUT_MS, null, { ref: false })]);
      if (!drained) child.kill();
      await child.exited;
    },
  };
}

function openLog(/** @type {string} */ file) {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 20 * 2 ** 20) fs.renameSync(file, `${file}.1`);
  return fs.openSync(file, 'a', 0o600);
}

async function answersOk(/** @type {string} */ url) {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}

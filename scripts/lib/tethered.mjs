/**
 * Child processes that end with their parent, even after `kill -9`.
 * Only node: built-ins: it runs before anything is installed.
 */
import { spawn } from 'node:child_process';
import process from 'node:process';

/**
 * The watcher's `cat` ends when our end of the pipe closes, for whatever reason, and passes the signal on. `detached`
 * keeps Ctrl-C in the terminal away from the child: the parent decides in which order things stop.
 */
const TETHER = `"$@" </dev/null 3<&- & p=$!
trap "" INT TERM HUP
(cat >/dev/null; kill -$TETHER_SIGNAL $p 2>/dev/null) <&3 &
w=$!
wait $p; code=$?
kill $w 2>/dev/null
exit $code`;

/**
 * @typedef {object} Tethered
 * @property {() => void} release ask it to end (the signal is sent)
 * @property {() => void} kill end it and all of its own children at once
 * @property {Promise<{code: number | null, signal: NodeJS.Signals | null}>} exited never rejects
 */

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{
 *   signal: 'INT' | 'TERM',
 *   stdout: number | 'inherit' | 'ignore',
 *   env?: NodeJS.ProcessEnv,
 *   cwd?: string,
 *   uid?: number,
 *   gid?: number,
 * }} options `signal`: what the child takes as "please end"; `stdout`: where both output streams go
 * @returns {Tethered}
 */
export function spawnTethered(command, args, { signal, stdout, env = process.env, ...rest }) {
  const windows = process.platform === 'win32';
  const child = windows
    ? spawn(command, args, { ...rest, env, stdio: ['ignore', stdout, stdout], windowsHide: true })
    : spawn('/bin/sh', ['-c', TETHER, 'tether', command, ...args], {
        ...rest,
        env: { ...env, TETHER_SIGNAL: signal },
        stdio: ['ignore', stdout, stdout, 'pipe'],
        detached: true,
      });
  const tether = /** @type {import('node:stream').Writable | undefined} */ (child.stdio[3]);
  // The pipe breaks when the child ends first; `exited` tells of that.
  tether?.on('error', () => {});

  /** @type {Tethered['exited']} */
  const exited = new Promise((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }));
    child.once('exit', (code, killedBy) => {
      tether?.destroy();
      resolve({ code, signal: killedBy });
    });
  });
  return {
    release: () => (tether ? tether.destroy() : child.kill(`SIG${signal}`)),
    kill: () => {
      try {
        if (windows || child.pid === undefined) child.kill('SIGKILL');
        else process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Already gone.
      }
    },
    exited,
  };
}

/** @param {number} pid @returns {boolean} */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Child processes that end with their parent, even after `kill -9`. Uses only node: built-ins: it runs before packages
 * are installed.
 */
import { spawn } from 'node:child_process';
import process from 'node:process';

/**
 * The watcher's `cat` ends when our end of the pipe closes, for any reason, and then it sends the signal. `detached`
 * keeps Ctrl-C in the terminal away from the child: the parent decides the order in which things stop.
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
 * @property {() => void} release asks it to end (sends the signal)
 * @property {() => void} kill ends it and all of its children immediately
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
 * }} options `signal`: the signal that asks the child to end; `stdout`: where both output streams go
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
  // The pipe breaks when the child ends first; `exited` reports that.
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
        // It has already ended.
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

/** Starts the parts of a benchmark, and reads their cost from Linux's /proc. */
import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Starts a module as a child process; resolves with its first message. */
export function start(path, env = {}, options = {}) {
  const child = fork(path, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    ...options,
  });
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve({ child, message }));
    child.once('exit', (code) => reject(new Error(`${path} exited with ${code}`)));
  });
}

/** Sends a job to a child and waits for its answer. */
export function ask(child, job) {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the child process ended'));
    child.once('exit', ended);
    child.once('message', (answer) => {
      child.off('exit', ended);
      resolve(answer);
    });
    child.send(job);
  });
}

/** CPU seconds that the processes and their descendants have used so far. Ended children count for their parent. */
export function cpuSeconds(pids) {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /, '')
          .split(' ');
        const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
        return [{ pid: Number(name), parent: Number(fields[1]), ticks }];
      } catch {
        return [];
      }
    });
  const wanted = new Set(pids);
  for (let size = -1; size !== wanted.size;) {
    size = wanted.size;
    for (const { pid, parent } of stats) if (wanted.has(parent)) wanted.add(pid);
  }
  return stats.filter(({ pid }) => wanted.has(pid)).reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND;
}

/** Resident memory in megabytes. */
export function rssMb(pid) {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) / 1024;
}

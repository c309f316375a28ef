/** The ways in which a terminal asks a script to stop. Uses only node: built-ins. */
import process from 'node:process';

/** Calls `stop` for every signal, also for a second one. @param {() => unknown} stop */
export function onStopSignal(stop) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop());
  // npm puts a shell between itself and this process. SIGTERM to npm ends that shell without a signal to us.
  if (!process.env.npm_lifecycle_event) return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    void stop();
  }, 500).unref();
}

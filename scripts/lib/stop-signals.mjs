/** The ways in which a terminal asks a script to stop. Only node: built-ins. */
import process from 'node:process';

/** Calls `stop` for every signal, a second one included. @param {() => unknown} stop */
export function onStopSignal(stop) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop());
  // npm puts a shell between itself and us; SIGTERM to npm ends that shell, and nobody tells us.
  if (!process.env.npm_lifecycle_event) return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    void stop();
  }, 500).unref();
}

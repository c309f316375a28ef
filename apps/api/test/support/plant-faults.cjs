// @ts-nocheck: it replaces globals whose types are read-only.
/**
 * Node loads this file before the gateway. Each timer, each listener and one promise per call site then fails once,
 * after it has done its work. This covers only call sites in our own files, not in libraries. Each fault is reported on
 * standard error. The faults start with SIGUSR2, because a failure during startup may end the gateway.
 */
const { EventEmitter } = require('node:events');
const { Readable } = require('node:stream');

const OURS = /\/dist\/(?:apps|libs)\/[^:]*/;
/** Listeners for the end of the process and for uncaught errors, such as those that this file causes. */
const NEVER = new Set(['exit', 'uncaughtException', 'SIGTERM', 'SIGINT']);
const INTERVAL_MAX_MS = 200;
const failed = new Set();
let begun = false;
process.once('SIGUSR2', () => (begun = true));

/** @returns {string} our file that made the call, or an empty string */
function caller() {
  // The frames of `caller`, of the patched function and of its caller.
  const frame = new Error().stack.split('\n')[3] ?? '';
  return OURS.exec(frame)?.[0].replace(/^.*\//, '') ?? '';
}

function failing(kind, site, callback) {
  return function (...args) {
    const result = callback.apply(this, args);
    const name = `${kind} in ${site}`;
    if (!begun || failed.has(name)) return result;
    failed.add(name);
    process.stderr.write(`planted: ${name}\n`);
    Promise.reject(new Error(`planted, rejected: ${name}`));
    throw new Error(`planted: ${name}`);
  };
}

for (const kind of ['setTimeout', 'setInterval', 'setImmediate']) {
  const original = globalThis[kind];
  globalThis[kind] = function (callback, ms, ...rest) {
    const site = caller();
    if (site === '') return original(callback, ms, ...rest);
    return original(
      failing(kind, site, callback),
      kind === 'setInterval' ? Math.min(ms, INTERVAL_MAX_MS) : ms,
      ...rest,
    );
  };
  Object.assign(globalThis[kind], original);
}

for (const [prototype, kind] of [
  [EventEmitter.prototype, 'on'],
  [EventEmitter.prototype, 'once'],
  // `Readable` has its own `on`, which calls the one of `EventEmitter`.
  [Readable.prototype, 'on'],
]) {
  const original = prototype[kind];
  prototype[kind] = function (event, listener) {
    const site = NEVER.has(event) ? '' : caller();
    return original.call(this, event, site === '' ? listener : failing(`listener to ${String(event)}`, site, listener));
  };
}

// @ts-nocheck: it replaces what the types say nobody replaces.
/**
 * Loaded before the gateway: every timer, every listener and one promise for each of them fails once, after it has done its
 * work. Only those count that a file of ours sets: what libraries set, they answer for. Says each on standard error. Begins
 * with SIGUSR2, since a gateway that is only starting may end.
 */
const { EventEmitter } = require('node:events');
const { Readable } = require('node:stream');

const OURS = /\/dist\/(?:apps|libs)\/[^:]*/;
/** Of a process that ends, and of Node's own way to hear of the faults that are planted here. */
const NEVER = new Set(['exit', 'uncaughtException', 'SIGTERM', 'SIGINT']);
const INTERVAL_MAX_MS = 200;
const failed = new Set();
let begun = false;
process.once('SIGUSR2', () => (begun = true));

/** @returns {string} the file of ours that has called, or nothing */
function caller() {
  // The frames of `caller`, of the patched function, of who called that.
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
  // It has its own, and comes to the first by way of that.
  [Readable.prototype, 'on'],
]) {
  const original = prototype[kind];
  prototype[kind] = function (event, listener) {
    const site = NEVER.has(event) ? '' : caller();
    return original.call(this, event, site === '' ? listener : failing(`listener to ${String(event)}`, site, listener));
  };
}

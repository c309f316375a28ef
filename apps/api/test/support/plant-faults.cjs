// @ts-nocheck: it defines globals and replaces an export of Node.
/**
 * Node loads this file before the gateway. Each call site then fails once, after it has done its work: it throws, and
 * leaves a rejected promise. The first threads of each kind fail too, in each way in which a thread can. Each fault is
 * reported on standard error. The faults start with SIGUSR2, because a failure during startup may end the gateway.
 */
const { promises: dns } = require('node:dns');
const { register, syncBuiltinESMExports } = require('node:module');
const { basename, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const threads = require('node:worker_threads');

const INTERVAL_MAX_MS = 200;
/** Time limits by call site, in place of the gateway's own. */
const LIMITS_MS = JSON.parse(process.env.PLANTED_LIMITS ?? '{}');
/** Call sites that never fail, or have failed. An error in the handler of uncaught errors ends any process. */
const failed = new Set(['main: uncaughtException in the module']);
/** If given, only these call sites fail. */
const ONLY = process.env.PLANTED_ONLY ? new Set(JSON.parse(process.env.PLANTED_ONLY)) : null;
const wrapped = new WeakMap();
let begun = false;
process.once('SIGUSR2', () => {
  begun = true;
  process.stderr.write('planted faults begin\n');
  // What waits for a garbage collection happens too.
  setFlagsFromString('--expose-gc');
  setInterval(runInNewContext('gc'), 2000).unref();
});

globalThis.plantedFault = (name) => {
  if (!begun || failed.has(name) || ONLY?.has(name) === false) return;
  failed.add(name);
  process.stderr.write(`planted: ${name}\n`);
  Promise.reject(new Error(`planted, rejected: ${name}`));
  throw new Error(`planted: ${name}`);
};

globalThis.plantedIn = (name, callback) => {
  const known = wrapped.get(callback)?.get(name);
  if (known !== undefined) return known;
  const failing = function (...args) {
    try {
      return callback.apply(this, args);
    } finally {
      globalThis.plantedFault(name);
    }
  };
  // Node looks here when the original listener is removed.
  failing.listener = callback;
  wrapped.set(callback, (wrapped.get(callback) ?? new Map()).set(name, failing));
  return failing;
};

globalThis.plantedMs = (name, ms) =>
  LIMITS_MS[name] ?? (name.includes(': setInterval in ') ? Math.min(ms, INTERVAL_MAX_MS) : ms);

const THREAD_FAULTS = {
  throws: "throw new Error('planted in a thread')",
  ends: 'process.exit(0)',
  'uses too much memory': 'const all = []; for (;;) all.push(new Array(1000).fill(0))',
  hangs: 'setInterval(() => undefined, 1000)',
};
const LITTLE_MEMORY = { maxOldGenerationSizeMb: 16 };
/** Which threads fail, by the name of their file. */
const FAILING_THREADS = JSON.parse(process.env.PLANTED_THREADS ?? '{}');

threads.Worker = class extends threads.Worker {
  constructor(url, options) {
    const fault = begun ? FAILING_THREADS[basename(String(url))]?.shift() : undefined;
    if (fault === undefined) super(url, options);
    else {
      process.stderr.write(`planted: a thread ${fault}\n`);
      super(THREAD_FAULTS[fault], { ...options, resourceLimits: LITTLE_MEMORY, eval: true });
    }
  }
};
const { PLANTED_NAMESERVER } = process.env;
if (PLANTED_NAMESERVER) {
  dns.Resolver = class extends dns.Resolver {
    constructor(options) {
      super(options);
      this.setServers([PLANTED_NAMESERVER]);
    }
  };
}
syncBuiltinESMExports();
// Node loads this file in the thread of the hooks, too.
if (threads.isMainThread) register(pathToFileURL(join(__dirname, 'plant-hooks.mjs')));

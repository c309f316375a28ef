import { Worker } from 'node:worker_threads';
import { errors } from '../errors.js';
import { parseLargeJsonObject } from './json-parser.js';

type Answer = { json: string } | { fault: string };

/** The largest body of ordinary YAML takes a third of this time. */
const TIMEOUT_MS = 10_000;
const HEAP_MAX_MB = 512;

/** One at a time, because two large ones would need twice the memory. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads YAML without features that JSON lacks, with the limits of JSON bodies.
 * @throws ApiError 400 that says where the fault is
 */
export function parseYamlObject(bytes: Uint8Array): Promise<object> {
  const next = last
    .then(() => toJson(bytes))
    .then((json) => parseLargeJsonObject(Uint8Array.from(Buffer.from(json)), 'YAML'));
  last = next.catch(() => undefined);
  return next;
}

function toJson(bytes: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const refuse = (fault: string): void => reject(errors.invalidYaml(fault));
    // Plain JavaScript, so that the thread can load it both from the sources (in tests) and from the build.
    const worker = new Worker(new URL('./yaml-worker.mjs', import.meta.url), {
      workerData: bytes,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
      execArgv: [],
    });
    const timer = setTimeout(() => {
      refuse('it takes too long to read; JSON is read faster');
      void worker.terminate();
    }, TIMEOUT_MS);
    worker.once('message', (answer: Answer) => ('json' in answer ? resolve(answer.json) : refuse(answer.fault)));
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') refuse('it needs too much memory to read');
      else reject(errors.unexpected(error));
    });
    worker.once('exit', () => {
      clearTimeout(timer);
      reject(errors.unexpected(new Error('the YAML thread ended without a result')));
    });
  });
}

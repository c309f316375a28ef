import { Worker } from 'node:worker_threads';
import { errors } from '../errors.js';
import { parseLargeJsonObject } from './json-parser.js';
import { SenderQueue } from './sender-queue.js';

type ParsedYaml = { json: string } | { fault: string };

/** The largest body of ordinary YAML takes a third of this time. */
const TIMEOUT_MS = 10_000;
const HEAP_MAX_MB = 512;

interface Waiting {
  bytes: Uint8Array;
  resolve: (value: object) => void;
  reject: (error: unknown) => void;
}

const waiting = new SenderQueue<Waiting>();

/**
 * Reads YAML without features that JSON lacks, with the limits of JSON bodies.
 * @param sender identifies who sent them: senders take turns
 * @throws ApiError 400 that says where the fault is
 */
export function parseYamlObject(bytes: Uint8Array, sender: unknown): Promise<object> {
  return new Promise((resolve, reject) => {
    const isIdle = waiting.isEmpty;
    waiting.add(sender, { bytes, resolve, reject });
    if (isIdle) void readAll();
  });
}

/** One at a time, because two large ones would need twice the memory. */
async function readAll(): Promise<void> {
  for (let next = waiting.next; next !== undefined; next = waiting.next) {
    await toObject(next.bytes).then(next.resolve, next.reject);
    waiting.take();
  }
}

const toObject = async (bytes: Uint8Array): Promise<object> =>
  parseLargeJsonObject(Uint8Array.from(Buffer.from(await toJson(bytes))), 'YAML');

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
    worker.once('message', (answer: ParsedYaml) => ('json' in answer ? resolve(answer.json) : refuse(answer.fault)));
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

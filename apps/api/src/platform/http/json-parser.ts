import { Worker } from 'node:worker_threads';
import { JSON_MAX_DEPTH, JSON_MAX_KEYS, JSON_MAX_VALUES } from '#contracts/limits';
import { errors, type ApiError } from '../errors.js';
import { parseSafely, type JsonFault, type SafeJson } from './safe-json.mjs';

const LIMITS = { depth: JSON_MAX_DEPTH, keys: JSON_MAX_KEYS, values: JSON_MAX_VALUES };
/** Above this, parsing takes long enough for others to notice. */
const ELSEWHERE_BYTES = 256 * 1024;
const HEAP_MAX_MB = 512;
/** An idle thread takes 30 MB, and starts anew in a twentieth of a second. */
const IDLE_MS = 3_000;

/** @throws ApiError 400 for anything but one JSON object that is safe to walk */
export function parseJsonObject(bytes: Uint8Array): object {
  return unwrap(parseSafely(bytes, LIMITS));
}

/** The same; large ones are parsed in a thread of their own. The bytes may be gone afterwards. */
export function parseLargeJsonObject(bytes: Uint8Array<ArrayBuffer>): object | Promise<object> {
  return bytes.length <= ELSEWHERE_BYTES ? parseJsonObject(bytes) : parser.parse(bytes).then(unwrap);
}

function unwrap(result: SafeJson): object {
  if ('fault' in result) throw toApiError(result.fault);
  return result.value;
}

function toApiError(fault: JsonFault): ApiError {
  if (fault.kind === 'json') return errors.invalidJson(fault.where);
  return fault.kind === 'invalid' ? errors.invalid(fault.message) : errors.notAnObject();
}

interface Waiting {
  resolve: (result: SafeJson) => void;
  reject: (error: Error) => void;
}

/** One thread for the process, that parses one after the other. It starts with the first, and ends when it has nothing to do. */
class ParserThread {
  private worker: Worker | null = null;
  private idle: NodeJS.Timeout | undefined;
  private readonly waiting: Waiting[] = [];

  parse(bytes: Uint8Array<ArrayBuffer>): Promise<SafeJson> {
    return new Promise((resolve, reject) => {
      const worker = (this.worker ??= this.start());
      this.waiting.push({ resolve, reject });
      clearTimeout(this.idle);
      // A process that has nothing else to do may end, but not while somebody waits.
      worker.ref();
      // Moved, not copied, where they have their memory to themselves.
      const whole = bytes.byteLength === bytes.buffer.byteLength;
      worker.postMessage({ bytes, limits: LIMITS }, whole ? [bytes.buffer] : []);
    });
  }

  private start(): Worker {
    const worker = new Worker(new URL('./json-worker.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
      execArgv: [],
    });
    worker.on('message', (result: SafeJson) => {
      this.waiting.shift()?.resolve(result);
      if (this.waiting.length === 0) this.rest(worker);
    });
    worker.on('error', (error) => this.lost(worker, error));
    worker.on('exit', () => this.lost(worker, new Error('the JSON thread ended without an answer')));
    return worker;
  }

  private rest(worker: Worker): void {
    worker.unref();
    this.idle = setTimeout(() => {
      this.worker = null;
      void worker.terminate();
    }, IDLE_MS).unref();
  }

  private lost(worker: Worker, error: Error): void {
    if (this.worker !== worker) return;
    this.worker = null;
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}

const parser = new ParserThread();

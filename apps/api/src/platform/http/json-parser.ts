import { Worker } from 'node:worker_threads';
import { JSON_MAX_DEPTH, JSON_MAX_KEYS, JSON_MAX_VALUES } from '#contracts/limits';
import { errors, type ApiError } from '../errors.js';
import type { BodyBudget } from './body-budget.js';
import { parseSafely, type JsonFault, type SafeJson } from './safe-json.mjs';
import { SenderQueue } from './sender-queue.js';

const LIMITS = { depth: JSON_MAX_DEPTH, keys: JSON_MAX_KEYS, values: JSON_MAX_VALUES };
/** Parsing larger bodies on the main thread would noticeably delay other requests. */
const ELSEWHERE_BYTES = 256 * 1024;
const HEAP_MAX_MB = 512;
/** An idle thread uses 30 MB, and a new one starts in a twentieth of a second. */
const IDLE_MS = 3_000;

/**
 * Parses on the main thread. With tight limits, this costs less than starting a thread, even for a large body.
 * @throws ApiError 400 for anything but one JSON object that is safe to walk
 */
export function parseJsonObject(bytes: Uint8Array, tighter: BodyBudget['json']): object {
  return unwrap(parseSafely(bytes, { ...LIMITS, ...tighter }));
}

/**
 * Like `parseJsonObject`, but parses large bodies in a worker thread. `bytes` may be moved there, so don't use it
 * afterwards.
 * @param sender identifies who sent them: senders take turns
 */
export function parseLargeJsonObject(bytes: Uint8Array<ArrayBuffer>, sender: unknown): object | Promise<object> {
  return bytes.length <= ELSEWHERE_BYTES ? parseJsonObject(bytes, undefined) : parser.parse(bytes, sender).then(unwrap);
}

function unwrap(result: SafeJson): object {
  if ('fault' in result) throw bodyFault(result.fault);
  return result.value;
}

function bodyFault(fault: JsonFault): ApiError {
  if (fault.kind === 'json') return errors.invalidJson(fault.where);
  return fault.kind === 'invalid' ? errors.invalid(fault.message) : errors.notAnObject();
}

interface Waiting {
  bytes: Uint8Array<ArrayBuffer>;
  resolve: (result: SafeJson) => void;
  reject: (error: Error) => void;
}

/**
 * One worker thread for the process, which parses bodies one after the other. It starts on demand and ends when it is
 * idle. It takes a second for 60 MB, so senders take turns, and each waits for at most one body of every other.
 */
class ParserThread {
  private worker: Worker | null = null;
  private idle: NodeJS.Timeout | undefined;
  /** The thread has the next one. */
  private readonly waiting = new SenderQueue<Waiting>();

  parse(bytes: Uint8Array<ArrayBuffer>, sender: unknown): Promise<SafeJson> {
    return new Promise((resolve, reject) => {
      this.worker ??= this.start();
      const isIdle = this.waiting.isEmpty;
      this.waiting.add(sender, { bytes, resolve, reject });
      if (isIdle) this.send();
    });
  }

  private send(): void {
    const { bytes } = this.waiting.next!;
    const worker = (this.worker ??= this.start());
    clearTimeout(this.idle);
    // Keeps the process alive while a result is awaited.
    worker.ref();
    // Moves the bytes to the worker instead of copying them, if they fill their buffer.
    const whole = bytes.byteLength === bytes.buffer.byteLength;
    worker.postMessage({ bytes, limits: LIMITS }, whole ? [bytes.buffer] : []);
  }

  private start(): Worker {
    const worker = new Worker(new URL('./json-worker.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
      execArgv: [],
    });
    worker.on('message', (result: SafeJson) => {
      this.waiting.take()?.resolve(result);
      if (!this.waiting.isEmpty) this.send();
      else this.rest(worker);
    });
    worker.on('error', (error) => this.lost(worker, error));
    worker.on('exit', () => this.lost(worker, new Error('the JSON thread ended without a result')));
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
    this.waiting.take()?.reject(error);
    if (!this.waiting.isEmpty) this.send();
  }
}

const parser = new ParserThread();

/** The built gateway as a child process that a scenario can kill, stop and restart, always on the same port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { ENVIRONMENT, START } from '../../../scripts/lib/production.mjs';

const START_LIMIT_MS = 60_000;
const OUTPUT_KEPT = 1_000_000;

export class GatewayProcess {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #environment;
  output = '';

  /** @param {number} port @param {Record<string, string>} environment */
  constructor(port, environment) {
    this.port = port;
    this.origin = `http://127.0.0.1:${port}`;
    this.#environment = environment;
  }

  /** @returns {Promise<number>} milliseconds until it was ready */
  async start() {
    const startMs = performance.now();
    const child = spawn(process.execPath, START, {
      env: {
        PATH: process.env.PATH,
        HOST: '127.0.0.1',
        LOG_LEVEL: 'warn',
        ...ENVIRONMENT,
        ...this.#environment,
        PORT: String(this.port),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const keep = (/** @type {Buffer} */ chunk) => (this.output = (this.output + chunk.toString()).slice(-OUTPUT_KEPT));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    while (!(await this.ready())) {
      if (child.exitCode !== null || performance.now() - startMs > START_LIMIT_MS) {
        throw new Error(`the gateway did not start:\n${this.output}`);
      }
      await delay(20);
    }
    return performance.now() - startMs;
  }

  async ready() {
    try {
      const { statusCode, body } = await request(`${this.origin}/ready`, { headersTimeout: 10_000, reset: true });
      await body.dump();
      return statusCode === 200;
    } catch {
      return false;
    }
  }

  /** SIGKILL: no code of the gateway runs after this. */
  async kill() {
    await this.#end('SIGKILL');
  }

  /** SIGTERM. @returns {Promise<{code: number | null, ms: number}>} */
  async stop() {
    const startMs = performance.now();
    const code = await this.#end('SIGTERM');
    return { code, ms: performance.now() - startMs };
  }

  /** @param {NodeJS.Signals} signal @returns {Promise<number | null>} the exit code */
  async #end(signal) {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const exited = once(child, 'exit');
    child.kill(signal);
    return (await exited)[0];
  }

  get runs() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid() {
    return this.#child?.pid ?? 0;
  }

  /** Resident memory in megabytes (Linux). */
  rssMb() {
    const [, kB] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8')) ?? [];
    return Number(kB) / 1024;
  }

  /** Open file descriptors (Linux). */
  handles() {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }
}

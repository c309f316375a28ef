import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request, type AnonymousRequest } from '../corpus/anonymous-requests.js';
import { startChildGateway, type ChildGateway } from './child-gateway.js';

/** The CPU time that the process, or its main thread alone, has used, in microseconds. */
export type CpuScope = 'process' | 'mainThread';

interface Comparison {
  /** How many times the CPU of `/health` one such request costs. */
  ratio: number;
  milliseconds: number;
}

/** Equal requests at once, because the cost of the measurement is then small compared with theirs. */
const ROUNDS = 8;
const ATTEMPTS = 8;
/** The first answers load and compile code. */
const WARM_UP = 30;
/** No test waits for an answer that does not come, such as the answer to a request without a request line. */
const PATIENCE_MS = 5_000;
const HEALTH = request('GET', '/health');

/** A built gateway that tells how much CPU its answers cost. */
export class MeteredGateway {
  private constructor(
    readonly gateway: ChildGateway,
    private readonly directory: string,
  ) {}

  static async start(settings: Record<string, string>): Promise<MeteredGateway> {
    const directory = mkdtempSync(join(tmpdir(), 'agw-cpu-'));
    const gateway = await startChildGateway(
      { ...settings, CPU_REPORT_SOCKET: join(directory, 'socket') },
      join(process.cwd(), 'apps/api/test/support/cpu-report.cjs'),
    );
    const metered = new MeteredGateway(gateway, directory);
    for (let n = 0; n < WARM_UP; n += 1) await metered.measureCost(HEALTH);
    return metered;
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /**
   * Background work, compilation and other processes make single measurements too large. So the lowest of several
   * measurements counts. The request and `/health` are measured at about the same time, because the machine may be
   * slower later.
   * @param enough no further attempt is made when the ratio is not larger
   */
  async compare(asked: AnonymousRequest, enough: number, of: CpuScope = 'process'): Promise<Comparison> {
    let [cost, health] = [Infinity, Infinity];
    for (let attempt = 0; attempt < ATTEMPTS && !(cost / health <= enough); attempt += 1) {
      cost = Math.min(cost, await this.measureCost(asked, of));
      health = Math.min(health, await this.measureCost(HEALTH, of));
    }
    return { ratio: cost / health, milliseconds: cost / 1000 };
  }

  /** @returns microseconds for one of several equal requests */
  async measureCost({ bytes }: AnonymousRequest, of: CpuScope = 'process'): Promise<number> {
    const port = Number(new URL(this.gateway.url).port);
    const before = await this.used(of);
    await Promise.all(Array.from({ length: ROUNDS }, () => send(port, bytes)));
    return ((await this.used(of)) - before) / ROUNDS;
  }

  private used(of: CpuScope): Promise<number> {
    return new Promise((resolve, reject) => {
      let text = '';
      connect(join(this.directory, 'socket'))
        .on('data', (chunk) => (text += chunk.toString()))
        .on('end', () => resolve((JSON.parse(text) as Record<CpuScope, number>)[of]))
        .on('error', reject);
    });
  }
}

/** Sends these bytes and drops the answer. The gateway closes the connection at its end. */
function send(port: number, bytes: (string | Buffer)[]): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of bytes) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
    socket.resume();
  });
}

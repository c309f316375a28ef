import { Injectable } from '@nestjs/common';
import { Log } from './logging.js';

/** Owns work that nobody waits for: logs its failures, and lets shutdown and tests wait for it. */
@Injectable()
export class BackgroundWork {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly log: Log) {}

  run(name: string, work: () => Promise<unknown>): void {
    const task = this.attempt(name, work).finally(() => this.running.delete(task));
    this.running.add(task);
  }

  private async attempt(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (err) {
      this.log.error({ err, task: name }, 'background work failed');
    }
  }

  /** Resolves when nothing is running, work that was started meanwhile included. */
  async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }
}

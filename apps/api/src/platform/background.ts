import { Injectable } from '@nestjs/common';
import { Log } from './logging.js';

/** Runs work in the background, logs its failures, and lets shutdown and tests wait until it is done. */
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

  /** Resolves when no work is running, including work that starts while it waits. */
  async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BackgroundWork } from './background.js';
import { AuditConfig } from './config.js';

const DAY_MS = 86_400_000;
/** The rows that one statement deletes. Short statements keep locks and log small, and reach no timeout. */
const BATCH = 5000;

/**
 * Deletes rows that are older than `AUDIT_RETENTION_DAYS`, safely on several instances. Each part deletes from its own
 * tables. See docs/reference/audit.md#retention.
 */
@Injectable()
export class Retention {
  constructor(
    private readonly source: DataSource,
    private readonly config: AuditConfig,
    private readonly background: BackgroundWork,
  ) {}

  /** Runs a part's deletion in the background. */
  schedule(purge: () => Promise<number>): void {
    if (this.config.retentionDays > 0) this.background.run('retention', purge);
  }

  /**
   * The moment before which rows are deleted, by the database's clock: an instance whose clock is wrong must not delete
   * too much. Null: they are kept for ever.
   */
  async before(): Promise<Date | null> {
    const { retentionDays } = this.config;
    if (retentionDays === 0) return null;
    const [{ now }]: { now: Date }[] = await this.source.query('SELECT now()');
    return new Date(now.getTime() - retentionDays * DAY_MS);
  }

  /**
   * @param statement SQL that deletes a batch of at most this many rows. $1: the result of `toParameter` for the moment
   * before which rows are deleted
   * @returns how many rows are gone
   */
  async purge(statement: (batch: number) => string, toParameter: (before: Date) => unknown): Promise<number> {
    const before = await this.before();
    if (before === null) return 0;
    const value = toParameter(before);
    for (let total = 0; ;) {
      const [, deleted]: [unknown[], number] = await this.source.query(statement(BATCH), [value]);
      total += deleted;
      if (deleted < BATCH) return total;
    }
  }
}

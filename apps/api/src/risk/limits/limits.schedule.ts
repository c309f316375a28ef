import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { BackgroundWork } from '../../platform/background.js';

/** The rows that one statement deletes. */
const BATCH = 5000;

/** The longest window is a day. The day before stays too, in case the database's clock is set back. */
const PURGE = `
  DELETE FROM limit_counters WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM limit_counters
    WHERE window_start < date_bin('24 hours', now(), 'epoch') - interval '24 hours'
    ORDER BY window_start LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`;

/** Deletes counters of windows that are over. Safe on several instances at once. */
@Injectable()
export class LimitHousekeeping {
  constructor(
    private readonly source: DataSource,
    private readonly background: BackgroundWork,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  schedule(): void {
    this.background.run('limits of earlier days', () => this.purge());
  }

  /** @returns how many are gone */
  async purge(): Promise<number> {
    for (let total = 0; ;) {
      const [, deleted]: [unknown[], number] = await this.source.query(PURGE);
      total += deleted;
      if (deleted < BATCH) return total;
    }
  }
}

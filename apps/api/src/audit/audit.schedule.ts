import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { BackgroundWork } from '../platform/background.js';
import { Retention } from '../platform/retention.js';
import { firstUuidV7 } from '../platform/uuid-v7.js';
import { monthStart, RecordMonths } from './record-months.js';

const OLD_RECORDS = (batch: number): string => `
  DELETE FROM audit_records WHERE id IN
    (SELECT id FROM audit_records WHERE id < $1 LIMIT ${batch} FOR UPDATE SKIP LOCKED)`;

/** Keeps months ahead, and drops the old ones: at start and every hour. */
@Injectable()
export class AuditHousekeeping implements OnApplicationBootstrap {
  constructor(
    private readonly months: RecordMonths,
    private readonly retention: Retention,
    private readonly background: BackgroundWork,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule();
  }

  @Cron(CronExpression.EVERY_HOUR)
  schedule(): void {
    this.background.run('months of records', () => this.months.cutAhead());
    this.retention.schedule(() => this.purge());
  }

  /** @returns how many records were deleted, apart from those of dropped months */
  async purge(): Promise<number> {
    const before = await this.retention.before();
    if (before === null) return 0;
    await this.months.dropBefore(before);
    // The first partition may have several months.
    return this.retention.purge(OLD_RECORDS, (moment) => firstUuidV7(monthStart(moment, 0)));
  }
}

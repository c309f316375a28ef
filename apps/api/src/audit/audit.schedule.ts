import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Retention } from '../platform/retention.js';
import { firstUuidV7 } from '../platform/uuid-v7.js';

const OLD_RECORDS = (batch: number): string => `
  DELETE FROM audit_records WHERE id IN
    (SELECT id FROM audit_records WHERE id < $1 LIMIT ${batch} FOR UPDATE SKIP LOCKED)`;

@Injectable()
export class AuditHousekeeping {
  constructor(private readonly retention: Retention) {}

  @Cron(CronExpression.EVERY_HOUR)
  schedule(): void {
    this.retention.schedule(() => this.purge());
  }

  /** @returns how many records are gone */
  purge(): Promise<number> {
    return this.retention.purge(OLD_RECORDS, (before) => firstUuidV7(before.getTime()));
  }
}

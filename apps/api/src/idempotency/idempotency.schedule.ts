import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { BackgroundWork } from '../platform/background.js';
import { IdempotencySettlement } from './idempotency-settlement.js';

/** Safe on several instances at once: each step is a conditional statement. */
@Injectable()
export class IdempotencyHousekeeping {
  constructor(
    private readonly keys: IdempotencySettlement,
    private readonly background: BackgroundWork,
  ) {}

  @Cron(CronExpression.EVERY_MINUTE)
  settle(): void {
    this.background.run('idempotency claims left by a crash', () => this.keys.settleStale());
  }

  @Cron(CronExpression.EVERY_10_MINUTES)
  purge(): void {
    this.background.run('idempotency records past their day', () => this.keys.purge());
  }
}

import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { BackgroundWork } from '../platform/background.js';
import { ApprovalQueue } from './approval-queue.js';
import { ExecutionClaims } from './execution-claims.js';

/** Safe on several instances at once: each step is a conditional statement. */
@Injectable()
export class ApprovalsHousekeeping {
  constructor(
    private readonly queue: ApprovalQueue,
    private readonly claims: ExecutionClaims,
    private readonly background: BackgroundWork,
  ) {}

  @Cron(CronExpression.EVERY_5_MINUTES)
  expire(): void {
    this.background.run('expiry of actions', () => this.queue.expire());
  }

  @Cron(CronExpression.EVERY_MINUTE)
  settle(): void {
    this.background.run('execution claims left by a crash', () => this.claims.settleStale());
  }
}

import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { BackgroundWork } from '../platform/background.js';
import { Retention } from '../platform/retention.js';
import { ApprovalQueue } from './approval-queue.js';
import { ExecutionClaims } from './execution-claims.js';
import { OlderDenials } from './older-denials.js';

const CLOSED_ACTIONS = (batch: number): string => `
  DELETE FROM actions WHERE id IN
    (SELECT id FROM actions WHERE created_at < $1 AND status IN ('DENIED', 'EXPIRED', 'EXECUTED')
     LIMIT ${batch} FOR UPDATE SKIP LOCKED)`;

/** Safe on several instances at once: each step is a conditional statement. */
@Injectable()
export class ApprovalsHousekeeping {
  constructor(
    private readonly queue: ApprovalQueue,
    private readonly claims: ExecutionClaims,
    private readonly older: OlderDenials,
    private readonly background: BackgroundWork,
    private readonly retention: Retention,
  ) {}

  @Cron(CronExpression.EVERY_5_MINUTES)
  expire(): void {
    this.background.run('expiry of actions', () => this.queue.expire());
  }

  @Cron(CronExpression.EVERY_MINUTE)
  settle(): void {
    this.background.run('execution claims left by a crash', () => this.claims.settleStale());
  }

  @Cron(CronExpression.EVERY_MINUTE)
  compare(): void {
    this.background.run('denials of an earlier version', () => this.older.fill());
  }

  @Cron(CronExpression.EVERY_HOUR)
  retain(): void {
    this.retention.schedule(() => this.purge());
  }

  /** Deletes closed actions past their retention. @returns how many */
  purge(): Promise<number> {
    return this.retention.purge(CLOSED_ACTIONS, (before) => before);
  }
}

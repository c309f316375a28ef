import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { AuditConfig } from '../platform/config.js';
import { firstUuidV7 } from '../platform/uuid-v7.js';

const DAY_MS = 86_400_000;
/** Short statements: locks and log stay small, and a statement never meets its timeout. */
const BATCH = 5000;

/** Deletes audit records and closed actions past `AUDIT_RETENTION_DAYS`. Safe on several instances at once. */
@Injectable()
export class Retention {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly config: AuditConfig,
    private readonly background: BackgroundWork,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  schedule(): void {
    if (this.config.retentionDays > 0) this.background.run('retention', () => this.purge());
  }

  /** @returns how many rows are gone */
  async purge(): Promise<number> {
    if (this.config.retentionDays === 0) return 0;
    const before = new Date(this.clock.nowMs() - this.config.retentionDays * DAY_MS);
    return (
      (await this.purgeAll('audit_records', 'id < $1', firstUuidV7(before.getTime()))) +
      (await this.purgeHours('usage_hours', ['user_id', 'agent_id', 'service_id'], before)) +
      (await this.purgeHours('usage_risk', ['user_id', 'agent_id', 'step'], before)) +
      (await this.purgeAll('actions', `created_at < $1 AND status IN ('DENIED', 'EXPIRED', 'EXECUTED')`, before))
    );
  }

  private async purgeAll(table: 'audit_records' | 'actions', condition: string, value: unknown): Promise<number> {
    for (let total = 0; ;) {
      const [, deleted]: [unknown[], number] = await this.source.query(
        `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${condition} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
        [value],
      );
      total += deleted;
      if (deleted < BATCH) return total;
    }
  }

  /** All but the last before the moment: the totals of later hours are told apart by it. */
  private async purgeHours(table: 'usage_hours' | 'usage_risk', whose: string[], before: Date): Promise<number> {
    const same = whose.map((column) => `n.${column} = h.${column}`).join(' AND ');
    for (let total = 0; ;) {
      const [, deleted]: [unknown[], number] = await this.source.query(
        `DELETE FROM ${table} WHERE (${whose.join(', ')}, hour) IN (
           SELECT ${whose.map((column) => `h.${column}`).join(', ')}, h.hour FROM ${table} h
           WHERE h.hour < $1 AND EXISTS (SELECT FROM ${table} n WHERE ${same} AND n.hour > h.hour AND n.hour < $1)
           LIMIT ${BATCH} FOR UPDATE OF h SKIP LOCKED)`,
        [before],
      );
      total += deleted;
      if (deleted < BATCH) return total;
    }
  }
}

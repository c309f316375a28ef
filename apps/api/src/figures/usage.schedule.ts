import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Retention } from '../platform/retention.js';

/** Deletes all hours before the moment except the last one, because totals of later hours are differences to it. */
const oldHours = (table: 'usage_hours' | 'usage_risk', whose: string[], batch: number): string => {
  const same = whose.map((column) => `n.${column} = h.${column}`).join(' AND ');
  return `
    DELETE FROM ${table} WHERE (${whose.join(', ')}, hour) IN (
      SELECT ${whose.map((column) => `h.${column}`).join(', ')}, h.hour FROM ${table} h
      WHERE h.hour < $1 AND EXISTS (SELECT FROM ${table} n WHERE ${same} AND n.hour > h.hour AND n.hour < $1)
      LIMIT ${batch} FOR UPDATE OF h SKIP LOCKED)`;
};

@Injectable()
export class UsageHousekeeping {
  constructor(private readonly retention: Retention) {}

  @Cron(CronExpression.EVERY_HOUR)
  schedule(): void {
    this.retention.schedule(() => this.purge());
  }

  /** @returns how many rows are gone */
  async purge(): Promise<number> {
    const of = (table: 'usage_hours' | 'usage_risk', whose: string[]) =>
      this.retention.purge(
        (batch) => oldHours(table, whose, batch),
        (before) => before,
      );
    return (
      (await of('usage_hours', ['workspace_id', 'agent_id', 'service_id'])) +
      (await of('usage_risk', ['workspace_id', 'agent_id', 'step']))
    );
  }
}

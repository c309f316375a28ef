import { Injectable } from '@nestjs/common';
import type { LimitUse } from '#contracts';
import { LIMIT_WINDOW_SECONDS } from '#contracts/states';
import { SqlPool } from '../../platform/fast-lane/sql-pool.js';
import type { LimitState, LimitToCount } from './limit-to-count.js';

/** SQL: the counters that a window from `since` on contains. A rule that had shorter windows before has several. */
export const usedSql = (rule: string, agent: string, since: string): string =>
  `(SELECT coalesce(sum(c.amount), 0) FROM limit_counters c
    WHERE c.rule_id = ${rule} AND c.agent_id = ${agent} AND c.window_start >= ${since})`;

const READ = `
  SELECT n.rule, u.used::float8 AS used, coalesce(u.used + n.amount <= n.most, false) AS fits,
    greatest(1, ceil(extract(epoch FROM w.since + w.length - now())))::int AS "resetsInSeconds", w.since + w.length AS "resetsAt"
  FROM unnest($2::int[], $3::int[], $4::numeric[], $5::numeric[]) AS n(rule, seconds, most, amount)
  CROSS JOIN LATERAL (SELECT make_interval(secs => n.seconds) AS length,
    date_bin(make_interval(secs => n.seconds), now(), 'epoch') AS since) w
  CROSS JOIN LATERAL (SELECT ${usedSql('n.rule', '$1', 'w.since')} AS used) u`;

interface Row {
  rule: number;
  used: number;
  fits: boolean;
  resetsInSeconds: number;
  resetsAt: Date;
}

/** Reads what an agent has used of limits. Counts nothing: the statement that writes the record of a request does. */
@Injectable()
export class LimitReader {
  constructor(private readonly sql: SqlPool) {}

  /** The state of each limit, as a request would find it now. */
  async read(agentId: number, limits: readonly LimitToCount[]): Promise<(LimitState & { resetsAt: Date })[]> {
    if (limits.length === 0) return [];
    const { rows } = await this.sql.planned<Row>(READ, [
      agentId,
      limits.map(({ rule }) => rule.id),
      limits.map(({ limit }) => LIMIT_WINDOW_SECONDS[limit.per]),
      limits.map(({ limit }) => limit.count),
      limits.map(({ amount }) => amount),
    ]);
    const found = new Map(rows.map((row) => [row.rule, row]));
    return limits.map((limit) => {
      const { rule: _, ...state } = found.get(limit.rule.id)!;
      return { ...limit, ...state };
    });
  }

  /** The same for those who ask what would happen to a request. */
  async use(agentId: number, limits: readonly LimitToCount[]): Promise<LimitUse[]> {
    return toUses(await this.read(agentId, limits));
  }
}

export const toUses = (states: readonly (LimitState & { resetsAt: Date })[]): LimitUse[] =>
  states.map(({ rule, limit, amount, used, resetsAt }) => ({
    rule: rule.name,
    ruleId: rule.id,
    used,
    count: limit.count,
    adds: amount === null ? null : Number(amount),
    resetsAt: resetsAt.toISOString(),
  }));

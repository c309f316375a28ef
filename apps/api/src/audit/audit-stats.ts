import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AgentOutcomes, AuditStats, AuditStatsQuery, DecisionTimes, RiskBucket, TimeBucket } from '#contracts';
import { AuditRecordEntity } from '#database';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import { applyFilter } from './audit-filter.js';

const DAY_MS = 86_400_000;
const DEFAULT_RANGE_MS = 7 * DAY_MS;
/** Hours up to three days, days beyond: at most some hundred bars. */
const HOURLY_UP_TO_MS = 3 * DAY_MS;
const TOP_AGENTS = 10;
const RISK_STEP = 0.05;

const OUTCOMES = `
  count(*) FILTER (WHERE r.outcome = 'forwarded')::int AS forwarded,
  count(*) FILTER (WHERE r.outcome = 'executed')::int AS executed,
  count(*) FILTER (WHERE r.outcome = 'held')::int AS held,
  count(*) FILTER (WHERE r.outcome = 'refused')::int AS refused`;

/** The figures of the history page, over the same filter as its list. */
@Injectable()
export class AuditStatistics {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly risk: RiskConfig,
  ) {}

  async of(userId: number, query: AuditStatsQuery): Promise<AuditStats> {
    const toMs = query.to ? Date.parse(query.to) : this.clock.nowMs();
    const fromMs = query.from ? Date.parse(query.from) : toMs - DEFAULT_RANGE_MS;
    const bucket = query.bucket ?? (toMs - fromMs <= HOURLY_UP_TO_MS ? 'hour' : 'day');
    const range = { ...query, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
    const requests = () =>
      applyFilter(this.source.getRepository(AuditRecordEntity).createQueryBuilder('r'), userId, range).andWhere(
        `r.kind IN ('request', 'execution')`,
      );
    const [overTime, agents, risk, decisions] = await Promise.all([
      requests()
        .select(`date_trunc('${bucket}', r.at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`, 'at')
        .addSelect(OUTCOMES)
        .groupBy('1')
        .orderBy('1')
        .getRawMany<Omit<TimeBucket, 'at'> & { at: Date }>(),
      requests()
        .andWhere('r.agent_name IS NOT NULL')
        .select('r.agent_id', 'id')
        .addSelect('max(r.agent_name)', 'name')
        .addSelect(OUTCOMES)
        .groupBy('r.agent_id')
        .orderBy('count(*)', 'DESC')
        .limit(TOP_AGENTS)
        .getRawMany<Omit<AgentOutcomes, 'agent'> & { id: number | null; name: string }>(),
      requests()
        .andWhere(`r.kind = 'request' AND r.outcome <> 'previewed' AND r.risk_score IS NOT NULL`)
        .select(`least(floor(r.risk_score / ${RISK_STEP}), ${1 / RISK_STEP - 1})::int`, 'step')
        .addSelect('count(*)::int', 'requests')
        .groupBy('1')
        .orderBy('1')
        .getRawMany<{ step: number; requests: number }>(),
      this.decisions(userId, fromMs, toMs, bucket, query),
    ]);
    const sum = (key: 'forwarded' | 'held' | 'refused'): number => overTime.reduce((total, row) => total + row[key], 0);
    return {
      // An execution is the second half of a request that was held.
      requests: sum('forwarded') + sum('held') + sum('refused'),
      held: sum('held'),
      approved: decisions.approved,
      denied: decisions.denied,
      medianDecisionSeconds: decisions.median,
      bucket,
      overTime: overTime.map((row) => ({ ...row, at: row.at.toISOString() })),
      decisionTimes: decisions.times,
      agents: agents.map(({ id, name, ...counts }) => ({ ...counts, agent: { id, name } })),
      risk: risk.map(({ step, requests }): RiskBucket => ({
        from: Math.round(step * RISK_STEP * 100) / 100,
        requests,
      })),
      riskThreshold: this.risk.threshold,
    };
  }

  private async decisions(userId: number, fromMs: number, toMs: number, bucket: string, query: AuditStatsQuery) {
    const decided = `
      SELECT status, resolved_at, extract(epoch FROM resolved_at - created_at) AS seconds,
             date_trunc('${bucket}', resolved_at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS at
      FROM actions
      WHERE user_id = $1 AND created_at >= $2 AND created_at < $3 AND resolved_at IS NOT NULL
        AND ($4::int IS NULL OR agent_id = $4) AND ($5::int IS NULL OR service_id = $5)
        AND ($6::text IS NULL OR method = $6)`;
    const values = [
      userId,
      new Date(fromMs),
      new Date(toMs),
      query.agentId ?? null,
      query.serviceId ?? null,
      query.method ?? null,
    ];
    const [[total], times] = (await Promise.all([
      this.source.query(
        `SELECT count(*) FILTER (WHERE status <> 'DENIED')::int AS approved, count(*) FILTER (WHERE status = 'DENIED')::int AS denied,
                percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median FROM (${decided}) d`,
        values,
      ),
      this.source.query(
        `SELECT at, count(*)::int AS decided, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS "p50Seconds",
                percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) AS "p95Seconds"
         FROM (${decided}) d GROUP BY at ORDER BY at`,
        values,
      ),
    ])) as [
      [{ approved: number; denied: number; median: number | null }],
      (Omit<DecisionTimes, 'at'> & { at: Date })[],
    ];
    return { ...total, times: times.map((row): DecisionTimes => ({ ...row, at: row.at.toISOString() })) };
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AuditFilter, AuditStats, AuditStatsQuery, DecisionTimes, RiskBucket, TimeBucket } from '#contracts';
import { AuditRecordEntity } from '#database';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { isTimeZone } from '../platform/time-zone.js';
import { RiskConfig } from '../platform/config.js';
import { firstUuidV7 } from '../platform/uuid-v7.js';
import { applyFilter } from '../audit-reading/audit-filter.js';
import {
  COUNTS,
  decisionsSql,
  FilteredFigures,
  TOP_AGENTS,
  type Counts,
  toIso,
  type Buckets,
  type DecisionRow,
  type Figures,
} from './filtered-figures.js';
import { dayStarts } from './day-starts.js';
import { askedAtSql, decidedAsSql } from './decided-as.js';
import { AGENTS_SQL, FoldedUsage, liveRecords } from './folded-usage.js';
import { COUNTED, HOUR_MS, OUTCOMES, RISK_STEP, RISK_STEPS } from './usage-fold.js';

const DAY_MS = 86_400_000;
const DEFAULT_RANGE_MS = 7 * DAY_MS;
/** Hours up to three days, and days for longer ranges: about a hundred bars at most. */
const HOURLY_UP_TO_MS = 3 * DAY_MS;
/** Counting this many records costs as much as one look-up of an agent's totals (5 microseconds). */
const RECORDS_FOR_A_LOOK_UP = 10;

/**
 * Counts the records in the two ranges of ids in $2 to $5. If $6 is not null, counts only the records of this agent.
 * One pass counts them by hour and by step of risk. $7 contains the first id of each hour.
 */
const LIVE = `
  SELECT edge, step, count(*)::int AS requests, ${COUNTS}
  FROM (SELECT outcome, width_bucket(id, $7::uuid[]) AS edge, ${RISK_STEP} AS step
        FROM ${liveRecords(2)} a
        WHERE ${COUNTED} AND ($6::int IS NULL OR agent_id = $6)) r
  GROUP BY GROUPING SETS ((edge), (step))`;

/** The figures of the history page, with the same filter as its list. */
@Injectable()
export class AuditFigures {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly risk: RiskConfig,
    private readonly usage: FoldedUsage,
    private readonly filtered: FilteredFigures,
  ) {}

  async of(workspaceId: number, query: AuditStatsQuery): Promise<AuditStats> {
    const toMs = query.to ? Date.parse(query.to) : this.clock.nowMs();
    const fromMs = query.from ? Date.parse(query.from) : toMs - DEFAULT_RANGE_MS;
    const bucket = query.bucket ?? (toMs - fromMs <= HOURLY_UP_TO_MS ? 'hour' : 'day');
    const { agentId, from: _from, to: _to, bucket: _bucket, timeZone = 'UTC', ...others } = query;
    const folded = Object.values(others).every((value) => value === undefined || value === '');
    if (!isTimeZone(timeZone)) throw errors.invalid('timeZone: must be a time zone like Europe/Berlin');
    // Decisions about the requests of the range may come until now.
    const endMs = Math.max(toMs, this.clock.nowMs());
    const buckets: Buckets = {
      width: bucket,
      starts: bucket === 'hour' ? hourStarts(fromMs, endMs) : dayStarts(fromMs, endMs, timeZone),
    };
    if (folded) {
      const [figures, decisions] = await Promise.all([
        this.fromHours(workspaceId, agentId, fromMs, toMs),
        this.decisions(workspaceId, fromMs, toMs, buckets, agentId),
      ]);
      return this.answer(figures, decisions, buckets, null, null);
    }
    const found = await this.filtered.of(workspaceId, query, fromMs, toMs, buckets);
    const { kind, outcome, decision } = query;
    const ofRequests = (kind === undefined || kind === 'request') && outcome === undefined && decision === undefined;
    return this.answer(found, found.decisions, buckets, ofRequests ? null : found.records, found.countedBackTo);
  }

  /** @param records the number of matching records, if the filter is not for requests of every outcome */
  private answer(
    { overTime, agents, risk }: Figures,
    decisions: DecisionRow[],
    { width, starts }: Buckets,
    records: number | null,
    countedBackTo: string | null,
  ): AuditStats {
    const buckets = inBuckets(overTime, starts);
    const sum = (key: 'forwarded' | 'held' | 'refused'): number => buckets.reduce((total, row) => total + row[key], 0);
    const decided = decisions.find(({ atMs }) => atMs === null);
    return {
      // An execution is the second half of a held request.
      requests: records ?? sum('forwarded') + sum('held') + sum('refused'),
      held: sum('held'),
      approved: decided?.approved ?? 0,
      denied: decided?.denied ?? 0,
      medianDecisionSeconds: decided?.p50 ?? null,
      bucket: width,
      overTime: buckets,
      decisionTimes: decisions.flatMap(({ atMs, approved, denied, p50, p95 }): DecisionTimes[] =>
        atMs === null || p50 === null || p95 === null
          ? []
          : [{ at: new Date(atMs).toISOString(), decided: approved + denied, p50Seconds: p50, p95Seconds: p95 }],
      ),
      agents: agents.map(({ id, name, forwarded, executed, held, refused }) => ({
        forwarded,
        executed,
        held,
        refused,
        agent: { id, name },
      })),
      risk: bySteps(risk),
      riskThreshold: this.risk.threshold,
      countedBackTo,
    };
  }

  /** Reads the hours that are already counted, and the records around them. */
  private fromHours(workspaceId: number, agentId: number | undefined, fromMs: number, toMs: number): Promise<Figures> {
    return this.usage.range(fromMs, Math.max(fromMs, toMs), async (tx, span) => {
      const hours = await this.usage.hours(tx, workspaceId, agentId ?? 0, span);
      const risk = await this.usage.risk(tx, workspaceId, agentId ?? 0, span);
      const live = await tx.query<(Counts & { edge: number | null; step: number | null; requests: number })[]>(LIVE, [
        workspaceId,
        ...span.live,
        agentId ?? null,
        span.liveHours.map(firstUuidV7),
      ]);
      const toHour = ({ edge, ...row }: (typeof live)[number]) =>
        edge === null ? [] : [{ ...row, atMs: span.liveHours[edge - 1] }];
      const toStep = ({ step, requests }: (typeof live)[number]) => (step === null ? [] : [{ step, requests }]);
      const asked = hours.reduce((sum, row) => OUTCOMES.reduce((all, outcome) => all + row[outcome], sum), 0);
      const agentCount = await this.usage.agentsSince(tx, workspaceId, span.hours.from);
      const agents =
        asked < agentCount * RECORDS_FOR_A_LOOK_UP
          ? await this.topAgents(this.records(tx, workspaceId, { agentId }, fromMs, toMs))
          : await tx.query<Figures['agents']>(
              `SELECT agent_id AS id, name, ${OUTCOMES.join(', ')} FROM (${AGENTS_SQL}) a
               ORDER BY forwarded + executed + held + refused DESC, agent_id LIMIT ${TOP_AGENTS}`,
              [...this.usage.values(workspaceId, span), agentId === undefined ? null : [agentId]],
            );
      return {
        overTime: [...hours, ...live.flatMap(toHour)],
        agents: agents.filter((row) => OUTCOMES.some((outcome) => row[outcome] > 0)),
        risk: [...risk, ...live.flatMap(toStep)],
      };
    });
  }

  private records(tx: EntityManager, workspaceId: number, filter: AuditFilter, fromMs: number, toMs: number) {
    const range = { ...filter, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
    return applyFilter(tx.getRepository(AuditRecordEntity).createQueryBuilder('r'), workspaceId, range).andWhere(
      COUNTED,
    );
  }

  private topAgents(records: ReturnType<AuditFigures['records']>): Promise<Figures['agents']> {
    return records
      .andWhere('r.agent_id IS NOT NULL')
      .select('r.agent_id', 'id')
      .addSelect('max(r.agent_name)', 'name')
      .addSelect(COUNTS)
      .groupBy('r.agent_id')
      .orderBy(`count(*) FILTER (WHERE r.outcome IN ('${OUTCOMES.join("', '")}'))`, 'DESC')
      .addOrderBy('r.agent_id')
      .limit(TOP_AGENTS)
      .getRawMany<Figures['agents'][number]>();
  }

  /** The decisions about requests that were held in the range, from their index alone. */
  private decisions(
    workspaceId: number,
    fromMs: number,
    toMs: number,
    { starts }: Buckets,
    agentId: number | undefined,
  ): Promise<DecisionRow[]> {
    const decided = `
      SELECT ${decidedAsSql('actions')} AS decision, resolved_at AS at, ${askedAtSql('actions')} AS asked
      FROM actions
      WHERE workspace_id = $1 AND created_at >= $2 AND created_at < $3 AND resolved_at IS NOT NULL
        AND ($4::int IS NULL OR agent_id = $4)`;
    const values = [workspaceId, new Date(fromMs), new Date(toMs), agentId ?? null, starts.map(toIso)];
    return this.source.query<DecisionRow[]>(decisionsSql('$5', decided), values);
  }
}

/** Hours in UTC. */
function hourStarts(fromMs: number, toMs: number): number[] {
  const starts: number[] = [];
  for (let ms = Math.floor(fromMs / HOUR_MS) * HOUR_MS; ms < toMs; ms += HOUR_MS) starts.push(ms);
  return starts;
}

/** The index of the last start that is not after the moment, or 0. */
function indexOfLast(starts: number[], ms: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= ms) low = middle;
    else high = middle;
  }
  return low;
}

/** Those without a request are left out. An hour belongs to the day in which it began. */
function inBuckets(rows: Figures['overTime'], starts: number[]): TimeBucket[] {
  const buckets = new Map<number, Counts>();
  for (const { atMs, ...row } of rows) {
    const at = starts[indexOfLast(starts, atMs)];
    const bucket = buckets.get(at) ?? { forwarded: 0, executed: 0, held: 0, refused: 0 };
    for (const outcome of OUTCOMES) bucket[outcome] += row[outcome];
    buckets.set(at, bucket);
  }
  return [...buckets]
    .sort(([a], [b]) => a - b)
    .map(([at, { forwarded, executed, held, refused }]) => ({
      at: new Date(at).toISOString(),
      forwarded,
      executed,
      held,
      refused,
    }))
    .filter((bucket) => OUTCOMES.some((outcome) => bucket[outcome] > 0));
}

function bySteps(rows: Figures['risk']): RiskBucket[] {
  const requests = new Array<number>(RISK_STEPS).fill(0);
  for (const row of rows) requests[row.step] += row.requests;
  return requests
    .map((count, step) => ({ from: Math.round((step / RISK_STEPS) * 100) / 100, requests: count }))
    .filter(({ requests: count }) => count > 0);
}

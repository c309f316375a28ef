import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { firstUuidV7, momentOfUuidV7 } from '../platform/uuid-v7.js';
import { AuditConfig } from '../platform/config.js';
import { Clock } from '../platform/clock.js';
import { COUNTED, floorHour, HOUR_MS, OUTCOMES } from './usage-fold.js';

const DAY_MS = 24 * HOUR_MS;

/**
 * A range of time: the hours that are already counted, and the ids around them, whose records are counted when read.
 */
interface UsageSpan {
  /** Whole hours. The last one may be counted only up to the mark. */
  hours: { from: Date; to: Date };
  /** Two ranges of ids. Each includes its first id and excludes its second. */
  live: [string, string, string, string];
  /** The beginnings of the hours that contain records of these ranges. */
  liveHours: number[];
}

interface HourCounts {
  atMs: number;
  forwarded: number;
  executed: number;
  held: number;
  refused: number;
}

const RUNNING = ['requests', ...OUTCOMES];
const array = (of: string): string => `ARRAY[${RUNNING.map((column) => `${of}.${column}`).join(', ')}]`;
/** The totals of agent `t` before a moment, by one index look-up. */
const totalsBefore = (moment: string): string =>
  `(SELECT ${array('h')} FROM usage_hours h WHERE h.workspace_id = $1 AND h.agent_id = t.agent_id AND h.service_id = 0
      AND h.hour < ${moment} ORDER BY h.hour DESC LIMIT 1)`;

/** SQL: the records of workspace $1 in a span's `live`. @param first the number of the parameter with its first id */
export const liveRecords = (first: number): string =>
  `(SELECT * FROM audit_records WHERE workspace_id = $1 AND id >= $${first} AND id < $${first + 1}
    UNION ALL SELECT * FROM audit_records WHERE workspace_id = $1 AND id >= $${first + 2} AND id < $${first + 3})`;

/**
 * SQL: the requests and outcomes of each agent in the range. $1: the workspace. $2, $3: the counted hours. $4 to $7:
 * the ids. $8: the agents, or null for all.
 */
export const AGENTS_SQL = `
  SELECT agent_id, coalesce(max(live_name), max(name)) AS name, ${RUNNING.map((c) => `sum(${c})::int AS ${c}`).join(', ')}
  FROM (
    SELECT agent_id, name, NULL AS live_name,
      ${RUNNING.map((c, index) => `till[${index + 1}] - coalesce(since[${index + 1}], 0) AS ${c}`).join(', ')}
    FROM (
      SELECT t.agent_id, t.name, ${totalsBefore('$2')} AS since,
        CASE WHEN t.last_hour < $3 THEN ${array('t')} ELSE ${totalsBefore('$3')} END AS till
      FROM usage_totals t
      WHERE t.workspace_id = $1 AND t.agent_id <> 0 AND t.service_id = 0 AND t.last_hour >= $2 AND $2 < $3
        AND ($8::bigint[] IS NULL OR t.agent_id = ANY($8))
      OFFSET 0) folded -- otherwise each look-up is made again for each of the columns
    WHERE till IS NOT NULL
    UNION ALL
    SELECT agent_id, NULL, max(agent_name), count(*) FILTER (WHERE kind = 'request'),
      ${OUTCOMES.map((outcome) => `count(*) FILTER (WHERE outcome = '${outcome}')`).join(', ')}
    FROM ${liveRecords(4)} r
    WHERE agent_id IS NOT NULL AND ($8::bigint[] IS NULL OR agent_id = ANY($8)) AND ${COUNTED} GROUP BY agent_id
  ) a GROUP BY agent_id`;

/** The last row before a moment. */
const before = (moment: string, who: string): string =>
  `(SELECT * FROM usage_hours b WHERE ${who} AND b.hour < ${moment} ORDER BY b.hour DESC LIMIT 1)`;

/** Reads the counts of `UsageFold`. */
@Injectable()
export class FoldedUsage {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly config: AuditConfig,
  ) {}

  /** Reads in one snapshot, so that the mark and the counts fit together while the fold continues. */
  range<T>(fromMs: number, toMs: number, read: (tx: EntityManager, span: UsageSpan) => Promise<T>): Promise<T> {
    return this.source.transaction('REPEATABLE READ', async (tx) => read(tx, await this.span(tx, fromMs, toMs)));
  }

  /** Records past their retention don't count. */
  private async span(tx: EntityManager, fromMs: number, toMs: number): Promise<UsageSpan> {
    const [{ folded_to: mark }]: { folded_to: string }[] = await tx.query('SELECT folded_to FROM usage_fold');
    const { retentionDays } = this.config;
    const startMs = retentionDays > 0 ? Math.max(fromMs, this.clock.nowMs() - retentionDays * DAY_MS) : fromMs;
    const start = firstUuidV7(startMs);
    const end = firstUuidV7(toMs);
    const beyondMark = end >= mark;
    const restMs = beyondMark ? momentOfUuidV7(mark) : floorHour(toMs);
    const from = Math.ceil(startMs / HOUR_MS) * HOUR_MS;
    const to = floorHour(restMs) + (beyondMark ? HOUR_MS : 0);
    if (to <= from) {
      const none = new Date(from);
      return { hours: { from: none, to: none }, live: [start, end, end, end], liveHours: listHours(startMs, toMs) };
    }
    return {
      hours: { from: new Date(from), to: new Date(to) },
      live: [start, firstUuidV7(from), beyondMark ? mark : firstUuidV7(restMs), end],
      liveHours: [...listHours(startMs, from), ...listHours(restMs, toMs)],
    };
  }

  values(workspaceId: number, { hours, live }: UsageSpan): unknown[] {
    return [workspaceId, hours.from, hours.to, ...live];
  }

  /** @param agentId 0: all agents of the user */
  async hours(tx: EntityManager, workspaceId: number, agentId: number, { hours }: UsageSpan): Promise<HourCounts[]> {
    const who = 'b.workspace_id = $1 AND b.agent_id = $2 AND b.service_id = 0';
    const rows: HourCounts[] = await tx.query(
      `SELECT (date_part('epoch', b.hour) * 1000)::float AS "atMs", ${OUTCOMES.map((c) => `b.${c}::float`).join(', ')}
       FROM (SELECT * FROM usage_hours b WHERE ${who} AND b.hour >= $3 AND b.hour < $4
             UNION ALL SELECT * FROM ${before('$3', who)} y WHERE $3 < $4::timestamptz) b ORDER BY b.hour`,
      [workspaceId, agentId, hours.from, hours.to],
    );
    const found: HourCounts[] = [];
    let past = { forwarded: 0, executed: 0, held: 0, refused: 0 };
    for (const row of rows) {
      if (row.atMs >= hours.from.getTime()) {
        const hour = { ...row };
        for (const outcome of OUTCOMES) hour[outcome] -= past[outcome];
        found.push(hour);
      }
      past = row;
    }
    return found;
  }

  /** The number of agents with requests since a moment. */
  async agentsSince(tx: EntityManager, workspaceId: number, since: Date): Promise<number> {
    const [{ count }]: { count: number }[] = await tx.query(
      `SELECT count(*)::int FROM usage_totals
       WHERE workspace_id = $1 AND agent_id <> 0 AND service_id = 0 AND last_hour >= $2`,
      [workspaceId, since],
    );
    return count;
  }

  /** Requests by risk score, in steps. @param agentId 0: all agents of the user */
  risk(
    tx: EntityManager,
    workspaceId: number,
    agentId: number,
    { hours }: UsageSpan,
  ): Promise<{ step: number; requests: number }[]> {
    const total = (moment: string): string =>
      `coalesce((SELECT r.requests FROM usage_risk r WHERE r.workspace_id = $1 AND r.agent_id = $2 AND r.step = s
         AND r.hour < ${moment} ORDER BY r.hour DESC LIMIT 1), 0)`;
    return tx.query(
      `SELECT s AS step, (${total('$4')} - ${total('$3')})::int AS requests FROM generate_series(0, 19) s`,
      [workspaceId, agentId, hours.from, hours.to],
    );
  }
}

/** The beginnings of the hours of a range. */
function listHours(fromMs: number, toMs: number): number[] {
  const hours: number[] = [];
  for (let ms = floorHour(fromMs); ms < toMs; ms += HOUR_MS) hours.push(ms);
  return hours;
}

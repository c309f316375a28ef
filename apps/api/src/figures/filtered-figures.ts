import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AuditFilter, AuditStatsQuery } from '#contracts';
import { AuditRecordEntity } from '#database';
import { firstUuidV7, momentOfUuidV7 } from '../platform/uuid-v7.js';
import { applyFilter, searchEdge } from '../audit/audit-filter.js';
import { COUNTED, OUTCOMES, RISK_STEP } from './usage-fold.js';

/** The number of records that the figures of one filter read at most: some tenths of a second. */
const FIGURE_ROWS = 50_000;
export const TOP_AGENTS = 10;

export const COUNTS = OUTCOMES.map(
  (outcome) => `count(*) FILTER (WHERE outcome = '${outcome}')::int AS ${outcome}`,
).join(', ');
const ASKED = OUTCOMES.map((outcome) => `'${outcome}'`).join(', ');

export type Counts = Record<(typeof OUTCOMES)[number], number>;
export interface Figures {
  overTime: (Counts & { atMs: number })[];
  agents: (Counts & { id: number; name: string })[];
  risk: { step: number; requests: number }[];
}

/** Decisions of one bucket of time. `atMs` null: of the whole range. */
export interface DecisionRow {
  atMs: number | null;
  approved: number;
  denied: number;
  p50: number | null;
  p95: number | null;
}

/** SQL over rows of `decision`, `at` and `asked`: one row for each bucket of time, and one for all. */
export const decisionsSql = (bucket: string, decided: string): string => `
  SELECT (date_part('epoch', bucket) * 1000)::float AS "atMs", count(*) FILTER (WHERE decision = 'approved')::int AS approved,
    count(*) FILTER (WHERE decision = 'denied')::int AS denied,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY ms)::float / 1000 AS p50,
    percentile_disc(0.95) WITHIN GROUP (ORDER BY ms)::float / 1000 AS p95
  FROM (SELECT decision, (date_part('epoch', at - asked) * 1000)::bigint AS ms, date_bin('1 ${bucket}', at, 'epoch') AS bucket
        FROM (${decided}) d) d
  WHERE decision IN ('approved', 'denied') GROUP BY GROUPING SETS ((bucket), ()) ORDER BY bucket`;

/** The decisions about the actions of the found requests; and the found records, if these are decisions. */
const DECIDED_REQUESTS = `
  SELECT CASE a.status WHEN 'DENIED' THEN 'denied' ELSE 'approved' END AS decision, a.resolved_at AS at, a.created_at AS asked
  FROM (SELECT DISTINCT action_id FROM found WHERE action_id IS NOT NULL) f
  CROSS JOIN LATERAL (SELECT * FROM actions WHERE id = f.action_id OFFSET 0) a WHERE a.resolved_at IS NOT NULL`;
const DECISIONS = `
  SELECT substr(reason, length('action.') + 1) AS decision, at,
    (SELECT a.created_at FROM actions a WHERE a.id = f.action_id) AS asked
  FROM found f WHERE action_id IS NOT NULL`;

/** The figures of a filter that the hourly counts don't support. Counts the newest matching records, up to a limit. */
@Injectable()
export class FilteredFigures {
  constructor(private readonly source: DataSource) {}

  async of(workspaceId: number, query: AuditStatsQuery, fromMs: number, toMs: number, bucket: string, stepMs: number) {
    const { bucket: _bucket, ...asked } = query;
    const filter: AuditFilter = { ...asked, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
    const rows = (of: AuditFilter) =>
      applyFilter(this.source.getRepository(AuditRecordEntity).createQueryBuilder('r'), workspaceId, of);
    const edge = await searchEdge(rows, filter, FIGURE_ROWS);
    const found = rows(filter);
    if (edge !== null) found.andWhere('r.id >= :edge', { edge });
    found.select('r.id', 'id');
    for (const column of ['at', 'kind', 'outcome', 'reason', 'agent_id', 'agent_name', 'risk_score', 'action_id']) {
      found.addSelect(`r.${column}`, column);
    }
    const [sql, values]: [string, unknown[]] = found.getQueryAndParameters();
    const edges: number[] = [];
    for (let ms = Math.floor(fromMs / stepMs) * stepMs; ms < toMs; ms += stepMs) edges.push(ms);
    const list = (select: string): string => `(SELECT coalesce(json_agg(t), '[]') FROM (${select}) t)`;
    const [figures]: {
      records: number;
      overTime: (Counts & { edge: number })[];
      agents: Figures['agents'];
      risk: Figures['risk'];
      decisions: DecisionRow[];
    }[] = await this.source.query(
      `WITH found AS MATERIALIZED (${sql})
       SELECT (SELECT count(*)::int FROM found) AS records,
         ${list(`SELECT width_bucket(id, $${values.length + 1}::uuid[]) AS edge, ${COUNTS} FROM found WHERE ${COUNTED} GROUP BY 1`)} AS "overTime",
         ${list(`SELECT agent_id AS id, max(agent_name) AS name, ${COUNTS} FROM found WHERE agent_id IS NOT NULL AND ${COUNTED}
                 GROUP BY 1 ORDER BY count(*) FILTER (WHERE outcome IN (${ASKED})) DESC, 1 LIMIT ${TOP_AGENTS}`)} AS agents,
         ${list(`SELECT ${RISK_STEP} AS step, count(*)::int AS requests FROM found
                 WHERE kind = 'request' AND risk_score IS NOT NULL AND ${COUNTED} GROUP BY 1`)} AS risk,
         ${list(decisionsSql(bucket, asksForDecisions(filter) ? DECISIONS : DECIDED_REQUESTS))} AS decisions`,
      [...values, edges.map(firstUuidV7)],
    );
    const { overTime, agents, risk, decisions, records } = figures;
    return {
      overTime: overTime.map(({ edge: index, ...row }) => ({ ...row, atMs: edges[index - 1] })),
      agents,
      risk,
      decisions,
      records,
      countedBackTo: edge === null ? null : new Date(momentOfUuidV7(edge)).toISOString(),
    };
  }
}

const asksForDecisions = ({ kind, decision }: AuditFilter): boolean => kind === 'change' || decision !== undefined;

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AuditFilter, AuditStatsQuery } from '#contracts';
import { AuditRecordEntity } from '#database';
import { firstUuidV7, momentOfUuidV7 } from '../platform/uuid-v7.js';
import { applyFilter, searchEdge } from '../audit-reading/audit-filter.js';
import { waitedAgainSql } from '../audit-reading/undone-approvals.js';
import { askedAtSql, decidedAsSql } from './decided-as.js';
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

/** The buckets of a range of time. */
export interface Buckets {
  width: 'hour' | 'day';
  /** The first moments of all buckets until now, in milliseconds. A decision may come after the range. */
  starts: number[];
}

/**
 * SQL over rows of `decision`, `at` and `asked`: one row for each bucket of time, and one for all.
 * @param starts the parameter with the starts of the buckets, as `timestamptz[]`
 */
export const decisionsSql = (starts: string, decided: string): string => `
  SELECT (date_part('epoch', bucket) * 1000)::float AS "atMs", count(*) FILTER (WHERE decision = 'approved')::int AS approved,
    count(*) FILTER (WHERE decision = 'denied')::int AS denied,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY ms)::float / 1000 AS p50,
    percentile_disc(0.95) WITHIN GROUP (ORDER BY ms)::float / 1000 AS p95
  FROM (SELECT decision, (date_part('epoch', at - asked) * 1000)::bigint AS ms, (${starts}::timestamptz[])[width_bucket(at, ${starts}::timestamptz[])] AS bucket
        FROM (${decided}) d) d
  WHERE decision IN ('approved', 'denied') GROUP BY GROUPING SETS ((bucket), ()) ORDER BY bucket`;

/**
 * `DECIDED_REQUESTS`: the decisions about the actions of the found requests, and about the revisions of these actions.
 * `DECISIONS`: the found records, if these are decisions. As above, an undone approval is no approval.
 */
const DECIDED_REQUESTS = `
  SELECT ${decidedAsSql('a')} AS decision, a.resolved_at AS at, ${askedAtSql('a')} AS asked
  FROM (
    WITH RECURSIVE asked AS (
      SELECT action_id AS id FROM found WHERE action_id IS NOT NULL
      UNION SELECT r.revised_as FROM asked JOIN actions r ON r.id = asked.id WHERE r.revised_as IS NOT NULL)
    SELECT id FROM asked) f
  CROSS JOIN LATERAL (SELECT * FROM actions WHERE id = f.id OFFSET 0) a WHERE a.resolved_at IS NOT NULL`;
const DECISIONS = `
  SELECT CASE WHEN reason = 'action.approved' AND ${waitedAgainSql('f')} THEN 'undone'
    ELSE substr(reason, length('action.') + 1) END AS decision, at,
    (SELECT a.created_at FROM actions a WHERE a.id = f.action_id) AS asked
  FROM found f WHERE action_id IS NOT NULL`;

/** The figures of a filter that the hourly counts don't support. Counts the newest matching records, up to a limit. */
@Injectable()
export class FilteredFigures {
  constructor(private readonly source: DataSource) {}

  async of(workspaceId: number, query: AuditStatsQuery, fromMs: number, toMs: number, { starts }: Buckets) {
    const { bucket: _bucket, timeZone: _timeZone, ...asked } = query;
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
    const edges = starts.filter((ms) => ms < toMs);
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
         ${list(decisionsSql(`$${values.length + 2}`, asksForDecisions(filter) ? DECISIONS : DECIDED_REQUESTS))} AS decisions`,
      [...values, edges.map(firstUuidV7), starts.map(toIso)],
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

/** For a parameter of the type `timestamptz`. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

const asksForDecisions = ({ kind, decision }: AuditFilter): boolean => kind === 'change' || decision !== undefined;

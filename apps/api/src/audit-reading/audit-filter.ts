import { Brackets, type SelectQueryBuilder } from 'typeorm';
import type { AuditFilter } from '#contracts';
import type { AuditRecordEntity } from '#database';
import { firstUuidV7 } from '../platform/uuid-v7.js';
import { APPROVALS, isUndoneSql } from './undone-approvals.js';

type Rows = SelectQueryBuilder<AuditRecordEntity>;

/**
 * The part of the filter that has an index, newest first. The rest needs reads of records: an index for it would be
 * written with every proxied request.
 * @returns `rest`: whether anything is left
 */
export function indexed({ from, to, ...filter }: AuditFilter): { filter: AuditFilter; rest: boolean } {
  const by = narrowest(filter);
  const rest = Object.entries(filter).some(
    ([name, value]) => value !== undefined && value !== '' && by[name as keyof AuditFilter] !== value,
  );
  return { filter: { from, to, ...by }, rest };
}

function narrowest(filter: AuditFilter): AuditFilter {
  const { requestId, actionId, actorId, decision, agentId, serviceId, outcome, kind } = filter;
  if (requestId !== undefined) return { requestId };
  if (actionId !== undefined) return { actionId };
  if (decision !== undefined) return { decision: 'any' };
  // A person's requests are the held ones that the person decided.
  if (actorId !== undefined && kind === 'request') return { kind, outcome: 'held' };
  if (actorId !== undefined && kind !== 'execution') return { actorId };
  if (agentId !== undefined) return { agentId };
  if (serviceId !== undefined) return { serviceId };
  if (outcome !== undefined && outcome !== 'forwarded') return { outcome };
  return kind !== undefined && kind !== 'request' ? { kind } : {};
}

/**
 * The id of the last record that a search with a limit may read.
 * @returns null when an index leads to fewer records
 */
export async function searchEdge(
  rows: (filter: AuditFilter) => Rows,
  filter: AuditFilter,
  count: number,
): Promise<string | null> {
  const edge = await rows(indexed(filter).filter)
    .select('r.id', 'id')
    .orderBy('r.id', 'DESC')
    .offset(count - 1)
    .limit(1)
    .getRawOne<{ id: string }>();
  return edge?.id ?? null;
}

const SEARCHED = [
  ...['url', 'intent', 'summary', 'reason', 'agent_name', 'service_name', 'actor_name'].map((column) => `r.${column}`),
  // The note of an approver. The details of requests are not worth a search.
  `CASE WHEN r.kind = 'change' THEN r.details ->> 'note' END`,
  // What lists show of a held request.
  'CASE WHEN r.action_id IS NOT NULL THEN (SELECT a.headline FROM actions a WHERE a.id = r.action_id) END',
];

/**
 * The filters of lists, exports and figures, on the alias `r`. Ids are in order of time, so that a range of time is a
 * range of ids, and every list reads the end of an index.
 */
export function applyFilter(rows: Rows, workspaceId: number, filter: AuditFilter): Rows {
  rows.where('r.workspace_id = :workspaceId', { workspaceId });
  if (filter.from) rows.andWhere('r.id >= :fromId', { fromId: firstUuidV7(Date.parse(filter.from)) });
  if (filter.to) rows.andWhere('r.id < :toId', { toId: firstUuidV7(Date.parse(filter.to)) });
  // Agents send requests. The person of a request is the one who decided it.
  const decidedBy = filter.actorId !== undefined && (filter.kind === 'request' || filter.kind === 'execution');
  const equal: [string, unknown][] = [
    ['agent_id', filter.agentId],
    ['service_id', filter.serviceId],
    ['kind', filter.kind],
    ['outcome', filter.outcome],
    ['method', filter.method],
    ['action_id', filter.actionId],
    ['request_id', filter.requestId],
    ['actor_id', decidedBy ? undefined : filter.actorId],
  ];
  for (const [column, value] of equal) {
    if (value !== undefined) rows.andWhere(`r.${column} = :${column}`, { [column]: value });
  }
  if (decidedBy) {
    if (filter.kind === 'request') rows.andWhere(`r.outcome = 'held'`);
    rows.andWhere('EXISTS (SELECT FROM actions a WHERE a.id = r.action_id AND a.resolved_by = :decidedBy)', {
      decidedBy: filter.actorId,
    });
  }
  if (filter.decision !== undefined) {
    rows.andWhere(`r.kind = 'change' AND r.action_id IS NOT NULL`);
    // Each of several approvals counts as an approval.
    const reasons = filter.decision === 'approved' ? APPROVALS : [`action.${filter.decision}`];
    if (filter.decision !== 'any') rows.andWhere('r.reason IN (:...reasons)', { reasons });
    if (filter.decision === 'approved') rows.andWhere(`NOT ${isUndoneSql('r')}`);
  }
  if (filter.statusClass !== undefined) {
    rows.andWhere('r.upstream_status BETWEEN :low AND :high', {
      low: filter.statusClass * 100,
      high: filter.statusClass * 100 + 99,
    });
  }
  if (filter.observedRule !== undefined) {
    rows.andWhere('r.observed @> :observed::jsonb', { observed: JSON.stringify([{ ruleId: filter.observedRule }]) });
  }
  if (filter.q) {
    const pattern = `%${filter.q.replace(/[\\%_]/g, '\\$&')}%`;
    rows.andWhere(
      new Brackets((any) => {
        for (const column of SEARCHED) any.orWhere(`${column} ILIKE :pattern`, { pattern });
      }),
    );
  }
  return rows;
}

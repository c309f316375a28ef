import { Brackets, type SelectQueryBuilder } from 'typeorm';
import type { AuditFilter } from '#contracts';
import type { AuditRecordEntity } from '#database';
import { firstUuidV7 } from '../platform/uuid-v7.js';

type Rows = SelectQueryBuilder<AuditRecordEntity>;

/**
 * The part of the filter that an index leads to, newest first. What is left of it has to be read: an index for it would
 * be written with every proxied request.
 * @returns `rest`: whether anything is left
 */
export function indexed({ from, to, ...filter }: AuditFilter): { filter: AuditFilter; rest: boolean } {
  const { requestId, actionId, agentId, serviceId, outcome, kind } = filter;
  const by: AuditFilter =
    requestId !== undefined
      ? { requestId }
      : actionId !== undefined
        ? { actionId }
        : agentId !== undefined
          ? { agentId }
          : serviceId !== undefined
            ? { serviceId }
            : outcome !== undefined && outcome !== 'forwarded'
              ? { outcome }
              : kind !== undefined && kind !== 'request'
                ? { kind }
                : {};
  const asked = Object.values(filter).filter((value) => value !== undefined && value !== '').length;
  return { filter: { from, to, ...by }, rest: asked > Object.keys(by).length };
}

/**
 * The filters of lists, exports and figures, on the alias `r`. Ids are ordered by time, so that a range of time is a range
 * of ids, and every list reads the end of an index.
 */
export function applyFilter(rows: Rows, userId: number, filter: AuditFilter): Rows {
  rows.where('r.user_id = :userId', { userId });
  if (filter.from) rows.andWhere('r.id >= :fromId', { fromId: firstUuidV7(Date.parse(filter.from)) });
  if (filter.to) rows.andWhere('r.id < :toId', { toId: firstUuidV7(Date.parse(filter.to)) });
  const equal: [string, unknown][] = [
    ['agent_id', filter.agentId],
    ['service_id', filter.serviceId],
    ['kind', filter.kind],
    ['outcome', filter.outcome],
    ['method', filter.method],
    ['action_id', filter.actionId],
    ['request_id', filter.requestId],
  ];
  for (const [column, value] of equal) {
    if (value !== undefined) rows.andWhere(`r.${column} = :${column}`, { [column]: value });
  }
  if (filter.statusClass !== undefined) {
    rows.andWhere('r.upstream_status BETWEEN :low AND :high', {
      low: filter.statusClass * 100,
      high: filter.statusClass * 100 + 99,
    });
  }
  if (filter.q) {
    const pattern = `%${filter.q.replace(/[\\%_]/g, '\\$&')}%`;
    rows.andWhere(
      new Brackets((any) => {
        for (const column of ['url', 'intent', 'reason', 'agent_name', 'service_name', 'actor_name']) {
          any.orWhere(`r.${column} ILIKE :pattern`, { pattern });
        }
      }),
    );
  }
  return rows;
}

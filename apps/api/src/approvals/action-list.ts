import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import {
  PAGE_LIMIT_DEFAULT,
  type ActionCounts,
  type ActionPage,
  type ActionSort,
  type ListActionsQuery,
} from '#contracts';
import { ActionEntity } from '#database';
import { decodeCursor, encodeCursor, type CursorValue } from '../platform/cursor.js';
import { Clock } from '../platform/clock.js';
import { toAction } from './action-mapper.js';

/** Each order by a column and then the id, so that a page begins exactly behind the last row of the one before. */
const ORDERS: Record<
  ActionSort,
  { column: string; direction: 'ASC' | 'DESC'; kind: CursorValue; type: string; value: (a: ActionEntity) => string }
> = {
  newest: {
    column: 'created_at',
    direction: 'DESC',
    kind: 'moment',
    type: 'timestamptz',
    value: (a) => a.createdAt.toISOString(),
  },
  risk: {
    column: 'risk_score',
    direction: 'DESC',
    kind: 'number',
    type: 'double precision',
    value: (a) => String(a.riskScore),
  },
  expiry: {
    column: 'expires_at',
    direction: 'ASC',
    kind: 'moment',
    type: 'timestamptz',
    value: (a) => a.expiresAt.toISOString(),
  },
};

/** Actions as approvers list them. */
@Injectable()
export class ActionList {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  async page(userId: number, query: ListActionsQuery): Promise<ActionPage> {
    const nowMs = this.clock.nowMs();
    const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
    const order = ORDERS[query.sort ?? 'newest'];
    const rows = this.source
      .getRepository(ActionEntity)
      .createQueryBuilder('a')
      .where('a.user_id = :userId', { userId })
      .orderBy(`a.${order.column}`, order.direction)
      .addOrderBy('a.id', order.direction)
      .limit(limit + 1);
    filterStatus(rows, query.status ?? 'PENDING', new Date(nowMs));
    if (query.agentId !== undefined) rows.andWhere('a.agent_id = :agentId', { agentId: query.agentId });
    if (query.serviceId !== undefined) rows.andWhere('a.service_id = :serviceId', { serviceId: query.serviceId });
    if (query.minRisk !== undefined) rows.andWhere('a.risk_score >= :minRisk', { minRisk: query.minRisk });
    if (query.method !== undefined) rows.andWhere('a.method = :method', { method: query.method });
    if (query.q) filterText(rows, query.q);
    if (query.cursor !== undefined) {
      const [value, id] = decodeCursor(query.cursor, [order.kind, 'uuid']);
      const sign = order.direction === 'DESC' ? '<' : '>';
      rows.andWhere(`(a.${order.column}, a.id) ${sign} (CAST(:value AS ${order.type}), CAST(:id AS uuid))`, {
        value,
        id,
      });
    }
    const found = await rows.getMany();
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return {
      items: items.map((action) => toAction(action, nowMs)),
      nextCursor: found.length > limit && last ? encodeCursor([order.value(last), last.id]) : null,
    };
  }

  async counts(userId: number): Promise<ActionCounts> {
    const [row]: { pending: string; approved: string; oldest: Date | null }[] = await this.source.query(
      `SELECT count(*) FILTER (WHERE status = 'PENDING' AND expires_at > $2) AS pending,
              count(*) FILTER (WHERE status = 'APPROVED' AND (approval_expires_at > $2 OR claim_id IS NOT NULL)) AS approved,
              min(created_at) FILTER (WHERE status = 'PENDING' AND expires_at > $2) AS oldest
       FROM actions WHERE user_id = $1 AND status IN ('PENDING', 'APPROVED')`,
      [userId, this.clock.now()],
    );
    return {
      pending: Number(row.pending),
      approved: Number(row.approved),
      oldestPendingAt: row.oldest?.toISOString() ?? null,
    };
  }
}

/** By the status that holds now: an action past its time counts as EXPIRED before the job has moved it. */
function filterStatus(rows: SelectQueryBuilder<ActionEntity>, status: string, now: Date): void {
  if (status === 'ALL') return;
  if (status === 'PENDING') rows.andWhere(`a.status = 'PENDING' AND a.expires_at > :now`, { now });
  else if (status === 'APPROVED') {
    rows.andWhere(`a.status = 'APPROVED' AND (a.approval_expires_at > :now OR a.claim_id IS NOT NULL)`, { now });
  } else if (status === 'EXPIRED') {
    rows.andWhere(
      `(a.status = 'EXPIRED' OR (a.status = 'PENDING' AND a.expires_at <= :now)
        OR (a.status = 'APPROVED' AND a.claim_id IS NULL AND a.approval_expires_at <= :now))`,
      { now },
    );
  } else rows.andWhere('a.status = :status', { status });
}

function filterText(rows: SelectQueryBuilder<ActionEntity>, text: string): void {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  rows.andWhere(
    '(a.target_url ILIKE :pattern OR a.intent ILIKE :pattern OR a.summary ILIKE :pattern OR a.agent_name ILIKE :pattern OR a.service_name ILIKE :pattern)',
    { pattern },
  );
}

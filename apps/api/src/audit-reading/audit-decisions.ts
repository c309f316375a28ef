import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor, AuditDecision, AuditRecord } from '#contracts';
import { ActionEntity, type AuditRecordEntity } from '#database';
import { Clock } from '../platform/clock.js';
import { toAuditRecord } from './audit-mapper.js';

type Decided = Pick<
  ActionEntity,
  | 'id'
  | 'status'
  | 'summary'
  | 'expiresAt'
  | 'revisedAs'
  | 'resolvedAt'
  | 'resolvedBy'
  | 'resolvedByName'
  | 'resolutionNote'
>;

/** Adds to records what people decided about their requests. */
@Injectable()
export class AuditDecisions {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The records for a response. Held requests get their outcome, from one look-up by id for all. */
  async complete(workspaceId: number, records: readonly AuditRecordEntity[]): Promise<AuditRecord[]> {
    const ids = new Set(
      records.flatMap(({ kind, actionId }) => (actionId === null || kind === 'change' ? [] : [actionId])),
    );
    const actions: Decided[] =
      ids.size === 0
        ? []
        : await this.source
            .getRepository(ActionEntity)
            .createQueryBuilder('a')
            .select([
              'a.id',
              'a.status',
              'a.summary',
              'a.expiresAt',
              'a.revisedAs',
              'a.resolvedAt',
              'a.resolvedBy',
              'a.resolvedByName',
              'a.resolutionNote',
            ])
            .where('a.id = ANY(:ids) AND a.workspace_id = :workspaceId', { ids: [...ids], workspaceId })
            .getMany();
    const byId = new Map(actions.map((action) => [action.id, action]));
    const now = this.clock.now();
    return records.map((record) => {
      const action = record.kind === 'change' ? undefined : byId.get(record.actionId ?? '');
      return toAuditRecord(record, action?.summary ?? null, action ? toAuditDecision(action, now) : null);
    });
  }

  /** The names of the people in the record. Each costs one index look-up, however many records there are. */
  async people(workspaceId: number): Promise<Actor[]> {
    return this.source.query<Actor[]>(
      `WITH RECURSIVE people AS (
         SELECT (SELECT min(actor_id) FROM audit_records WHERE workspace_id = $1) AS id
         UNION ALL
         SELECT (SELECT min(actor_id) FROM audit_records r WHERE r.workspace_id = $1 AND r.actor_id > p.id)
         FROM people p WHERE p.id IS NOT NULL)
       SELECT p.id, coalesce((SELECT name FROM users u WHERE u.id = p.id),
         (SELECT r.actor_name FROM audit_records r WHERE r.workspace_id = $1 AND r.actor_id = p.id ORDER BY r.id DESC LIMIT 1)) AS name
       FROM people p WHERE p.id IS NOT NULL ORDER BY name, id`,
      [workspaceId],
    );
  }
}

function toAuditDecision(action: Decided, now: Date): AuditDecision {
  const { status, resolvedAt, resolvedBy, resolvedByName, resolutionNote } = action;
  if (resolvedAt === null) {
    const open = status === 'PENDING' && action.expiresAt > now;
    return { state: open ? 'waiting' : 'expired', by: null, at: null, note: null };
  }
  // The status of a revised action is DENIED, too.
  const isRevised = action.revisedAs !== null;
  const denied = isRevised ? 'revised' : 'denied';
  return {
    state: status === 'DENIED' ? denied : 'approved',
    by: resolvedByName === null ? null : { id: resolvedBy, name: resolvedByName },
    at: resolvedAt.toISOString(),
    // The gateway itself notes which action took the place of a revised one.
    note: isRevised ? null : resolutionNote,
  };
}

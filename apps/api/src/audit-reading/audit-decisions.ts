import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor, AuditDecision, AuditRecord } from '#contracts';
import { ActionEntity, type AuditRecordEntity } from '#database';
import { Clock } from '../platform/clock.js';
import { toAuditRecord } from './audit-mapper.js';
import { undoneAt } from './undone-approvals.js';

/** What records show of their action. */
const COLUMNS = [
  'id',
  'status',
  'summary',
  'headline',
  'expiresAt',
  'revisedAs',
  'approvalExpiresAt',
  'resolvedAt',
  'resolvedBy',
  'resolvedByName',
  'resolutionNote',
] as const;
type Decided = Pick<ActionEntity, (typeof COLUMNS)[number]>;

/** Adds to records what people saw of their requests, and what they decided. */
@Injectable()
export class AuditDecisions {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The records for a response. The look-ups for all of them are by ids. */
  async complete(workspaceId: number, records: readonly AuditRecordEntity[]): Promise<AuditRecord[]> {
    const [actions, undone] = await Promise.all([
      this.actions(workspaceId, records),
      undoneAt(this.source, workspaceId, records),
    ]);
    const now = this.clock.now();
    return records.map((record) => {
      const action = actions.get(record.actionId ?? '') ?? null;
      const decision = action === null || record.kind === 'change' ? null : toAuditDecision(action, now);
      return toAuditRecord(record, { action, decision, undoneAt: undone.get(record.id) });
    });
  }

  private async actions(workspaceId: number, records: readonly AuditRecordEntity[]): Promise<Map<string, Decided>> {
    const ids = [...new Set(records.flatMap(({ actionId }) => actionId ?? []))];
    if (ids.length === 0) return new Map();
    const actions: Decided[] = await this.source
      .getRepository(ActionEntity)
      .createQueryBuilder('a')
      .select(COLUMNS.map((column) => `a.${column}`))
      .where('a.id = ANY(:ids) AND a.workspace_id = :workspaceId', { ids, workspaceId })
      .getMany();
    return new Map(actions.map((action) => [action.id, action]));
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
  const isRevised = action.revisedAs !== null;
  return {
    state: status === 'DENIED' ? toDenial(action) : 'approved',
    by: resolvedByName === null ? null : { id: resolvedBy, name: resolvedByName },
    at: resolvedAt.toISOString(),
    // The gateway itself notes which action took the place of a revised one.
    note: isRevised ? null : resolutionNote,
  };
}

/** The status of a revised and of a withdrawn action is DENIED, too. Only an approved one ever had a time to execute it. */
function toDenial({ revisedAs, approvalExpiresAt }: Decided): AuditDecision['state'] {
  if (revisedAs !== null) return 'revised';
  return approvalExpiresAt === null ? 'denied' : 'withdrawn';
}

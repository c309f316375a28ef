import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ResumedWorkspace, Workspace } from '#contracts';
import { inTransaction, WorkspaceEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { refusedByPause } from '../audit/refused-by-pause.js';
import { Confirmations } from '../auth/confirmations.js';
import type { ActingMember } from '../membership/member.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { lockWorkspace } from '../membership/locked-workspace.js';
import { toWorkspace } from './workspace-mapper.js';

/**
 * Stops and starts all agents of a workspace. A pause increments the version of each agent, so that it applies from the
 * agent's next request on every instance (docs/reference/agent-api.md#pause).
 */
@Injectable()
export class WorkspacePause {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly confirmations: Confirmations,
  ) {}

  /**
   * A paused workspace gets the new reason, and keeps the time of its first pause. An approver can't take over the pause of
   * somebody else, and so can't end it.
   * @throws ApiError 403
   */
  pause(member: ActingMember, reason: string, requestId: string): Promise<Workspace> {
    const { workspaceId: id, role } = member;
    return inTransaction(this.source, async (tx) => {
      const { pausedAt, pausedBy } = await lockWorkspace(tx, member, 'approver');
      if (pausedAt !== null && pausedBy !== member.id) await lockWorkspace(tx, member, 'admin');
      const now = this.clock.now();
      const by = { pausedBy: member.id, pausedByName: member.name };
      await tx.update(
        WorkspaceEntity,
        { id },
        { pausedAt: pausedAt ?? now, pausedReason: reason, ...by, updatedAt: now },
      );
      await this.audit.recordChange(tx, { actor: member, reason: 'workspace.paused', details: { reason }, requestId });
      return toWorkspace(await tx.findOneByOrFail(WorkspaceEntity, { id }), role);
    });
  }

  /**
   * Administrators end each pause, and approvers their own.
   * @throws ApiError 403, 409
   */
  resume(member: ActingMember, requestId: string): Promise<ResumedWorkspace> {
    const { workspaceId: id, role } = member;
    return inTransaction(this.source, async (tx) => {
      const { pausedAt, pausedBy } = await lockWorkspace(tx, member, 'approver');
      if (pausedAt === null) throw errors.notPaused();
      if (pausedBy !== member.id) await lockWorkspace(tx, member, 'admin');
      await this.confirmations.assertMayWeaken(tx, member);
      const refusedRequests = await refusedByPause(tx, id, null, pausedAt);
      const none = { pausedAt: null, pausedReason: null, pausedBy: null, pausedByName: null };
      await tx.update(WorkspaceEntity, { id }, { ...none, updatedAt: this.clock.now() });
      const details = { refusedRequests };
      await this.audit.recordChange(tx, { actor: member, reason: 'workspace.resumed', details, requestId });
      return { ...toWorkspace(await tx.findOneByOrFail(WorkspaceEntity, { id }), role), refusedRequests };
    });
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  sortedEffects,
  type CreateWorkspaceRequest,
  type UpdateWorkspaceRequest,
  type UpdateWorkspaceSettings,
  type Workspace,
  type WorkspaceSettings,
  type WorkspaceSummary,
} from '#contracts';
import { inTransaction, WorkspaceEntity, WorkspaceMemberEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { Confirmations } from '../auth/confirmations.js';
import type { AuthenticatedUser } from '../auth/current-user.js';
import type { ActingMember } from '../membership/member.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { lockWorkspace } from '../membership/locked-workspace.js';
import { deleteContents } from './workspace-contents.js';
import { toPause, toWorkspace } from './workspace-mapper.js';

const SUMMARIES = `
  SELECT w.id, w.name, m.role, w.created_at AS "createdAt", w.paused_at AS "pausedAt", w.paused_reason AS "pausedReason",
    w.paused_by AS "pausedBy", w.paused_by_name AS "pausedByName" FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
  WHERE m.user_id = $1 ORDER BY m.joined_at, w.id`;

const IN_USE = `
  SELECT EXISTS (SELECT FROM services WHERE workspace_id = $1) OR EXISTS (SELECT FROM agents WHERE workspace_id = $1) AS yes`;

/** Workspaces, and the settings that their owners choose. */
@Injectable()
export class WorkspaceRegistry {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly confirmations: Confirmations,
  ) {}

  /** The person's workspaces. The first one is used for requests without a workspace header. */
  async list(userId: number): Promise<WorkspaceSummary[]> {
    const rows: (WorkspaceEntity & Pick<WorkspaceSummary, 'role'>)[] = await this.source.query(SUMMARIES, [userId]);
    return rows.map(({ id, name, role, createdAt, ...row }) => ({
      id,
      name,
      role,
      pause: toPause(row),
      createdAt: createdAt.toISOString(),
    }));
  }

  /** The person becomes the owner. */
  create(person: AuthenticatedUser, { name }: CreateWorkspaceRequest, requestId: string): Promise<Workspace> {
    return inTransaction(this.source, async (tx) => {
      const now = this.clock.now();
      const workspace = tx.create(WorkspaceEntity, { name, createdBy: person.id, createdAt: now, updatedAt: now });
      await tx.insert(WorkspaceEntity, workspace);
      const { id: workspaceId } = workspace;
      await tx.insert(WorkspaceMemberEntity, { workspaceId, userId: person.id, role: 'owner', joinedAt: now });
      await this.audit.recordChange(tx, {
        actor: { id: person.id, name: person.name, workspaceId },
        reason: 'workspace.created',
        details: { name },
        requestId,
      });
      return toWorkspace(await tx.findOneByOrFail(WorkspaceEntity, { id: workspaceId }), 'owner');
    });
  }

  async get({ workspaceId, role }: ActingMember): Promise<Workspace> {
    const workspace = await this.source.manager.findOneBy(WorkspaceEntity, { id: workspaceId });
    // It was deleted after the guard had checked the member.
    if (workspace === null) throw errors.resourceNotFound();
    return toWorkspace(workspace, role);
  }

  update(owner: ActingMember, request: UpdateWorkspaceRequest, requestId: string): Promise<Workspace> {
    return inTransaction(this.source, (tx) => this.updateIn(tx, owner, request, requestId));
  }

  /**
   * Does the same in the caller's transaction.
   * @throws ApiError 403 unless the person is an owner, and has confirmed where that is needed
   */
  async updateIn(
    tx: EntityManager,
    owner: ActingMember,
    { name, settings: chosen = {} }: UpdateWorkspaceRequest,
    requestId: string,
  ): Promise<Workspace> {
    const { workspaceId: id } = owner;
    const settings = asStored(chosen);
    const before = await lockWorkspace(tx, owner, 'owner');
    const from = toWorkspace(before, owner.role).settings;
    if (weakens(from, { ...from, ...given(settings) })) await this.confirmations.assertMayWeaken(tx, owner);
    await tx.update(WorkspaceEntity, { id }, { name, ...settings, updatedAt: this.clock.now() });
    const workspace = toWorkspace(await tx.findOneByOrFail(WorkspaceEntity, { id }), owner.role);
    await this.audit.recordChange(tx, {
      actor: owner,
      reason: 'workspace.updated',
      details: {
        from: { name: before.name, settings: from },
        to: { name: workspace.name, settings: workspace.settings },
      },
      requestId,
    });
    return workspace;
  }

  /**
   * Deletes the workspace with its members and actions. Its audit records stay in the database.
   * @throws ApiError 409
   */
  delete(owner: ActingMember, requestId: string): Promise<void> {
    return inTransaction(this.source, async (tx) => {
      const { id, name } = await lockWorkspace(tx, owner, 'owner', 'pessimistic_write');
      // A service or agent that is added now waits for the lock, and then finds no workspace.
      const [inUse]: { yes: boolean }[] = await tx.query(IN_USE, [id]);
      if (inUse.yes) throw errors.workspaceInUse();
      await deleteContents(tx, id);
      await this.audit.recordChange(tx, { actor: owner, reason: 'workspace.deleted', details: { name }, requestId });
      await tx.delete(WorkspaceEntity, { id });
    });
  }
}

/** The settings as they are stored: lists in one order. */
export const asStored = ({ confirmEffects, ...others }: UpdateWorkspaceSettings): UpdateWorkspaceSettings => ({
  ...others,
  ...(confirmEffects && { confirmEffects: sortedEffects(confirmEffects) }),
});

/** Whether more can be approved by one person, without a confirmation, outside the dashboard, or with less time for undo. */
const weakens = (from: WorkspaceSettings, to: WorkspaceSettings): boolean =>
  (from.separationOfDuties && !to.separationOfDuties) ||
  (to.confirmFromRisk ?? Infinity) > (from.confirmFromRisk ?? Infinity) ||
  from.confirmEffects.some((effect) => !to.confirmEffects.includes(effect)) ||
  (to.approveInNotificationsBelow ?? 0) > (from.approveInNotificationsBelow ?? 0) ||
  to.approverRuleMaxHours > from.approverRuleMaxHours ||
  to.undoSeconds < from.undoSeconds;

/** The fields that are not undefined. */
const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

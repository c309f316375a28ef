import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isAtLeast, type Member as ListedMember, type Role } from '#contracts';
import { inTransaction, WorkspaceMemberEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { Confirmations, usesConfirmations } from '../auth/confirmations.js';
import type { ActingMember } from '../membership/member.js';
import { errors } from '../platform/errors.js';
import { lockWorkspace } from '../membership/locked-workspace.js';

const MEMBERS = `
  SELECT u.id, u.email, u.name, m.role, m.joined_at AS "joinedAt", m.last_seen_at AS "lastSeenAt"
  FROM workspace_members m JOIN users u ON u.id = m.user_id
  WHERE m.workspace_id = $1 AND ($2::int IS NULL OR u.id = $2) ORDER BY m.joined_at, u.id`;

const END_INVITATIONS = `
  DELETE FROM invitations WHERE workspace_id = $1 AND invited_by = $2 AND accepted_at IS NULL RETURNING email, role`;

type Row = Omit<ListedMember, 'joinedAt' | 'lastSeenAt'> & { joinedAt: Date; lastSeenAt: Date | null };

/** The members of a workspace and their roles. */
@Injectable()
export class MemberRegistry {
  constructor(
    private readonly source: DataSource,
    private readonly audit: AuditLog,
    private readonly confirmations: Confirmations,
  ) {}

  list(workspaceId: number): Promise<ListedMember[]> {
    return readMembers(this.source.manager, workspaceId, null);
  }

  /** @throws ApiError 403 unless confirmed where that is needed, 404, 409 for the last owner */
  changeRole(owner: ActingMember, userId: number, role: Role, requestId: string): Promise<ListedMember> {
    const { workspaceId } = owner;
    return inTransaction(this.source, async (tx) => {
      const workspace = await lockWorkspace(tx, owner, 'owner');
      const [before] = await readMembers(tx, workspaceId, userId);
      if (before === undefined) throw errors.resourceNotFound();
      const maySoonApprove = isAtLeast(role, 'approver') && !isAtLeast(before.role, role);
      if (usesConfirmations(workspace) && maySoonApprove) await this.confirmations.assertConfirmed(tx, owner);
      await tx.update(WorkspaceMemberEntity, { workspaceId, userId }, { role });
      await assertOwned(tx, workspaceId);
      await this.audit.recordChange(tx, {
        actor: owner,
        reason: 'member.role_changed',
        details: { member: before.name, memberId: userId, from: before.role, to: role },
        requestId,
      });
      if (role !== 'owner') await this.endInvitations(tx, owner, userId, requestId);
      return { ...before, role };
    });
  }

  /**
   * An owner can remove anybody, and everybody can leave.
   * @throws ApiError 403, 404, 409 for the last owner
   */
  remove(member: ActingMember, userId: number, requestId: string): Promise<void> {
    const { workspaceId } = member;
    return inTransaction(this.source, async (tx) => {
      await lockWorkspace(tx, member, userId === member.id ? 'auditor' : 'owner');
      const [before] = await readMembers(tx, workspaceId, userId);
      if (before === undefined) throw errors.resourceNotFound();
      await tx.delete(WorkspaceMemberEntity, { workspaceId, userId });
      await assertOwned(tx, workspaceId);
      await this.audit.recordChange(tx, {
        actor: member,
        reason: 'member.removed',
        details: { member: before.name, memberId: userId, role: before.role },
        requestId,
      });
      await this.endInvitations(tx, member, userId, requestId);
    });
  }

  /**
   * Ends the open invitations that a removed person has sent. Otherwise the person could come back with an invitation
   * that they had sent to another address of their own.
   */
  private async endInvitations(
    tx: EntityManager,
    actor: ActingMember,
    senderId: number,
    requestId: string,
  ): Promise<void> {
    const [ended]: [{ email: string; role: Role }[], number] = await tx.query(END_INVITATIONS, [
      actor.workspaceId,
      senderId,
    ]);
    for (const details of ended) {
      await this.audit.recordChange(tx, { actor, reason: 'invitation.deleted', details, requestId });
    }
  }
}

async function readMembers(tx: EntityManager, workspaceId: number, userId: number | null): Promise<ListedMember[]> {
  const rows: Row[] = await tx.query(MEMBERS, [workspaceId, userId]);
  return rows.map((row) => ({
    ...row,
    joinedAt: row.joinedAt.toISOString(),
    lastSeenAt: row.lastSeenAt?.toISOString() ?? null,
  }));
}

/** Call under the lock of the workspace. @throws ApiError 409 */
async function assertOwned(tx: EntityManager, workspaceId: number): Promise<void> {
  if (!(await tx.existsBy(WorkspaceMemberEntity, { workspaceId, role: 'owner' }))) throw errors.ownerNeeded();
}

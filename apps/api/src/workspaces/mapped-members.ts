import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Role } from '#contracts';
import { WorkspaceMemberEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import type { ProviderMemberships, SignedIn } from '../auth/oidc/provider-memberships.js';
import type { RequestOrigin } from '../auth/request-origin.js';
import { Clock } from '../platform/clock.js';
import { InvitationRegistry } from './invitation-registry.js';

/**
 * The own workspace of the first account, which has the id of the account. If it was deleted, there is none, because
 * the next workspace may belong to a stranger. The lock serialises changes of members.
 */
const FIRST_WORKSPACE = 'SELECT id FROM workspaces WHERE id = (SELECT min(id) FROM users) FOR NO KEY UPDATE';

const JOIN = `
  INSERT INTO workspace_members (workspace_id, user_id, role, joined_at, by_provider) VALUES ($1, $2, $3, $4, true)
  ON CONFLICT DO NOTHING RETURNING user_id`;

/**
 * Members of the first workspace by their groups at the OpenID provider, applied at each sign-in
 * (docs/reference/dashboard-api.md#groups). Owners keep their role.
 */
@Injectable()
export class MappedMembers implements ProviderMemberships {
  constructor(
    private readonly invitations: InvitationRegistry,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  async welcome(tx: EntityManager, person: SignedIn, origin: RequestOrigin): Promise<'invited' | 'mapped' | null> {
    // Locks in the same order as an invitation by an owner: first the workspace, then its invitations.
    if (person.role !== undefined) await tx.query(FIRST_WORKSPACE);
    const invited = await this.invitations.acceptAllIn(tx, person, origin.requestId);
    const found = await this.apply(tx, person, origin);
    if (invited) return 'invited';
    return found && person.role ? 'mapped' : null;
  }

  async apply(tx: EntityManager, person: SignedIn, origin: RequestOrigin): Promise<boolean> {
    const { role } = person;
    if (role === undefined) return false;
    const [workspace]: { id: number }[] = await tx.query(FIRST_WORKSPACE);
    if (workspace === undefined) return false;
    await this.applyIn(tx, workspace.id, { ...person, role }, origin);
    return true;
  }

  /** Call under the lock of the workspace. */
  private async applyIn(
    tx: EntityManager,
    workspaceId: number,
    person: SignedIn & { role: Role | null },
    origin: RequestOrigin,
  ): Promise<void> {
    const { id: userId, name, role } = person;
    const before = await tx.findOneBy(WorkspaceMemberEntity, { workspaceId, userId });
    const record = (reason: string, details: object): Promise<void> =>
      this.audit.recordChange(tx, {
        actor: { id: userId, name, workspaceId },
        reason,
        details: { ...details, by: 'single sign-on' },
        requestId: origin.requestId ?? undefined,
      });
    if (before === null) {
      if (role === null) return;
      const joined: unknown[] = await tx.query(JOIN, [workspaceId, userId, role, this.clock.now()]);
      // The person has accepted an invitation meanwhile, which takes no lock of the workspace.
      if (joined.length === 0) return this.applyIn(tx, workspaceId, person, origin);
      await record('member.joined', { role });
    } else if (before.role === 'owner') {
      return;
    } else if (role === null) {
      // A person whom an owner invited keeps their role.
      if (!before.byProvider) return;
      await tx.delete(WorkspaceMemberEntity, { workspaceId, userId });
      await record('member.removed', { member: name, memberId: userId, role: before.role });
    } else if (before.role !== role || !before.byProvider) {
      await tx.update(WorkspaceMemberEntity, { workspaceId, userId }, { role, byProvider: true });
      if (before.role !== role) {
        await record('member.role_changed', { member: name, memberId: userId, from: before.role, to: role });
      }
    }
  }
}

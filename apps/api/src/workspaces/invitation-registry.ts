import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isAtLeast } from '#contracts';
import type {
  CreatedInvitation,
  CreateInvitationRequest,
  Invitation,
  OpenedInvitation,
  WorkspaceSummary,
} from '#contracts';
import { INVITATION_DAYS } from '#contracts/limits';
import type { InvitationMailState } from '#contracts/states';
import { InvitationEntity, inTransaction, WorkspaceEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { Confirmations, usesConfirmations } from '../auth/confirmations.js';
import { hashOfSecret, newSecret } from '../crypto/shown-once.js';
import type { ActingMember } from '../membership/member.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { InvitationMails } from './invitation-mails.js';
import { lockWorkspace } from '../membership/locked-workspace.js';
import { toPause } from './workspace-mapper.js';

const INVITE = `
  INSERT INTO invitations (workspace_id, email, role, token_hash, invited_by, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, now(), now() + make_interval(days => ${INVITATION_DAYS}))
  RETURNING id, email, role, expires_at AS "expiresAt"`;

const OPEN = `
  SELECT i.id, i.email, i.role, i.expires_at AS "expiresAt", i.invited_by AS "invitedBy", u.name AS "invitedByName",
    m.state AS "mailState", m.last_error AS "mailError"
  FROM invitations i LEFT JOIN users u ON u.id = i.invited_by LEFT JOIN invitation_mails m ON m.invitation_id = i.id
  WHERE i.workspace_id = $1 AND i.accepted_at IS NULL ORDER BY i.id`;

const DELETE = `
  DELETE FROM invitations WHERE id = $1 AND workspace_id = $2 AND accepted_at IS NULL RETURNING email, role`;

const IS_MEMBER = `
  SELECT FROM workspace_members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = $1 AND lower(u.email) = lower($2)`;

const FIND = `
  SELECT id, workspace_id AS "workspaceId", email, role, accepted_at IS NOT NULL OR expires_at <= now() AS "isGone"
  FROM invitations WHERE token_hash = $1`;

const READ = `
  SELECT w.name AS workspace, i.role, i.email, u.name AS "invitedBy", i.expires_at AS "expiresAt",
    i.accepted_at IS NOT NULL OR i.expires_at <= now() AS "isGone"
  FROM invitations i JOIN workspaces w ON w.id = i.workspace_id LEFT JOIN users u ON u.id = i.invited_by
  WHERE i.token_hash = $1`;

const FIND_OPEN = `
  SELECT id, workspace_id AS "workspaceId", email, role, false AS "isGone" FROM invitations
  WHERE lower(email) = lower($1) AND accepted_at IS NULL AND expires_at > now() ORDER BY id FOR UPDATE`;

type Row = Pick<InvitationEntity, 'id' | 'email' | 'role' | 'expiresAt'>;
type OpenRow = Row & {
  invitedBy: number | null;
  invitedByName: string | null;
  mailState: InvitationMailState | null;
  mailError: string | null;
};
type Found = Pick<InvitationEntity, 'id' | 'workspaceId' | 'email' | 'role'> & { isGone: boolean };

/**
 * Invitations to workspaces (docs/reference/workspaces.md#invitations). The database's clock decides when one expires.
 */
@Injectable()
export class InvitationRegistry {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly mails: InvitationMails,
    private readonly confirmations: Confirmations,
  ) {}

  async list(workspaceId: number): Promise<Invitation[]> {
    const rows: OpenRow[] = await this.source.query(OPEN, [workspaceId]);
    return rows.map(({ invitedBy, invitedByName, mailState, mailError, ...row }) =>
      toInvitation(
        row,
        invitedByName === null ? null : { id: invitedBy, name: invitedByName },
        mailState && { state: mailState, lastError: mailError },
      ),
    );
  }

  /**
   * A new invitation for the same e-mail replaces the previous one.
   * @throws ApiError 403 unless the owner has confirmed where that is needed, 409
   */
  create(owner: ActingMember, { email, role }: CreateInvitationRequest, requestId: string): Promise<CreatedInvitation> {
    const { secret, hash } = newSecret();
    const { workspaceId } = owner;
    return inTransaction(this.source, async (tx) => {
      const workspace = await lockWorkspace(tx, owner, 'owner');
      // Otherwise a person at the screen of an owner could invite themselves, and then confirm with their own password.
      if (usesConfirmations(workspace) && isAtLeast(role, 'approver'))
        await this.confirmations.assertConfirmed(tx, owner);
      const members: unknown[] = await tx.query(IS_MEMBER, [workspaceId, email]);
      if (members.length > 0) throw errors.alreadyMember();
      await tx.query(
        'DELETE FROM invitations WHERE workspace_id = $1 AND lower(email) = lower($2) AND accepted_at IS NULL',
        [workspaceId, email],
      );
      const [row]: InvitationEntity[] = await tx.query(INVITE, [workspaceId, email, role, hash, owner.id]);
      const details = { email, role };
      await this.audit.recordChange(tx, { actor: owner, reason: 'invitation.created', details, requestId });
      const isMailed = await this.mails.add(tx, { id: row.id, workspaceId, email, invitedBy: owner.id }, secret);
      const mail = isMailed ? ({ state: 'pending', lastError: null } as const) : null;
      return { ...toInvitation(row, { id: owner.id, name: owner.name }, mail), url: this.mails.invitationUrl(secret) };
    });
  }

  /** @throws ApiError 404 */
  delete(owner: ActingMember, id: number, requestId: string): Promise<void> {
    const { workspaceId } = owner;
    return inTransaction(this.source, async (tx) => {
      await lockWorkspace(tx, owner, 'owner');
      // Somebody may accept the invitation meanwhile, because that does not take the lock of the workspace.
      const [[details]]: [Pick<InvitationEntity, 'email' | 'role'>[], number] = await tx.query(DELETE, [
        id,
        workspaceId,
      ]);
      if (details === undefined) throw errors.invitationNotFound();
      await this.audit.recordChange(tx, { actor: owner, reason: 'invitation.deleted', details, requestId });
    });
  }

  /** What the link shows to everybody who has it. @throws ApiError 404, 410 */
  async open(token: string): Promise<OpenedInvitation> {
    const [found]: (Omit<OpenedInvitation, 'expiresAt'> & { expiresAt: Date; isGone: boolean })[] =
      await this.source.query(READ, [hashOfSecret(token)]);
    const { isGone, expiresAt, ...opened } = assertOpen(found);
    return { ...opened, expiresAt: expiresAt.toISOString() };
  }

  /** Checks the same as `accept`, without a lock: a shortcut before costly work. @throws ApiError 403, 404, 410 */
  async assertOpen(token: string, email: string): Promise<void> {
    await usable(this.source.manager, FIND, token, email);
  }

  /** Makes the person a member. @throws ApiError 403, 404, 409, 410 */
  accept(
    person: { id: number; email: string; name: string },
    token: string,
    requestId: string,
  ): Promise<WorkspaceSummary> {
    return inTransaction(this.source, (tx) => this.acceptIn(tx, person, token, requestId));
  }

  /** Does the same in the caller's transaction. */
  async acceptIn(
    tx: EntityManager,
    { id: userId, email, name }: { id: number; email: string; name: string },
    token: string,
    requestId: string,
  ): Promise<WorkspaceSummary> {
    // Of several calls with the same token, only the first one accepts the invitation. The others wait for its lock.
    const found = await usable(tx, `${FIND} FOR UPDATE`, token, email);
    await this.join(tx, found, { id: userId, name }, requestId);
    const { workspaceId, role } = found;
    const workspace = await tx.findOneByOrFail(WorkspaceEntity, { id: workspaceId });
    return {
      id: workspaceId,
      name: workspace.name,
      role,
      pause: toPause(workspace),
      createdAt: workspace.createdAt.toISOString(),
    };
  }

  /**
   * Accepts every open invitation for the e-mail of an account that was just created. The OpenID provider has verified
   * the e-mail, which proves as much as the link in the invitation mail.
   * @returns whether there was one
   */
  async acceptAllIn(
    tx: EntityManager,
    person: { id: number; email: string; name: string },
    requestId: string | null,
  ): Promise<boolean> {
    const open: Found[] = await tx.query(FIND_OPEN, [person.email]);
    for (const found of open) await this.join(tx, found, person, requestId);
    return open.length > 0;
  }

  /** Call under the lock of the invitation. @throws ApiError 409 */
  private async join(
    tx: EntityManager,
    { id, workspaceId, role }: Omit<Found, 'isGone'>,
    person: { id: number; name: string },
    requestId: string | null,
  ): Promise<void> {
    const joined: unknown[] = await tx.query(
      'INSERT INTO workspace_members (workspace_id, user_id, role, joined_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING user_id',
      [workspaceId, person.id, role, this.clock.now()],
    );
    if (joined.length === 0) throw errors.alreadyMember();
    await tx.update(InvitationEntity, { id }, { acceptedAt: () => 'now()' });
    await this.audit.recordChange(tx, {
      actor: { id: person.id, name: person.name, workspaceId },
      reason: 'member.joined',
      details: { role },
      requestId: requestId ?? undefined,
    });
  }
}

const toInvitation = (
  { id, email, role, expiresAt }: Row,
  invitedBy: Invitation['invitedBy'],
  mail: Invitation['mail'],
): Invitation => ({ id, email, role, expiresAt: expiresAt.toISOString(), invitedBy, mail });

/** @throws ApiError 403, 404, 410 */
async function usable(tx: EntityManager, find: string, token: string, email: string): Promise<Found> {
  const [row]: Found[] = await tx.query(find, [hashOfSecret(token)]);
  const found = assertOpen(row);
  if (found.email.toLowerCase() !== email.toLowerCase()) throw errors.invitedOther();
  return found;
}

/** @throws ApiError 404, 410 */
function assertOpen<T extends { isGone: boolean }>(found: T | undefined): T {
  if (found === undefined) throw errors.invitationNotFound();
  if (found.isGone) throw errors.invitationGone();
  return found;
}

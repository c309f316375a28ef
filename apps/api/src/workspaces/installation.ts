import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  PAGE_LIMIT_DEFAULT,
  type Administrator,
  type InstallationWorkspace,
  type InstallationWorkspacePage,
  type ListInstallationWorkspacesQuery,
} from '#contracts';
import { InstallationAdministratorEntity, inTransaction, WorkspaceEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { ADMINISTERS_SQL } from '../auth/administrators.js';
import { Confirmations, usesConfirmations, USING_CONFIRMATIONS } from '../auth/confirmations.js';
import type { AuthenticatedUser } from '../auth/current-user.js';
import { mayUsePrivateTargets, type ServiceOwner } from '../egress/private-targets.js';
import { Memberships } from '../membership/memberships.js';
import { AuthConfig, EgressConfig } from '../platform/config.js';
import { Clock } from '../platform/clock.js';
import { decodeCursor, encodeCursor } from '../platform/cursor.js';
import { errors } from '../platform/errors.js';

const ACCOUNTS = `
  SELECT * FROM (SELECT u.id, u.email, u.name, ${ADMINISTERS_SQL} AS reason FROM users u WHERE $2::int IS NULL OR u.id = $2) a`;

const WORKSPACES = `
  SELECT w.id, w.name, (SELECT count(*)::int FROM workspace_members m WHERE m.workspace_id = w.id) AS members,
    w.private_targets AS allowed, (SELECT lower(u.email) FROM users u WHERE u.id = w.created_by) AS creator
  FROM workspaces w`;

type WorkspaceRow = Pick<InstallationWorkspace, 'id' | 'name' | 'members'> & ServiceOwner;

/** The settings that administrators of the installation decide (docs/reference/workspaces.md#administrators). */
@Injectable()
export class Installation {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly confirmations: Confirmations,
    private readonly memberships: Memberships,
    private readonly config: AuthConfig,
    private readonly egress: EgressConfig,
  ) {}

  administrators(): Promise<Administrator[]> {
    return this.source.query(`${ACCOUNTS} WHERE reason IS NOT NULL ORDER BY id`, [this.config.adminEmail, null]);
  }

  /** @throws ApiError 403 unless the person has confirmed where a workspace asks for it, 404 */
  name(by: AuthenticatedUser, userId: number, requestId: string): Promise<Administrator> {
    return inTransaction(this.source, async (tx) => {
      const account = await this.account(tx, userId);
      if (account.reason !== null) return account as Administrator;
      // Administrators open private targets for workspaces, and the new one could confirm that alone.
      if (await tx.existsBy(WorkspaceEntity, USING_CONFIRMATIONS)) await this.confirmations.assertConfirmed(tx, by);
      const row = { userId, namedBy: by.id, namedAt: this.clock.now() };
      await tx.createQueryBuilder().insert().into(InstallationAdministratorEntity).values(row).orIgnore().execute();
      await this.record(tx, by, 'administrator.named', account, requestId);
      return { ...account, reason: 'named' };
    });
  }

  /** @throws ApiError 404, 409 */
  unname(by: AuthenticatedUser, userId: number, requestId: string): Promise<void> {
    return inTransaction(this.source, async (tx) => {
      const account = await this.account(tx, userId);
      if (account.reason === null) throw errors.resourceNotFound();
      if (account.reason !== 'named') throw errors.administratorFixed();
      await tx.delete(InstallationAdministratorEntity, { userId });
      await this.record(tx, by, 'administrator.removed', account, requestId);
    });
  }

  /** @throws ApiError 400 for a bad cursor */
  async workspaces({
    limit = PAGE_LIMIT_DEFAULT,
    cursor,
    q,
  }: ListInstallationWorkspacesQuery): Promise<InstallationWorkspacePage> {
    const [after] = cursor === undefined ? ['0'] : decodeCursor(cursor, ['id']);
    const rows: WorkspaceRow[] = await this.source.query(
      `${WORKSPACES} WHERE w.id > $1 AND w.name ILIKE $2 ORDER BY w.id LIMIT $3`,
      [after, `%${(q ?? '').replace(/[\\%_]/g, '\\$&')}%`, limit + 1],
    );
    const items = rows.slice(0, limit).map((row) => this.toWorkspace(row));
    return { items, nextCursor: rows.length > limit ? encodeCursor([String(items.at(-1)!.id)]) : null };
  }

  /**
   * The change applies to the next request of the workspace's agents.
   * @throws ApiError 403 unless the person has confirmed where the workspace asks for it, 404
   */
  allowPrivateTargets(
    by: AuthenticatedUser,
    id: number,
    privateTargets: boolean,
    requestId: string,
  ): Promise<InstallationWorkspace> {
    return inTransaction(this.source, async (tx) => {
      const workspace = await tx.findOne(WorkspaceEntity, { where: { id }, lock: { mode: 'for_no_key_update' } });
      if (workspace === null) throw errors.resourceNotFound();
      if (usesConfirmations(workspace)) await this.confirmations.assertConfirmed(tx, by);
      await tx.update(WorkspaceEntity, { id }, { privateTargets, updatedAt: this.clock.now() });
      await this.audit.recordChange(tx, {
        actor: { id: by.id, name: by.name, workspaceId: id },
        reason: 'workspace.private_targets_changed',
        details: { from: workspace.privateTargets, to: privateTargets },
        requestId,
      });
      const [row]: WorkspaceRow[] = await tx.query(`${WORKSPACES} WHERE w.id = $1`, [id]);
      return this.toWorkspace(row);
    });
  }

  private toWorkspace({ id, name, members, ...owner }: WorkspaceRow): InstallationWorkspace {
    return { id, name, members, privateTargets: mayUsePrivateTargets(owner, this.egress) };
  }

  private async account(tx: EntityManager, userId: number) {
    const [account]: (Omit<Administrator, 'reason'> & { reason: Administrator['reason'] | null })[] = await tx.query(
      ACCOUNTS,
      [this.config.adminEmail, userId],
    );
    if (account === undefined) throw errors.resourceNotFound();
    return account;
  }

  /** Records the change in each workspace of the administrator, because the installation has no record of its own. */
  private async record(
    tx: EntityManager,
    by: AuthenticatedUser,
    reason: string,
    account: { id: number; name: string },
    requestId: string,
  ): Promise<void> {
    const details = { account: account.name, accountId: account.id };
    for (const workspaceId of await this.memberships.of(by.id, tx)) {
      const actor = { id: by.id, name: by.name, workspaceId };
      await this.audit.recordChange(tx, { actor, reason, details, requestId });
    }
  }
}

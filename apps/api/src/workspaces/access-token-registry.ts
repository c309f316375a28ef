import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  ACCESS_TOKEN_PREFIX,
  isAtLeast,
  type AccessToken,
  type CreateAccessTokenRequest,
  type CreatedAccessToken,
} from '#contracts';
import { ACCESS_TOKEN_DAYS_MAX } from '#contracts/limits';
import { AccessTokenEntity, inTransaction, WorkspaceEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { Confirmations, usesConfirmations } from '../auth/confirmations.js';
import type { AuthenticatedUser } from '../auth/current-user.js';
import { newSecret } from '../crypto/shown-once.js';
import { Memberships } from '../membership/memberships.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { momentAhead } from '../platform/moment-ahead.js';

const DAY_MS = 24 * 3_600_000;

function assertInAYear(end: Date, now: Date): void {
  if (end <= now) throw errors.invalid('expiresAt: must be in the future');
  if (end.getTime() > now.getTime() + ACCESS_TOKEN_DAYS_MAX * DAY_MS) {
    throw errors.invalid('expiresAt: must be at most a year ahead');
  }
}

/** Personal access tokens, with which programs call the API for a person (docs/reference/workspaces.md#tokens). */
@Injectable()
export class AccessTokenRegistry {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly memberships: Memberships,
    private readonly confirmations: Confirmations,
  ) {}

  async list({ id: userId }: AuthenticatedUser): Promise<AccessToken[]> {
    const rows = await this.source.manager.find(AccessTokenEntity, { where: { userId }, order: { id: 'ASC' } });
    return rows.map(toAccessToken);
  }

  /** @throws ApiError 400; 403 unless the person has confirmed where that is needed; 404 unless the person is a member of the workspace */
  async create(
    person: AuthenticatedUser,
    { name, workspaceId, role, expiresAt, expiresInMinutes }: CreateAccessTokenRequest,
    requestId: string,
  ): Promise<CreatedAccessToken> {
    const now = this.clock.now();
    if ((expiresAt === undefined) === (expiresInMinutes === undefined)) {
      throw errors.invalid('expiresAt: give either expiresAt or expiresInMinutes');
    }
    const end =
      expiresAt === undefined ? await momentAhead(this.source.manager, expiresInMinutes!) : new Date(expiresAt);
    if (expiresAt !== undefined) assertInAYear(end, now);
    await this.memberships.find(person.id, workspaceId);
    const { secret, hash } = newSecret(ACCESS_TOKEN_PREFIX);
    return inTransaction(this.source, async (tx) => {
      const workspace = await tx.findOneBy(WorkspaceEntity, { id: workspaceId });
      if (workspace === null) throw errors.resourceNotFound();
      // A program with such a token needs no confirmation for changes that a person has to confirm.
      const confirms = usesConfirmations(workspace) && isAtLeast(role, 'admin');
      if (confirms) await this.confirmations.assertConfirmed(tx, person);
      const token = tx.create(AccessTokenEntity, {
        userId: person.id,
        workspaceId,
        name,
        role,
        tokenHash: hash,
        createdAt: now,
        expiresAt: end,
      });
      await tx.insert(AccessTokenEntity, token);
      await this.audit.recordChange(tx, {
        actor: { id: person.id, name: person.name, workspaceId },
        reason: 'token.created',
        details: { name, role, expiresAt: end.toISOString() },
        requestId,
      });
      return { ...toAccessToken(token), token: secret };
    });
  }

  /**
   * Revokes the token: its next request is refused, and its streams end.
   * @throws ApiError 404
   */
  delete(person: AuthenticatedUser, id: number, requestId: string): Promise<void> {
    return inTransaction(this.source, async (tx) => {
      const token = await tx.findOne(AccessTokenEntity, {
        where: { id, userId: person.id },
        lock: { mode: 'pessimistic_write' },
      });
      if (token === null) throw errors.resourceNotFound();
      await tx.delete(AccessTokenEntity, { id });
      await this.audit.recordChange(tx, {
        actor: { id: person.id, name: person.name, workspaceId: token.workspaceId },
        reason: 'token.revoked',
        details: { name: token.name, role: token.role },
        requestId,
      });
    });
  }
}

const toAccessToken = ({ id, name, workspaceId, role, ...at }: AccessTokenEntity): AccessToken => ({
  id,
  name,
  workspaceId,
  role,
  createdAt: at.createdAt.toISOString(),
  expiresAt: at.expiresAt.toISOString(),
  lastUsedAt: at.lastUsedAt?.toISOString() ?? null,
});

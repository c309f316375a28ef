import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, LessThanOrEqual } from 'typeorm';
import { isAtLeast, type Role } from '#contracts';
import { AccessTokenEntity } from '#database';
import { hashOfSecret } from '../crypto/shown-once.js';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import type { ActingMember } from './member.js';

const FIND = `
  SELECT t.id AS "tokenId", t.name AS "tokenName", t.role AS "tokenRole", t.workspace_id AS "workspaceId", t.expires_at AS "expiresAt",
    t.last_used_at AS "lastUsedAt", u.id, u.email, u.name, m.role
  FROM access_tokens t JOIN users u ON u.id = t.user_id
    LEFT JOIN workspace_members m ON m.workspace_id = t.workspace_id AND m.user_id = t.user_id
  WHERE t.token_hash = $1 AND t.expires_at > now()`;

interface Row extends Pick<ActingMember, 'id' | 'email' | 'name' | 'workspaceId' | 'expiresAt'> {
  tokenId: number;
  tokenName: string;
  tokenRole: Role;
  role: Role | null;
  lastUsedAt: Date | null;
}

/** The precision of `last_used_at`. A write for each request would be too many. */
const USED_MS = 60_000;

/** Finds the person and the rights behind a personal access token (docs/reference/workspaces.md#tokens). */
@Injectable()
export class AccessTokens {
  /** The tokens whose use is being written. */
  private readonly noting = new Set<number>();

  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
  ) {}

  /** @throws ApiError 401; 404 if the person is no longer a member of the token's workspace */
  async authenticate(token: string): Promise<ActingMember> {
    const [found]: Row[] = await this.source.query(FIND, [hashOfSecret(token)]);
    if (found === undefined) throw errors.invalidToken();
    const { tokenId, tokenName, tokenRole, role, lastUsedAt, ...person } = found;
    if (role === null) throw errors.resourceNotFound();
    this.noteUse(tokenId, lastUsedAt);
    return {
      ...person,
      role: isAtLeast(role, tokenRole) ? tokenRole : role,
      sessionId: null,
      token: { id: tokenId, name: tokenName },
    };
  }

  /** @throws ApiError 401 if the token was revoked */
  async assertAlive(id: number): Promise<void> {
    const rows: unknown[] = await this.source.query('SELECT FROM access_tokens WHERE id = $1 AND expires_at > now()', [
      id,
    ]);
    if (rows.length === 0) throw errors.invalidToken();
  }

  /** Runs in the background. No request waits for it. */
  private noteUse(id: number, lastUsedAt: Date | null): void {
    const now = this.clock.now();
    const due = new Date(now.getTime() - USED_MS);
    if ((lastUsedAt !== null && lastUsedAt > due) || this.noting.has(id)) return;
    this.noting.add(id);
    // The condition lets only one of several writers succeed.
    const unused = [
      { id, lastUsedAt: IsNull() },
      { id, lastUsedAt: LessThanOrEqual(due) },
    ];
    this.background.run('token last used', () =>
      this.source.manager.update(AccessTokenEntity, unused, { lastUsedAt: now }).finally(() => this.noting.delete(id)),
    );
  }
}

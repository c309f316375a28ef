import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Role } from '#contracts';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';

export interface Membership {
  workspaceId: number;
  role: Role;
}

/**
 * Keeps the workspace from being deleted until the transaction ends. Call it before a row is added to the workspace.
 * @throws ApiError 404
 */
export async function keepWorkspace(tx: EntityManager, workspaceId: number): Promise<void> {
  const kept: unknown[] = await tx.query('SELECT FROM workspaces WHERE id = $1 FOR KEY SHARE', [workspaceId]);
  if (kept.length === 0) throw errors.resourceNotFound();
}

/** The precision of `last_seen_at`. A write for each request would be too many. */
const SEEN_MS = 60_000;

/** Finds the members of workspaces and their roles. */
@Injectable()
export class Memberships {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
  ) {}

  /** @param workspaceId null: the workspace that the person has been in for the longest time @throws ApiError 404 */
  async find(userId: number, workspaceId: number | null): Promise<Membership> {
    const [found]: (Membership & { lastSeenAt: Date | null })[] = await this.source.query(
      `SELECT workspace_id AS "workspaceId", role, last_seen_at AS "lastSeenAt" FROM workspace_members
       WHERE user_id = $1 AND ($2::int IS NULL OR workspace_id = $2) ORDER BY joined_at, workspace_id LIMIT 1`,
      [userId, workspaceId],
    );
    if (found === undefined) throw errors.resourceNotFound();
    this.see(userId, found);
    return { workspaceId: found.workspaceId, role: found.role };
  }

  /** The role that the person has in the workspace now; null: none. */
  async roleOf(userId: number, workspaceId: number, tx = this.source.manager): Promise<Role | null> {
    const [found]: { role: Role }[] = await tx.query(
      'SELECT role FROM workspace_members WHERE user_id = $1 AND workspace_id = $2',
      [userId, workspaceId],
    );
    return found?.role ?? null;
  }

  /** All workspaces of the person. */
  async of(userId: number): Promise<number[]> {
    const rows: { id: number }[] = await this.source.query(
      'SELECT workspace_id AS id FROM workspace_members WHERE user_id = $1 ORDER BY joined_at, workspace_id',
      [userId],
    );
    return rows.map(({ id }) => id);
  }

  private see(userId: number, { workspaceId, lastSeenAt }: Membership & { lastSeenAt: Date | null }): void {
    const now = this.clock.now();
    if (lastSeenAt !== null && now.getTime() - lastSeenAt.getTime() < SEEN_MS) return;
    this.background.run('member last seen', () =>
      this.source.query('UPDATE workspace_members SET last_seen_at = $3 WHERE user_id = $1 AND workspace_id = $2', [
        userId,
        workspaceId,
        now,
      ]),
    );
  }
}

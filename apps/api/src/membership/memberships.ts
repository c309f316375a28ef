import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Role } from '#contracts';
import { WorkspaceEntity, WorkspaceMemberEntity } from '#database';
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

const LONGEST_FIRST = { joinedAt: 'ASC', workspaceId: 'ASC' } as const;

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
    const found = await this.members.findOne({
      where: { userId, ...(workspaceId !== null && { workspaceId }) },
      order: LONGEST_FIRST,
    });
    if (found === null) throw errors.resourceNotFound();
    this.see(found);
    return { workspaceId: found.workspaceId, role: found.role };
  }

  /** The role that the person has in the workspace now; null: none. */
  async findRole(userId: number, workspaceId: number, tx = this.source.manager): Promise<Role | null> {
    const found = await tx.findOneBy(WorkspaceMemberEntity, { userId, workspaceId });
    return found?.role ?? null;
  }

  /** All workspaces of the person. */
  async of(userId: number, tx = this.source.manager): Promise<number[]> {
    const found = await tx.find(WorkspaceMemberEntity, { where: { userId }, order: LONGEST_FIRST });
    return found.map(({ workspaceId }) => workspaceId);
  }

  /** @throws ApiError 404 */
  async readWorkspaceName(workspaceId: number): Promise<string> {
    const found = await this.source.manager.findOneBy(WorkspaceEntity, { id: workspaceId });
    if (found === null) throw errors.resourceNotFound();
    return found.name;
  }

  private see({ userId, workspaceId, lastSeenAt }: WorkspaceMemberEntity): void {
    const now = this.clock.now();
    if (lastSeenAt !== null && now.getTime() - lastSeenAt.getTime() < SEEN_MS) return;
    this.background.run('member last seen', () => this.members.update({ userId, workspaceId }, { lastSeenAt: now }));
  }

  private get members() {
    return this.source.getRepository(WorkspaceMemberEntity);
  }
}

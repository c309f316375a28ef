import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AgentView } from '../agents/agent-directory.js';
import { AgentsConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';

/** The agents of a workspace together may hold as much as this number of agents, each at its own limit. */
const AGENTS_IN_WORKSPACE = 4;

type Owner = Pick<AgentView, 'id' | 'workspaceId'>;

/**
 * Locks the workspace. Two transactions don't see each other's new actions, so they must not count them at the same
 * time.
 */
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('open actions of ' || $1::int, 0))`;

/** Reads only the index. */
const OPEN = `
  SELECT count(*) FILTER (WHERE agent_id = $2)::int AS count,
    coalesce(sum(held_bytes) FILTER (WHERE agent_id = $2), 0)::float8 AS bytes,
    coalesce(sum(held_bytes), 0)::float8 AS "workspaceBytes"
  FROM actions WHERE workspace_id = $1 AND status IN ('PENDING', 'APPROVED')`;

/**
 * Limits how many open actions an agent has, and how much space their requests take. Without the limit, an agent could
 * hide the actions of other agents among its own, and could fill the disk (docs/reference/agent-api.md#bounds).
 */
@Injectable()
export class OpenActionLimit {
  constructor(private readonly config: AgentsConfig) {}

  /**
   * Refuses most requests before they are stored. Others may be stored at the same time, so `assertKept` decides.
   * @param bytes what the new action would add
   * @throws ApiError 429
   */
  async assertRoom(tx: EntityManager, agent: Owner, bytes: number): Promise<void> {
    await this.assert(tx, agent, 1, bytes);
  }

  /** Call this after an action was inserted. The lock is kept until the transaction ends. @throws ApiError 429 */
  async assertKept(tx: EntityManager, agent: Owner): Promise<void> {
    await tx.query(LOCK, [agent.workspaceId]);
    await this.assert(tx, agent, 0, 0);
  }

  private async assert(tx: EntityManager, { id, workspaceId }: Owner, more: number, bytes: number): Promise<void> {
    const { maxPending, maxHeldBytes } = this.config;
    const [open]: { count: number; bytes: number; workspaceBytes: number }[] = await tx.query(OPEN, [workspaceId, id]);
    if (open.count + more > maxPending) throw errors.tooManyPending(maxPending);
    if (open.bytes + bytes > maxHeldBytes) throw errors.tooMuchHeld(maxHeldBytes, 'agent');
    const ofWorkspace = AGENTS_IN_WORKSPACE * maxHeldBytes;
    if (open.workspaceBytes + bytes > ofWorkspace) throw errors.tooMuchHeld(ofWorkspace, 'workspace');
  }
}

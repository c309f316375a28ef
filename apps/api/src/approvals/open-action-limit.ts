import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AgentsConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';

/**
 * Limits the open actions of one agent: more than a person can decide would bury those of other agents
 * (docs/reference/agent-api.md#bounds).
 */
@Injectable()
export class OpenActionLimit {
  constructor(private readonly config: AgentsConfig) {}

  /**
   * Call this after the action was queued, so that a repeated request for a waiting action is not refused. Two
   * concurrent transactions don't see each other's actions, so an agent may exceed the bound by its requests in flight.
   * @throws ApiError 429
   */
  async assertKept(tx: EntityManager, agentId: number): Promise<void> {
    // Reads no more index entries than the bound.
    const above: unknown[] = await tx.query(
      `SELECT FROM actions WHERE agent_id = $1 AND status IN ('PENDING', 'APPROVED') OFFSET $2 LIMIT 1`,
      [agentId, this.config.maxPending],
    );
    if (above.length > 0) throw errors.tooManyPending(this.config.maxPending);
  }
}

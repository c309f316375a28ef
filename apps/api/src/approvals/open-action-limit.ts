import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AgentsConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';

/**
 * Bounds the open actions of one agent: more than a human can decide on would only bury those of others
 * (docs/reference/agent-api.md#bounds).
 */
@Injectable()
export class OpenActionLimit {
  constructor(private readonly config: AgentsConfig) {}

  /**
   * To be called where the action is queued already, so that one that is only asked for again is not refused. Of two that
   * are queued in the same moment, neither sees the other: an agent may be above the bound by its requests in flight.
   * @throws ApiError 429
   */
  async assertKept(tx: EntityManager, agentId: number): Promise<void> {
    // Reads no more of the index than the bound.
    const above: unknown[] = await tx.query(
      `SELECT FROM actions WHERE agent_id = $1 AND status IN ('PENDING', 'APPROVED') OFFSET $2 LIMIT 1`,
      [agentId, this.config.maxPending],
    );
    if (above.length > 0) throw errors.tooManyPending(this.config.maxPending);
  }
}

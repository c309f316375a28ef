import type { EntityManager } from 'typeorm';
import { PreviousAgentKeyEntity, type AgentEntity } from '#database';
import { errors } from '../platform/errors.js';

/**
 * Checks in a transaction that the key of a request is still one of the agent's. A key may have ended since the guard.
 * @param agent locked
 * @throws ApiError 401
 */
export async function assertKeyWorks(tx: EntityManager, agent: AgentEntity, keyHash: string): Promise<void> {
  if (!agent.isActive) throw errors.revokedAgentKey();
  if (keyHash === agent.keyHash) return;
  const isKept = await tx.existsBy(PreviousAgentKeyEntity, { agentId: agent.id, keyHash });
  if (!isKept) throw errors.unknownAgentKey();
}

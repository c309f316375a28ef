import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { EntityManager } from 'typeorm';
import { AgentEntity } from '#database';
import { assertKeyWorks, type UsedKey } from '../agents/working-key.js';
import type { ChangeActor } from '../audit/audit-log.js';
import { errors } from '../platform/errors.js';
import type { ChangeAuthor } from '../membership/change-author.js';

/** The agent that a callback belongs to, and who changes the callback: the agent itself or its owner. */
export interface CallbackAuthor {
  agentId: number;
  actor: ChangeActor;
  /** The key that the agent sent; null: the owner changes the callback. */
  key: UsedKey | null;
  requestId: string;
}

/** The owner as the author of a change to one agent's callback. */
export function toCallbackAuthor({ actor, requestId }: ChangeAuthor, agentId: number): CallbackAuthor {
  return { agentId, actor, key: null, requestId };
}

/** Injects the calling agent as the author, in handlers behind `FreshAgentKeyGuard`. */
export const AgentAuthor = createParamDecorator((_data: unknown, context: ExecutionContext): CallbackAuthor => {
  const { agent, requestId } = context.switchToHttp().getRequest<Request>();
  return {
    agentId: agent.id,
    actor: { id: null, name: agent.name, workspaceId: agent.workspaceId },
    key: agent,
    requestId,
  };
});

/**
 * Returns the agent and locks it, so that changes to its callback run one after the other. The agent's key must still
 * be valid: it may have been revoked since the guard, while the gateway looked up the host of the callback.
 * @throws ApiError 401, 403, 404
 */
export async function lockAgent(tx: EntityManager, author: CallbackAuthor): Promise<AgentEntity> {
  const { actor, agentId, key } = author;
  const agent = await tx.findOne(AgentEntity, {
    where: { id: agentId, workspaceId: actor.workspaceId },
    lock: { mode: 'for_no_key_update' },
  });
  if (!agent) throw errors.resourceNotFound();
  if (key !== null) await assertKeyWorks(tx, agent, key);
  return agent;
}

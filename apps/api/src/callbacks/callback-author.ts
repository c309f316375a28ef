import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { EntityManager } from 'typeorm';
import { AgentEntity } from '#database';
import type { Party } from '../audit/audit-record.js';
import { errors } from '../platform/errors.js';
import type { ChangeAuthor } from '../services/change-author.js';

/** Whose callback is meant, and who changes it: the agent itself, or its owner. */
export interface CallbackAuthor {
  userId: number;
  agentId: number;
  actor: Party;
  byAgent: boolean;
  requestId: string;
}

/** The owner, for one agent. */
export function ownerOf({ actor, requestId }: ChangeAuthor, agentId: number): CallbackAuthor {
  return { userId: actor.id, agentId, actor: { id: actor.id, name: actor.name }, byAgent: false, requestId };
}

/** The agent that asks, in handlers behind `FreshAgentKeyGuard`. */
export const AgentAuthor = createParamDecorator((_data: unknown, context: ExecutionContext): CallbackAuthor => {
  const { agent, requestId } = context.switchToHttp().getRequest<Request>();
  return { userId: agent.userId, agentId: agent.id, actor: { id: null, name: agent.name }, byAgent: true, requestId };
});

/** The user's agent; locked, so that changes of its callback come one after the other. @throws ApiError 404 */
export async function lockAgent(tx: EntityManager, { userId, agentId }: CallbackAuthor): Promise<AgentEntity> {
  const agent = await tx.findOne(AgentEntity, {
    where: { id: agentId, userId },
    lock: { mode: 'for_no_key_update' },
  });
  if (!agent) throw errors.resourceNotFound();
  return agent;
}

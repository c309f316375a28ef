import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AgentEntity } from '#database';
import { AuditLog, gatewayIn } from '../audit/audit-log.js';
import type { CallbackAuthor } from './callback-author.js';

/** Records changes to callbacks. Agents change them too, so the actor is not always a user. */
@Injectable()
export class CallbackChanges {
  constructor(private readonly audit: AuditLog) {}

  /** @param author null if the gateway itself makes the change */
  record(
    tx: EntityManager,
    author: CallbackAuthor | null,
    agent: Pick<AgentEntity, 'id' | 'workspaceId' | 'name'>,
    reason: string,
    details: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.recordChange(tx, {
      actor: author?.actor ?? gatewayIn(agent.workspaceId),
      requestId: author?.requestId,
      agent: { id: agent.id, name: agent.name },
      reason,
      details,
    });
  }
}

/** Returns the URL in the form that records may contain. The query often contains a secret of the receiver. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AgentEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { Clock } from '../platform/clock.js';
import type { CallbackAuthor } from './callback-author.js';

/** Records changes to callbacks. Agents change them too, so the actor is not always a user. */
@Injectable()
export class CallbackChanges {
  constructor(
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @param author null if the gateway itself makes the change */
  record(
    tx: EntityManager,
    author: CallbackAuthor | null,
    agent: Pick<AgentEntity, 'id' | 'workspaceId' | 'name'>,
    reason: string,
    details: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.writeIn(tx, {
      id: this.audit.newId(),
      at: this.clock.now(),
      kind: 'change',
      outcome: 'changed',
      workspaceId: agent.workspaceId,
      actor: author?.actor ?? { id: null, name: 'Agent Gateway' },
      requestId: author?.requestId,
      agent: { id: agent.id, name: agent.name },
      reason,
      details: author?.token === undefined ? details : { ...details, token: author.token },
    });
  }
}

/** Returns the URL in the form that records may contain. The query often contains a secret of the receiver. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

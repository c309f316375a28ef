import type { EntityManager } from 'typeorm';
import type { UpdateServiceRequest } from '#contracts';
import { ServiceEntity } from '#database';
import type { AuditLog } from '../audit/audit-log.js';
import { refusedByPause } from '../audit/refused-by-pause.js';
import type { ChangeAuthor } from '../membership/change-author.js';

/**
 * Pauses or resumes a locked service. The change increments the versions that the records of its requests depend on, so
 * that it applies from the next request on every instance (docs/reference/agent-api.md#pause).
 * @returns how many requests the pause has refused; undefined: it ended none
 */
export async function setPause(
  tx: EntityManager,
  audit: AuditLog,
  author: ChangeAuthor,
  service: ServiceEntity,
  { isPaused, pausedReason: reason = null }: Pick<UpdateServiceRequest, 'isPaused'> & { pausedReason?: string | null },
  now: Date,
): Promise<number | undefined> {
  const { id, name, pausedAt } = service;
  const change = { ...author, service: { id, name } };
  if (isPaused) {
    const { id: pausedBy, name: pausedByName } = author.actor;
    await tx.update(ServiceEntity, { id }, { pausedAt: pausedAt ?? now, pausedReason: reason, pausedBy, pausedByName });
    await audit.recordChange(tx, { ...change, reason: 'service.paused', details: { reason } });
    return undefined;
  }
  if (pausedAt === null) return undefined;
  const refusedRequests = await refusedByPause(tx, author.actor.workspaceId, id, pausedAt);
  await tx.update(ServiceEntity, { id }, { pausedAt: null, pausedReason: null, pausedBy: null, pausedByName: null });
  await audit.recordChange(tx, { ...change, reason: 'service.resumed', details: { refusedRequests } });
  return refusedRequests;
}

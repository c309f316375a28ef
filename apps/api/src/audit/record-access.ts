import type { EntityManager } from 'typeorm';
import { WorkspaceMemberEntity } from '#database';
import { uuidV7 } from '../platform/uuid-v7.js';
import { insertRecords, type NewAuditRecord } from './audit-record.js';

/** The records of an event of an account: one in each workspace of its person, or one without a workspace. */
export function accessRecords(
  event: Omit<NewAuditRecord, 'id' | 'kind' | 'workspaceId'>,
  workspaceIds: number[],
): NewAuditRecord[] {
  const places = workspaceIds.length === 0 ? [null] : workspaceIds;
  return places.map((workspaceId) => ({ ...event, id: uuidV7(event.at.getTime()), kind: 'access', workspaceId }));
}

/**
 * Records a change that a program outside the gateway made to a person's account. Uses the caller's transaction.
 */
export async function recordAccess(
  tx: EntityManager,
  actor: { id: number; name: string },
  reason: string,
  at: Date,
): Promise<void> {
  const memberships = await tx.findBy(WorkspaceMemberEntity, { userId: actor.id });
  const event = { at, outcome: 'changed', actor, reason, details: { address: null, userAgent: null } } as const;
  const workspaceIds = memberships.map(({ workspaceId }) => workspaceId);
  await insertRecords(tx, accessRecords(event, workspaceIds));
}

import type { EntityManager } from 'typeorm';
import { isAtLeast, type Role } from '#contracts';
import { WorkspaceEntity, WorkspaceMemberEntity } from '#database';
import type { ActingMember } from './member.js';
import { errors } from '../platform/errors.js';

/**
 * The member's workspace, locked until the transaction ends, so that changes of its members run one after the other.
 * The member's role is checked again under the lock: if two owners lower each other's roles, the second one is refused.
 * @throws ApiError 403, 404
 */
export async function lockWorkspace(
  tx: EntityManager,
  { id: userId, workspaceId, role }: ActingMember,
  least: Role,
  mode: 'for_no_key_update' | 'pessimistic_write' = 'for_no_key_update',
): Promise<WorkspaceEntity> {
  const workspace = await tx.findOne(WorkspaceEntity, { where: { id: workspaceId }, lock: { mode } });
  const membership = await tx.findOneBy(WorkspaceMemberEntity, { workspaceId, userId });
  if (workspace === null || membership === null) throw errors.resourceNotFound();
  // The role of a token may be lower than that of the person.
  for (const each of [role, membership.role]) if (!isAtLeast(each, least)) throw errors.roleTooLow(each);
  return workspace;
}

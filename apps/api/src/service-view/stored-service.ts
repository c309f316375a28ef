import type { EntityManager } from 'typeorm';
import { ServiceEntity } from '#database';
import { errors } from '../platform/errors.js';

/**
 * The workspace's service, locked until the transaction ends, so that changes of one service run one after the other.
 * Lock the service before anything that belongs to it. @throws ApiError 404
 */
export async function lockService(
  tx: EntityManager,
  workspaceId: number,
  id: number,
  mode: 'for_no_key_update' | 'pessimistic_write' = 'for_no_key_update',
): Promise<ServiceEntity> {
  const service = await tx.findOne(ServiceEntity, { where: { id, workspaceId }, lock: { mode } });
  if (!service) throw errors.serviceNotFound();
  return service;
}

/** The workspace's service. @throws ApiError 404 */
export async function findService(manager: EntityManager, workspaceId: number, id: number): Promise<ServiceEntity> {
  const service = await manager.findOneBy(ServiceEntity, { id, workspaceId });
  if (!service) throw errors.serviceNotFound();
  return service;
}

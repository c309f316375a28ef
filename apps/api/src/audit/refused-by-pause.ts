import type { EntityManager } from 'typeorm';
import { REFUSALS_COUNTED_MAX } from '#contracts';
import { firstUuidV7 } from '../platform/uuid-v7.js';

/** Reads the newest refusals only, so that a long pause is resumed without delay. */
const COUNT = `
  SELECT count(*)::int AS count FROM (
    SELECT service_id, reason FROM audit_records
    WHERE workspace_id = $1 AND outcome = 'refused' AND id >= $3 ORDER BY id DESC LIMIT ${REFUSALS_COUNTED_MAX}) r
  WHERE r.service_id IS NOT DISTINCT FROM $2 AND r.reason LIKE 'Paused: %'`;

/**
 * How many requests a pause has refused.
 * @param serviceId null: the workspace was paused. Its refusals name no service
 */
export async function refusedByPause(
  tx: EntityManager,
  workspaceId: number,
  serviceId: number | null,
  since: Date,
): Promise<number> {
  const [found]: { count: number }[] = await tx.query(COUNT, [workspaceId, serviceId, firstUuidV7(since.getTime())]);
  return found.count;
}

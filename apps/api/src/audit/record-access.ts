import type { EntityManager } from 'typeorm';
import { uuidV7 } from '../platform/uuid-v7.js';
import { AUDIT_COLUMNS, toRow } from './audit-record.js';

/**
 * Records, in each workspace of the person, a change that a program outside the gateway made to their account. Uses the
 * caller's transaction.
 */
export async function recordAccess(
  tx: EntityManager,
  actor: { id: number; name: string },
  reason: string,
  at: Date,
): Promise<void> {
  const workspaces: { id: number | null }[] = await tx.query(
    'SELECT workspace_id AS id FROM workspace_members WHERE user_id = $1',
    [actor.id],
  );
  const records = (workspaces.length === 0 ? [{ id: null }] : workspaces).map((workspace) =>
    toRow({
      id: uuidV7(at.getTime()),
      at,
      kind: 'access',
      outcome: 'changed',
      workspaceId: workspace.id,
      actor,
      reason,
      details: { address: null, userAgent: null },
    }),
  );
  await tx.query(
    `INSERT INTO audit_records (${AUDIT_COLUMNS})
     SELECT ${AUDIT_COLUMNS} FROM json_populate_recordset(NULL::audit_records, $1::json)`,
    [JSON.stringify(records)],
  );
}

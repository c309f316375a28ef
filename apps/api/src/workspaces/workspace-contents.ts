import type { EntityManager } from 'typeorm';
import { inShortStatements } from '#database';

/**
 * The tables of a workspace that can have so many rows that deleting them by the cascade would exceed the statement
 * timeout.
 */
const CONTENTS = [
  {
    select: 'SELECT id FROM actions WHERE workspace_id = $1',
    remove: 'DELETE FROM actions WHERE id = ANY ($1::uuid[])',
  },
  {
    select: 'SELECT d.id FROM channel_deliveries d JOIN channels c ON c.id = d.channel_id WHERE c.workspace_id = $1',
    remove: 'DELETE FROM channel_deliveries WHERE id = ANY ($1::uuid[])',
  },
];

/** Deletes them in short statements of the caller's transaction. Call it under the lock of the workspace. */
export async function deleteContents(tx: EntityManager, workspaceId: number): Promise<void> {
  for (const { select, remove } of CONTENTS) await inShortStatements(tx, select, workspaceId, remove);
}

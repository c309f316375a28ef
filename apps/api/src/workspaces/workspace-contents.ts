import type { EntityManager } from 'typeorm';

/** So many rows are deleted within the time that a statement may take, also where each has a large answer. */
const BATCH = 1000;

/** What a workspace can have so many of that the cascade from its row would take longer than a statement may. */
const CONTENTS = [
  {
    select: (workspaceId: number) => `SELECT id FROM actions WHERE workspace_id = ${workspaceId}`,
    remove: 'DELETE FROM actions WHERE id = ANY ($1::uuid[])',
  },
  {
    select: (workspaceId: number) =>
      `SELECT d.id FROM channel_deliveries d JOIN channels c ON c.id = d.channel_id WHERE c.workspace_id = ${workspaceId}`,
    remove: 'DELETE FROM channel_deliveries WHERE id = ANY ($1::uuid[])',
  },
];

/** Deletes them in short statements of the caller's transaction. Call it under the lock of the workspace. */
export async function deleteContents(tx: EntityManager, workspaceId: number): Promise<void> {
  for (const { select, remove } of CONTENTS) {
    // A cursor reads each row once. A query with LIMIT would pass all rows that are deleted already, each time.
    await tx.query(`DECLARE contents NO SCROLL CURSOR FOR ${select(workspaceId)}`);
    for (;;) {
      const rows: { id: string }[] = await tx.query(`FETCH ${BATCH} FROM contents`);
      if (rows.length === 0) break;
      await tx.query(remove, [rows.map(({ id }) => id)]);
    }
    await tx.query('CLOSE contents');
  }
}

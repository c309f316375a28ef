import type { DataSource, EntityManager } from 'typeorm';

/**
 * This many rows can be changed within a tenth of the time that a statement may take, so that there is room for a busy
 * disk.
 */
const BATCH = 250;

/**
 * Repeats a statement until it has changed all rows. Each run is a transaction of its own, so that it locks few rows
 * and only for a moment.
 * @param statement changes at most $2 rows of $1
 */
export async function inBatches(source: DataSource, statement: string, id: number): Promise<void> {
  for (;;) {
    const [, changed]: [unknown[], number] = await source.query(statement, [id, BATCH]);
    if (changed < BATCH) return;
  }
}

/** Whether a query finds more rows than a batch. @param select rows of $1 */
export async function isLong(source: DataSource, select: string, id: number): Promise<boolean> {
  const beyond: unknown[] = await source.query(`${select} OFFSET $2 LIMIT 1`, [id, BATCH]);
  return beyond.length > 0;
}

/**
 * Changes all rows of a query in short statements of the caller's transaction. A cursor reads each row only once. A
 * query with LIMIT would have to skip all changed rows again each time.
 * @param select the `id` of each row; its $1 is `id`
 * @param change changes the rows whose ids are in the array $1. It may use $2, which is `id` too
 */
export async function inShortStatements(tx: EntityManager, select: string, id: number, change: string): Promise<void> {
  await tx.query(`DECLARE long_list NO SCROLL CURSOR FOR ${select}`, [id]);
  for (;;) {
    const rows: { id: string }[] = await tx.query(`FETCH ${BATCH} FROM long_list`);
    if (rows.length === 0) break;
    await tx.query(change, [rows.map(({ id: each }) => each), ...(change.includes('$2') ? [id] : [])]);
  }
  await tx.query('CLOSE long_list');
}

import type { DataSource } from 'typeorm';

/** So many rows are changed within a tenth of the time that a statement may take, so that there is room for a busy disk. */
const BATCH = 250;

/**
 * Repeats a statement until it has changed everything, as a transaction of its own each time, so that it holds few rows for a moment only.
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

import type { DataSource, EntityManager } from 'typeorm';

/** SQLSTATEs after which PostgreSQL asks for the transaction to be run again: serialization failure, deadlock. */
const RETRYABLE = new Set(['40001', '40P01']);
const ATTEMPTS = 3;

/** Runs `work` in one transaction, and again when PostgreSQL picked it as the victim of a conflict. */
export async function inTransaction<T>(source: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await source.transaction(work);
    } catch (error) {
      if (attempt >= ATTEMPTS || !isConflict(error)) throw error;
    }
  }
}

/** Whether PostgreSQL picked this statement as the victim of a conflict: nothing of it was done, and it may be run again. */
export function isConflict(error: unknown): boolean {
  return RETRYABLE.has(sqlState(error) ?? '');
}

/** The five-character code of a PostgreSQL error, wherever the driver or the ORM put it. */
export function sqlState(error: unknown): string | undefined {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: { code?: unknown } };
  const state = driverError?.code ?? code;
  return typeof state === 'string' && /^[0-9A-Z]{5}$/.test(state) ? state : undefined;
}

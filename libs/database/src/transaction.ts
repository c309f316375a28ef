import type { DataSource, EntityManager } from 'typeorm';

/** SQLSTATEs after which a transaction can be repeated: serialization failure, deadlock. */
const RETRYABLE = new Set(['40001', '40P01']);
const UNIQUE_VIOLATION = '23505';
const ATTEMPTS = 3;

/** Runs `work` in one transaction. Repeats it if PostgreSQL aborted it because of a conflict. */
export async function inTransaction<T>(source: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await source.transaction(work);
    } catch (error) {
      if (attempt >= ATTEMPTS || !isConflict(error)) throw error;
    }
  }
}

/** Whether PostgreSQL aborted the statement because of a conflict. Then it had no effect and can be repeated. */
export function isConflict(error: unknown): boolean {
  return RETRYABLE.has(sqlState(error) ?? '');
}

/** Whether PostgreSQL refused the statement because a row with such a key exists. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === UNIQUE_VIOLATION;
}

/** The five-character code of a PostgreSQL error, from the driver's or the ORM's error object. */
export function sqlState(error: unknown): string | undefined {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: { code?: unknown } };
  const state = driverError?.code ?? code;
  return typeof state === 'string' && /^[0-9A-Z]{5}$/.test(state) ? state : undefined;
}

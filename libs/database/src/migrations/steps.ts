import { setTimeout as delay } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';

/** A step that waits for a lock makes others wait behind it. So it gives up soon, lets them pass, and tries again. */
const LOCK_TIMEOUT_MS = 300;
const PAUSE_MS = 200;
const ATTEMPTS = 1500;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

export interface StepLimits {
  /** How long a step waits for a lock, and everybody behind it. */
  lockTimeoutMs?: number;
  attempts?: number;
}

/** Changes tables under load: in steps that each hold their locks for a moment. */
export function inSteps(
  runner: QueryRunner,
  { lockTimeoutMs = LOCK_TIMEOUT_MS, attempts = ATTEMPTS }: StepLimits = {},
) {
  /** One transaction. It is repeated until it gets its locks in time. @param unless SQL: the step was done already */
  const step = (sql: string, { unless }: { unless?: string } = {}): Promise<void> =>
    attempt(async () => {
      if (unless === undefined || !(await holds(unless))) await runner.query(sql);
    });

  /** Does the work in one transaction, which is repeated until it gets its locks in time. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    for (let count = 1; ; count++) {
      try {
        return await inOne(work);
      } catch (error) {
        if (count >= attempts || !isLocked(error)) throw error;
        await delay(PAUSE_MS);
      }
    }
  }

  /** Changes rows in short transactions. @param next selects the ids of the next rows; none: done */
  async function batches(next: string, change: (ids: string) => string): Promise<void> {
    for (let attempt = 1; ;) {
      try {
        const count = await inOne(async () => {
          const rows = (await runner.query(next)) as { id: number }[];
          if (rows.length > 0) await runner.query(change(rows.map(({ id }) => id).join(', ')));
          return rows.length;
        });
        if (count === 0) return;
        attempt = 1;
      } catch (error) {
        if (++attempt > attempts || !isLocked(error)) throw error;
        await delay(PAUSE_MS);
      }
    }
  }

  async function inOne<T>(work: () => Promise<T>): Promise<T> {
    await runner.startTransaction();
    try {
      await runner.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      const result = await work();
      await runner.commitTransaction();
      return result;
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
  }

  async function holds(condition: string): Promise<boolean> {
    const [row] = (await runner.query(`SELECT ${condition} AS yes`)) as { yes: boolean }[];
    return row.yes;
  }

  return { step, batches, attempt };
}

function isLocked(error: unknown): boolean {
  const { code } = ((error as { driverError?: { code?: string } }).driverError ?? error) as { code?: string };
  return code === LOCK_NOT_AVAILABLE || code === DEADLOCK;
}

import { setTimeout as delay } from 'node:timers/promises';

interface Retry {
  /** All attempts, the first one included. */
  attempts: number;
  /** Which errors are worth another attempt. By default all are. */
  when?: (error: unknown) => boolean;
  /** Runs before each further attempt, and gets the number of attempts so far. */
  before?: (attempts: number) => Promise<unknown>;
}

/** For a write that must not be lost while the database restarts. */
export const SHORT_OUTAGE: Retry = { attempts: 5, before: () => delay(500) };

/**
 * Runs work until it succeeds.
 * @throws its last error when no attempt is left, or when another attempt is not worth it
 */
export async function retry<T>(work: () => Promise<T>, { attempts, when, before }: Retry): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || when?.(error) === false) throw error;
      await before?.(attempt);
    }
  }
}

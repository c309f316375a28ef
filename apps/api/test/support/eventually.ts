import { setTimeout as delay } from 'node:timers/promises';

/** Repeats the check until its result is neither false, null nor undefined, and returns the result. */
export async function eventually<T>(
  condition: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  timeoutMs = 300_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition.toString()}`);
    await delay(20);
  }
}

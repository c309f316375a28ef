const ROUNDS = 5;

/**
 * How many times as long the first work takes as the second. Only the fastest round of each counts, so that a pause of the machine does
 * not, and a slow machine is slow for both.
 */
export async function timesAsLong(first: () => unknown, second: () => unknown): Promise<number> {
  const fastest = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, work] of [first, second].entries()) {
      const startedMs = performance.now();
      await work();
      fastest[at] = Math.min(fastest[at], performance.now() - startedMs);
    }
  }
  return fastest[0] / fastest[1];
}

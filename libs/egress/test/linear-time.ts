const ROUNDS = 9;

/**
 * How many times as much processor time the first work takes as the second. Only the best round of each counts. Other
 * programs on the machine take none of this time, and a slow machine is slow for both.
 */
export async function timesAsLong(first: () => unknown, second: () => unknown): Promise<number> {
  const best = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, work] of [first, second].entries()) {
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      best[at] = Math.min(best[at], user + system);
    }
  }
  return best[0] / best[1];
}

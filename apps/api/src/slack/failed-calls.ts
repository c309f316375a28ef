import { LRUCache } from 'lru-cache';
import type { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';

const WINDOW_MS = 60_000;
const FAILURES_MAX = 30;
/** More addresses than this at once are an attack. Those that called longest ago are then forgotten. */
const ADDRESSES_MAX = 10_000;

/**
 * Counts failed calls per address in this process, and tells a caller after too many that guessing is useless. It never
 * refuses a call unread, and no call waits for another one: all Slack apps call from the same addresses, and one app must
 * not block another. Checking a call costs less than a millisecond.
 */
export class FailedCalls {
  /** Failures per address. The first one starts its minute. */
  private readonly counts: LRUCache<string, number>;

  constructor(clock: Clock) {
    this.counts = new LRUCache({
      max: ADDRESSES_MAX,
      ttl: WINDOW_MS,
      noUpdateTTL: true,
      ttlResolution: 0,
      perf: { now: () => clock.nowMs() },
    });
  }

  /** Counts a failed call. @throws ApiError 429 after too many from this address within a minute */
  count(address: string): void {
    // An entry whose minute is over is gone, so the next failure starts another one.
    const before = this.counts.get(address) ?? 0;
    this.counts.set(address, before + 1);
    if (before >= FAILURES_MAX) throw errors.tooManyFailures(Math.ceil(this.counts.getRemainingTTL(address) / 1000));
  }
}

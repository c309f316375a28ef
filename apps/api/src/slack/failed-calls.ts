import { LRUCache } from 'lru-cache';
import type { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';

const WINDOW_MS = 60_000;
const FAILURES_MAX = 30;
/** More addresses than this at once are an attack. Those that called longest ago are then forgotten. */
const ADDRESSES_MAX = 10_000;

/**
 * Counts failed calls per address in this process, so that guessing costs the gateway little. After too many, calls
 * from the address are checked one at a time, and concurrent ones are refused. Valid calls still pass, because all
 * Slack apps call from the same addresses, and one app must not block another.
 */
export class FailedCalls {
  private readonly judging = new Set<string>();
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

  /**
   * Checks a call. null: it failed.
   * @throws ApiError 429
   */
  async judge<T>(address: string, judged: () => Promise<T | null>): Promise<T | null> {
    const waitMs = this.waitMs(address);
    if (waitMs > 0 && this.judging.has(address)) throw errors.tooManyFailures(Math.ceil(waitMs / 1000));
    const isFirst = !this.judging.has(address);
    this.judging.add(address);
    try {
      const result = await judged();
      if (result !== null) return result;
      this.counts.set(address, this.countOf(address) + 1);
      // The error shows the caller that guessing is useless.
      if (waitMs > 0) throw errors.tooManyFailures(Math.ceil(waitMs / 1000));
      return null;
    } finally {
      if (isFirst) this.judging.delete(address);
    }
  }

  private waitMs(address: string): number {
    return this.countOf(address) < FAILURES_MAX ? 0 : this.counts.getRemainingTTL(address);
  }

  /** Removes an entry whose minute is over, so that the next failure starts another one. */
  private countOf(address: string): number {
    return this.counts.get(address) ?? 0;
  }
}

import { errors } from '../platform/errors.js';

const WINDOW_MS = 60_000;
const FAILURES_MAX = 30;
/** More addresses than this at once are an attack. The oldest addresses are then forgotten. */
const ADDRESSES_MAX = 10_000;

/**
 * Counts failed calls per address in this process, so that guessing costs the gateway little. After too many, calls
 * from the address are checked one at a time, and concurrent ones are refused. Valid calls still pass, because all
 * Slack apps call from the same addresses, and one app must not block another.
 */
export class FailedCalls {
  private readonly judging = new Set<string>();
  private readonly byAddress = new Map<string, { count: number; endsMs: number }>();

  /**
   * Checks a call. null: it failed.
   * @throws ApiError 429
   */
  async judge<T>(address: string, nowMs: number, judged: () => Promise<T | null>): Promise<T | null> {
    const waitMs = this.waitMs(address, nowMs);
    if (waitMs > 0 && this.judging.has(address)) throw errors.tooManyFailures(Math.ceil(waitMs / 1000));
    const isFirst = !this.judging.has(address);
    this.judging.add(address);
    try {
      const result = await judged();
      if (result !== null) return result;
      this.add(address, nowMs);
      // The error shows the caller that guessing is useless.
      if (waitMs > 0) throw errors.tooManyFailures(Math.ceil(waitMs / 1000));
      return null;
    } finally {
      if (isFirst) this.judging.delete(address);
    }
  }

  private waitMs(address: string, nowMs: number): number {
    const known = this.byAddress.get(address);
    if (known === undefined || known.count < FAILURES_MAX) return 0;
    return known.endsMs - nowMs;
  }

  private add(address: string, nowMs: number): void {
    const known = this.byAddress.get(address);
    if (known !== undefined && known.endsMs > nowMs) {
      known.count += 1;
      return;
    }
    this.byAddress.delete(address);
    this.byAddress.set(address, { count: 1, endsMs: nowMs + WINDOW_MS });
    if (this.byAddress.size > ADDRESSES_MAX) this.byAddress.delete(this.byAddress.keys().next().value!);
  }
}

import { errors } from '../platform/errors.js';

const WINDOW_MS = 60_000;
const FAILURES_MAX = 30;
/** More addresses than this at once are an attack, and the oldest are forgotten. */
const ADDRESSES_MAX = 10_000;

/** Counts failed calls per address in this process, so that guessing costs the gateway little. */
export class FailedCalls {
  private readonly byAddress = new Map<string, { count: number; endsMs: number }>();

  /** @throws ApiError 429 */
  assertFew(address: string, nowMs: number): void {
    const known = this.byAddress.get(address);
    if (known === undefined || known.count < FAILURES_MAX) return;
    if (known.endsMs <= nowMs) this.byAddress.delete(address);
    else throw errors.tooManyFailures(Math.ceil((known.endsMs - nowMs) / 1000));
  }

  add(address: string, nowMs: number): void {
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

import type { EventHub } from '../events/event-hub.js';
import type { BackgroundWork } from '../platform/background.js';
import type { Log } from '../platform/logging.js';
import type { Attempt, AttemptEnd, Claimed } from './delivery.js';
import { retryDelayMs } from './retry-delay.js';

/** How many messages one process sends at the same time from one table, each to a different receiver. */
const CONCURRENCY = 20;
/** The schedule checks every minute anyway. */
const LOOK_AHEAD_MS = 60_000;
const GONE = 410;

/** What the loop sends, and how. */
export interface Post<T extends Claimed> {
  /** What is sent, for the log. */
  readonly name: string;
  claim(limit: number, busy: number[]): Promise<T[]>;
  nextDueMs(busy: number[]): Promise<number | null>;
  /** Makes one attempt. */
  attempt(delivery: T): Promise<Attempt>;
  end(delivery: T, end: AttemptEnd): Promise<void>;
  /** The receiver wants no more. */
  endGone(delivery: T, end: AttemptEnd): Promise<void>;
}

/**
 * Sends due deliveries, on every instance. A database notification wakes it when one is queued, a timer when a retry is due, and the
 * schedule in case either was missed. It holds no database connection while it waits for a receiver.
 */
export class DeliveryLoop<T extends Claimed> {
  /** Receivers with a delivery in progress. Each has at most one. */
  private readonly busy = new Set<number>();
  private looking = false;
  private again = false;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly post: Post<T>,
    private readonly hub: EventHub,
    private readonly background: BackgroundWork,
    private readonly log: Log,
  ) {
    hub.listenForDue(() => this.wake());
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Looks for due deliveries. */
  wake(): void {
    if (this.stopped || this.hub.isStopped) return;
    this.again = true;
    if (this.looking) return;
    this.looking = true;
    this.background.run(`${this.post.name}s`, () => this.look());
  }

  private async look(): Promise<void> {
    try {
      while (this.again && this.busy.size < CONCURRENCY) {
        this.again = false;
        const claimed = await this.post.claim(CONCURRENCY - this.busy.size, [...this.busy]);
        for (const delivery of claimed) this.start(delivery);
        if (claimed.length === 0) await this.setTimer();
      }
    } finally {
      // Runs in the same tick as the last check of `again`, so that no call to `wake` is lost in between.
      this.looking = false;
    }
  }

  private start(delivery: T): void {
    this.busy.add(delivery.receiverId);
    this.background.run(this.post.name, () =>
      this.deliver(delivery).finally(() => {
        this.busy.delete(delivery.receiverId);
        this.wake();
      }),
    );
  }

  private async setTimer(): Promise<void> {
    const dueMs = await this.post.nextDueMs([...this.busy]);
    clearTimeout(this.timer);
    if (dueMs === null || this.stopped || this.hub.isStopped) return;
    const waitMs = Math.max(0, Math.min(dueMs, LOOK_AHEAD_MS));
    this.timer = setTimeout(() => this.wake(), waitMs).unref();
  }

  private async deliver(delivery: T): Promise<void> {
    const attempt = await this.post.attempt(delivery);
    const end = endOf(delivery, attempt);
    const { id, receiverId, type, attempts } = delivery;
    const { status, error } = attempt;
    this.log.info({ delivery: id, receiverId, type, attempts, status, error }, this.post.name);
    if (isGone(attempt)) await this.post.endGone(delivery, end);
    else await this.post.end(delivery, end);
  }
}

const isGone = (attempt: Attempt): boolean => attempt.isGone ?? attempt.status === GONE;

function endOf({ attempts }: Claimed, attempt: Attempt): AttemptEnd {
  const { status, error, retryAfterMs } = attempt;
  if (error === null) return { state: 'delivered', retryInMs: null, status, error };
  const retryInMs = isGone(attempt) ? null : retryDelayMs(attempts, retryAfterMs, Math.random());
  return { state: retryInMs === null ? 'failed' : 'pending', retryInMs, status, error };
}

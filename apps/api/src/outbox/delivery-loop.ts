import type { BeforeApplicationShutdown } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import type { EventHub } from '../events/event-hub.js';
import type { BackgroundWork } from '../platform/background.js';
import type { Log } from '../platform/logging.js';
import type { DeliveryTable } from './delivery-table.js';
import type { Attempt, Claimed } from './delivery.js';
import { retryDelayMs } from './retry-delay.js';

/**
 * How many messages one process sends at the same time from one table, each to a different receiver. Slow receivers
 * don't count.
 */
const CONCURRENCY = 20;
/** After this time, a receiver counts as slow, and another receiver gets its place. */
const SLOW_MS = 1000;
/** Each slow receiver costs a socket and some memory. At this number, no further slow receiver is started. */
const SLOW_MAX = 500;
/** The schedule checks every minute anyway. */
const LOOK_AHEAD_MS = 60_000;
/** Another process has locked a due delivery at this moment. */
const LOOK_AGAIN_MS = 50;

/**
 * Sends the due deliveries of a queue, on every instance. The part that owns the queue says how one is attempted. A
 * database notification wakes it when one is queued, a timer when a retry is due, and the schedule in case either was
 * missed. It holds no database connection while it waits for a receiver. Slow receivers delay no others:
 * docs/reference/notifications.md#fairness.
 */
export abstract class DeliveryLoop<T extends Claimed> implements BeforeApplicationShutdown {
  /** The kind of message, for the log. */
  protected abstract readonly name: string;
  /** Receivers with a delivery in progress. Each has at most one. */
  private readonly busy = new Set<number>();
  /** Receivers whose latest attempt here took long, or takes long. */
  private readonly slow = new Set<number>();
  private looking = false;
  private again = false;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    protected readonly queue: DeliveryTable<T>,
    private readonly hub: EventHub,
    private readonly background: BackgroundWork,
    private readonly log: Log,
  ) {
    hub.listenForDue(() => this.wake());
  }

  /** Makes one attempt. Errors of the receiver never throw; they are part of the result. */
  abstract attempt(delivery: T): Promise<Attempt>;

  beforeApplicationShutdown(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Looks for due deliveries. Also finds those whose notification was lost, or whose process died during the attempt. */
  @Cron(CronExpression.EVERY_MINUTE)
  wake(): void {
    if (this.stopped || this.hub.isStopped) return;
    this.again = true;
    if (this.looking) return;
    this.looking = true;
    this.background.run(`${this.name}s`, () => this.look());
  }

  /** Can run on several instances at the same time. */
  @Cron(CronExpression.EVERY_HOUR)
  purge(): void {
    this.background.run(`${this.name}s past their time`, () => this.queue.purge());
  }

  private async look(): Promise<void> {
    try {
      for (let places = this.places(); this.again && places > 0; places = this.places()) {
        this.again = false;
        const claimed = await this.queue.claim(places, this.unwanted());
        for (const delivery of claimed) this.start(delivery);
        if (claimed.length === places) this.again = true;
        if (claimed.length === 0) await this.setTimer();
      }
    } finally {
      // Runs in the same tick as the last check of `again`, so that no call to `wake` is lost in between.
      this.looking = false;
    }
  }

  private get slowBusy(): number {
    let count = 0;
    for (const receiver of this.busy) if (this.slow.has(receiver)) count++;
    return count;
  }

  private places(): number {
    return CONCURRENCY - (this.busy.size - this.slowBusy);
  }

  /** The receivers that get nothing now. */
  private unwanted(): number[] {
    return this.slowBusy < SLOW_MAX ? [...this.busy] : [...new Set([...this.busy, ...this.slow])];
  }

  private start(delivery: T): void {
    const { receiverId } = delivery;
    this.busy.add(receiverId);
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.slow.add(receiverId);
      this.wake();
    }, SLOW_MS).unref();
    this.background.run(this.name, () =>
      this.deliver(delivery).finally(() => {
        clearTimeout(timer);
        this.busy.delete(receiverId);
        if (!isSlow) this.slow.delete(receiverId);
        this.wake();
      }),
    );
  }

  private async setTimer(): Promise<void> {
    const dueMs = await this.queue.nextDueMs(this.unwanted());
    clearTimeout(this.timer);
    if (dueMs === null || this.stopped || this.hub.isStopped) return;
    const waitMs = Math.max(LOOK_AGAIN_MS, Math.min(dueMs, LOOK_AHEAD_MS));
    this.timer = setTimeout(() => this.wake(), waitMs).unref();
  }

  private async deliver(delivery: T): Promise<void> {
    const attempt = await this.attempt(delivery);
    const { id, receiverId, type, attempts } = delivery;
    const { status, error, retryAfterMs } = attempt;
    this.log.info({ delivery: id, receiverId, type, attempts, status, error }, this.name);
    await this.queue.store(delivery, attempt, retryDelayMs(attempts, retryAfterMs, Math.random()));
  }
}

import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { EventHub } from '../events/event-hub.js';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { Log } from '../platform/logging.js';
import { toEvent } from './callback-mapper.js';
import { CallbackReceiver, type Attempt } from './callback-receiver.js';
import { DeliveryQueue, type AttemptEnd, type ClaimedDelivery } from './delivery-queue.js';
import { retryDelayMs } from './retry-delay.js';
import { signedHeaders } from './webhook-signature.js';

/** How many are sent at once by one process, to as many agents' receivers. */
const CONCURRENCY = 20;
/** The schedule looks every minute anyway. */
const LOOK_AHEAD_MS = 60_000;

/**
 * Delivers what is due, on every instance: woken by the database when something is queued, by a timer when a retry is due,
 * and by the schedule in case one of them was missed. No connection to the database is held while a receiver takes its time.
 */
@Injectable()
export class CallbackSender implements OnModuleInit, BeforeApplicationShutdown {
  /** Agents whose receivers are being sent to: one delivery at a time for each. */
  private readonly busy = new Set<number>();
  private looking = false;
  private again = false;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly receiver: CallbackReceiver,
    private readonly cipher: CredentialCipher,
    private readonly hub: EventHub,
    private readonly background: BackgroundWork,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.hub.listenForCallbacks(() => this.wake());
  }

  beforeApplicationShutdown(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Looks for what is due. */
  wake(): void {
    if (this.stopped || this.hub.isStopped) return;
    this.again = true;
    if (this.looking) return;
    this.looking = true;
    this.background.run('callbacks', () => this.look());
  }

  private async look(): Promise<void> {
    try {
      while (this.again && this.busy.size < CONCURRENCY) {
        this.again = false;
        const claimed = await this.queue.claim(CONCURRENCY - this.busy.size, [...this.busy]);
        for (const delivery of claimed) this.start(delivery);
        if (claimed.length === 0) await this.setTimer();
      }
    } finally {
      // In the same step as the last look at `again`, so that no call falls in between.
      this.looking = false;
    }
  }

  private start(delivery: ClaimedDelivery): void {
    this.busy.add(delivery.agentId);
    this.background.run('callback', () =>
      this.deliver(delivery).finally(() => {
        this.busy.delete(delivery.agentId);
        this.wake();
      }),
    );
  }

  private async setTimer(): Promise<void> {
    const dueMs = await this.queue.nextDueMs([...this.busy]);
    clearTimeout(this.timer);
    if (dueMs === null || this.stopped || this.hub.isStopped) return;
    const waitMs = Math.max(0, Math.min(dueMs, LOOK_AHEAD_MS));
    this.timer = setTimeout(() => this.wake(), waitMs).unref();
  }

  private async deliver(delivery: ClaimedDelivery): Promise<void> {
    const attempt = await this.attempt(delivery);
    const end = this.endOf(delivery, attempt);
    const { id, agentId, type, attempts } = delivery;
    this.log.info({ delivery: id, agentId, type, attempts, status: attempt.status, error: attempt.error }, 'callback');
    if (attempt.status === 410) await this.queue.endGone(delivery, end);
    else await this.queue.end(delivery, end);
  }

  private attempt(delivery: ClaimedDelivery): Promise<Attempt> {
    const body = JSON.stringify(toEvent(delivery));
    let secrets: string[];
    try {
      secrets = [delivery.encryptedSecret, delivery.encryptedPreviousSecret]
        .filter((secret) => secret !== null)
        .map((secret) => this.cipher.decrypt(secret));
    } catch {
      // ENCRYPTION_SECRET is another one now.
      const error = 'The signing secret can not be decrypted: rotate it';
      return Promise.resolve({ status: null, error, retryAfterMs: null });
    }
    const headers = signedHeaders(delivery.id, this.clock.now(), body, secrets);
    return this.receiver.post(delivery.url, delivery.hosts, headers, body);
  }

  private endOf({ attempts }: ClaimedDelivery, { status, error, retryAfterMs }: Attempt): AttemptEnd {
    if (error === null) return { state: 'delivered', retryInMs: null, status, error };
    const retryInMs = status === 410 ? null : retryDelayMs(attempts, retryAfterMs, Math.random());
    return { state: retryInMs === null ? 'failed' : 'pending', retryInMs, status, error };
  }
}

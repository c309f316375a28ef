import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { EventHub } from '../events/event-hub.js';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { Log } from '../platform/logging.js';
import { toEvent } from './callback-mapper.js';
import { CallbackReceiver, type Attempt } from './callback-receiver.js';
import { DeliveryQueue, type AttemptEnd, type ClaimedDelivery } from './delivery-queue.js';
import { secretBinding } from './encrypted-secrets.js';
import { retryDelayMs } from './retry-delay.js';
import { signedHeaders } from './webhook-signature.js';

/** How many callbacks one process sends at the same time, each for a different agent. */
const CONCURRENCY = 20;
/** The schedule checks every minute anyway. */
const LOOK_AHEAD_MS = 60_000;

/**
 * Sends due callbacks, on every instance. A database notification wakes it when a callback is queued, a timer when a retry is due, and
 * the schedule in case either was missed. It holds no database connection while it waits for a receiver.
 */
@Injectable()
export class CallbackSender implements OnModuleInit, BeforeApplicationShutdown {
  /** Agents with a delivery in progress. Each agent has at most one. */
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

  /** Looks for due callbacks. */
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
      // Runs in the same tick as the last check of `again`, so that no call to `wake` is lost in between.
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
        .map((secret) => this.cipher.decrypt(secret, secretBinding(delivery.agentId)));
    } catch {
      // ENCRYPTION_SECRET has changed.
      const error = 'The signing secret cannot be decrypted: rotate it';
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

import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { EventHub } from '../events/event-hub.js';
import { DeliveryLoop, type Post } from '../outbox/delivery-loop.js';
import type { Attempt, AttemptEnd } from '../outbox/delivery.js';
import { signedHeaders } from '../outbox/webhook-signature.js';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { Log } from '../platform/logging.js';
import { toEvent } from './callback-mapper.js';
import { CallbackReceiver } from './callback-receiver.js';
import { DeliveryQueue, type ClaimedDelivery } from './delivery-queue.js';
import { secretBinding } from './encrypted-secrets.js';

/** Sends due callbacks, on every instance. */
@Injectable()
export class CallbackSender implements Post<ClaimedDelivery>, BeforeApplicationShutdown {
  readonly name = 'callback';
  private readonly loop: DeliveryLoop<ClaimedDelivery>;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly receiver: CallbackReceiver,
    private readonly cipher: CredentialCipher,
    hub: EventHub,
    background: BackgroundWork,
    private readonly clock: Clock,
    log: Log,
  ) {
    this.loop = new DeliveryLoop(this, hub, background, log);
  }

  beforeApplicationShutdown(): void {
    this.loop.stop();
  }

  /** Looks for due callbacks. */
  wake(): void {
    this.loop.wake();
  }

  claim(limit: number, busy: number[]): Promise<ClaimedDelivery[]> {
    return this.queue.claim(limit, busy);
  }

  nextDueMs(busy: number[]): Promise<number | null> {
    return this.queue.nextDueMs(busy);
  }

  attempt(delivery: ClaimedDelivery): Promise<Attempt> {
    const body = JSON.stringify(toEvent(delivery));
    let secrets: string[];
    try {
      secrets = [delivery.encryptedSecret, delivery.encryptedPreviousSecret]
        .filter((secret) => secret !== null)
        .map((secret) => this.cipher.decrypt(secret, secretBinding(delivery.receiverId)));
    } catch {
      // ENCRYPTION_SECRET has changed.
      const error = 'The signing secret cannot be decrypted: rotate it';
      return Promise.resolve({ status: null, error, retryAfterMs: null });
    }
    const headers = signedHeaders(delivery.id, this.clock.now(), body, secrets);
    return this.receiver.send(delivery.url, delivery.hosts, headers, body);
  }

  end(delivery: ClaimedDelivery, end: AttemptEnd): Promise<void> {
    return this.queue.end(delivery, end);
  }

  endGone(delivery: ClaimedDelivery, end: AttemptEnd): Promise<void> {
    return this.queue.endGone(delivery, end);
  }
}

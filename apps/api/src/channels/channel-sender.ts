import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { CHANNEL_MAILS_PER_HOUR_MAX } from '#contracts/limits';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { EventHub } from '../events/event-hub.js';
import { DeliveryLoop, type Post } from '../outbox/delivery-loop.js';
import type { Attempt, AttemptEnd } from '../outbox/delivery.js';
import { BackgroundWork } from '../platform/background.js';
import { HttpConfig } from '../platform/config.js';
import { Log } from '../platform/logging.js';
import { ChannelPacing } from './channel-pacing.js';
import { ChannelQueue, type ClaimedNotice } from './channel-queue.js';
import { channelBinding } from './encrypted-targets.js';
import { MailLimit } from './mail-limit.js';
import { Media } from './media/media.js';
import { toNotice } from './media/notice.js';

/** Sends due notifications, on every instance. */
@Injectable()
export class ChannelSender implements Post<ClaimedNotice>, BeforeApplicationShutdown {
  readonly name = 'notification';
  private readonly loop: DeliveryLoop<ClaimedNotice>;

  constructor(
    private readonly queue: ChannelQueue,
    private readonly pacing: ChannelPacing,
    private readonly media: Media,
    private readonly mails: MailLimit,
    private readonly cipher: CredentialCipher,
    private readonly http: HttpConfig,
    hub: EventHub,
    background: BackgroundWork,
    log: Log,
  ) {
    this.loop = new DeliveryLoop(this, hub, background, log);
  }

  beforeApplicationShutdown(): void {
    this.loop.stop();
  }

  /** Looks for due notifications. */
  wake(): void {
    this.loop.wake();
  }

  async claim(limit: number, busy: number[]): Promise<ClaimedNotice[]> {
    await this.pacing.release();
    return this.queue.claim(limit, busy);
  }

  async nextDueMs(busy: number[]): Promise<number | null> {
    const moments = await Promise.all([this.queue.nextDueMs(busy), this.pacing.nextDueMs()]);
    const known = moments.filter((ms) => ms !== null);
    return known.length === 0 ? null : Math.min(...known);
  }

  async attempt(delivery: ClaimedNotice): Promise<Attempt> {
    if (isEmpty(delivery)) return NOTHING;
    const binding = channelBinding(delivery.receiverId);
    let target: string | null;
    let secrets: string[];
    try {
      const open = (stored: string | null): string | null => stored && this.cipher.decrypt(stored, binding);
      target = open(delivery.encryptedTarget);
      secrets = [delivery.encryptedSecret, delivery.encryptedPreviousSecret]
        .map(open)
        .filter((secret) => secret !== null);
    } catch {
      // ENCRYPTION_SECRET has changed.
      return { status: null, error: 'The target cannot be decrypted: enter it again', retryAfterMs: null };
    }
    const notice = toNotice(delivery, this.http.publicUrl);
    if (delivery.isReplacing && delivery.isSending) return STILL_SENDING;
    const { email, userId, replaces, decideBelowRisk } = delivery;
    if (delivery.channelType === 'email') {
      const retryAfterMs = await this.mails.take(userId!);
      if (retryAfterMs !== null) return { ...NOTHING, error: TOO_MANY_MAILS, retryAfterMs };
    }
    return this.media
      .of(delivery.channelType)
      .send({ target, secrets, email, replaces: replaces ?? [], decideBelowRisk }, notice);
  }

  end(delivery: ClaimedNotice, end: AttemptEnd): Promise<void> {
    return this.queue.end(delivery, isEmpty(delivery) ? { ...end, state: 'withdrawn' } : end);
  }

  endGone(delivery: ClaimedNotice, end: AttemptEnd): Promise<void> {
    return this.queue.endGone(delivery, end);
  }
}

/**
 * Nothing is left to send: everything in the digest was decided meanwhile, or the message to replace was never sent.
 */
const isEmpty = ({ digest, isReplacing, isSending, replaces }: ClaimedNotice): boolean =>
  (digest !== null && digest.requests + digest.others === 0) || (isReplacing && !isSending && replaces === null);

const NOTHING: Attempt = { status: null, error: null, retryAfterMs: null };
const TOO_MANY_MAILS = `Your address received ${CHANNEL_MAILS_PER_HOUR_MAX} e-mails within an hour`;
/** Another instance, maybe one that died, is still sending the message to replace. */
const STILL_SENDING: Attempt = { ...NOTHING, error: 'waits until the previous attempt has ended' };

import { Injectable } from '@nestjs/common';
import { CHANNEL_MAILS_PER_HOUR_MAX } from '#contracts/limits';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { EventHub } from '../events/event-hub.js';
import { DeliveryLoop } from '../outbox/delivery-loop.js';
import { unsent, type Attempt } from '../outbox/delivery.js';
import { openSecrets } from '../outbox/signing-secrets.js';
import { BackgroundWork } from '../platform/background.js';
import { HttpConfig } from '../platform/config.js';
import { Log } from '../platform/logging.js';
import { ChannelQueue, type ClaimedNotice } from './channel-queue.js';
import { channelBinding } from './encrypted-targets.js';
import { MailLimit } from './mail-limit.js';
import { Media } from './media/media.js';
import { toNotice } from './media/notice.js';

/** Sends due notifications, on every instance. */
@Injectable()
export class ChannelSender extends DeliveryLoop<ClaimedNotice> {
  protected readonly name = 'notification';

  constructor(
    queue: ChannelQueue,
    private readonly media: Media,
    private readonly mails: MailLimit,
    private readonly cipher: CredentialCipher,
    private readonly http: HttpConfig,
    hub: EventHub,
    background: BackgroundWork,
    log: Log,
  ) {
    super(queue, hub, background, log);
  }

  async attempt(delivery: ClaimedNotice): Promise<Attempt> {
    if (isEmpty(delivery)) return { ...unsent(null), isEmpty: true };
    const binding = channelBinding(delivery.receiverId);
    let target: string | null;
    let secrets: string[];
    try {
      const open = (stored: string): string => this.cipher.decrypt(stored, binding);
      target = delivery.encryptedTarget && open(delivery.encryptedTarget);
      secrets = openSecrets(delivery, open);
    } catch {
      // ENCRYPTION_SECRET has changed.
      return unsent('The target cannot be decrypted: enter it again');
    }
    const notice = toNotice(delivery, this.http.publicUrl);
    // Another instance, maybe one that died, is still sending the message to replace.
    if (delivery.isReplacing && delivery.isSending) return unsent('waits until the previous attempt has ended');
    const { email, userId, replaces, decideBelowRisk } = delivery;
    if (delivery.channelType === 'email') {
      const retryAfterMs = await this.mails.take(userId!);
      if (retryAfterMs !== null) return { ...unsent(TOO_MANY_MAILS), retryAfterMs };
    }
    return this.media
      .of(delivery.channelType)
      .send({ target, secrets, email, replaces: replaces ?? [], decideBelowRisk }, notice);
  }
}

/**
 * Nothing is left to send: everything in the digest was decided meanwhile, or the message to replace was never sent.
 */
const isEmpty = ({ digest, isReplacing, isSending, replaces }: ClaimedNotice): boolean =>
  (digest !== null && digest.requests + digest.others === 0) || (isReplacing && !isSending && replaces === null);

const TOO_MANY_MAILS = `Your address received ${CHANNEL_MAILS_PER_HOUR_MAX} e-mails within an hour`;

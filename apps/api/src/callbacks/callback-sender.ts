import { Injectable } from '@nestjs/common';
import { listsCallbackHost } from '#contracts';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { EventHub } from '../events/event-hub.js';
import { DeliveryLoop } from '../outbox/delivery-loop.js';
import { unsent, type Attempt } from '../outbox/delivery.js';
import { openSecrets } from '../outbox/signing-secrets.js';
import { BackgroundWork } from '../platform/background.js';
import { errors } from '../platform/errors.js';
import { Log } from '../platform/logging.js';
import { toEvent } from './callback-mapper.js';
import { CallbackReceiver } from './callback-receiver.js';
import { DeliveryQueue, type ClaimedDelivery } from './delivery-queue.js';
import { secretBinding } from './encrypted-secrets.js';

/** Sends due callbacks, on every instance. */
@Injectable()
export class CallbackSender extends DeliveryLoop<ClaimedDelivery> {
  protected readonly name = 'callback';

  constructor(
    queue: DeliveryQueue,
    private readonly receiver: CallbackReceiver,
    private readonly cipher: CredentialCipher,
    hub: EventHub,
    background: BackgroundWork,
    log: Log,
  ) {
    super(queue, hub, background, log);
  }

  async attempt(delivery: ClaimedDelivery): Promise<Attempt> {
    const { id, receiverId, url, hosts } = delivery;
    let secrets: string[];
    try {
      secrets = openSecrets(delivery, (secret) => this.cipher.decrypt(secret, secretBinding(receiverId)));
    } catch {
      // ENCRYPTION_SECRET has changed.
      return unsent('The signing secret cannot be decrypted: rotate it');
    }
    const refusal = (target: URL): string | null =>
      listsCallbackHost(hosts, target) ? null : errors.callbackHostNotAllowed(target.host).message;
    return this.receiver.postSigned({ url, id, event: toEvent(delivery), secrets, refusal });
  }
}

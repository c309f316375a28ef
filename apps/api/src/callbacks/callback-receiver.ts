import { Injectable } from '@nestjs/common';
import { GuardedReceiver } from '../outbox/guarded-receiver.js';
import { Clock } from '../platform/clock.js';
import { EgressConfig } from '../platform/config.js';

/** The receivers of callbacks. */
@Injectable()
export class CallbackReceiver extends GuardedReceiver {
  constructor({ callbackPrivateHosts, ownTargets, timeouts }: EgressConfig, clock: Clock) {
    super(callbackPrivateHosts, ownTargets, timeouts.receiverMs, clock);
  }
}

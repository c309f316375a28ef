import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { listsCallbackHost } from '#contracts';
import type { Attempt } from '../outbox/delivery.js';
import { GuardedReceiver } from '../outbox/guarded-receiver.js';
import { Clock } from '../platform/clock.js';
import { EgressConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';

/** The receivers of callbacks. */
@Injectable()
export class CallbackReceiver extends GuardedReceiver implements OnApplicationShutdown {
  constructor({ callbackPrivateHosts, ownTargets }: EgressConfig, clock: Clock) {
    super(callbackPrivateHosts, ownTargets, clock);
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Makes one attempt. @param hosts the hosts that the agent's callbacks may go to */
  send(url: string, hosts: readonly string[], headers: Record<string, string>, body: string): Promise<Attempt> {
    return this.post({
      url,
      headers: { 'content-type': 'application/json', ...headers },
      body: Buffer.from(body),
      refusal: (target) =>
        listsCallbackHost(hosts, target) ? null : errors.callbackHostNotAllowed(target.host).message,
    });
  }
}

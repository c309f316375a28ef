import { Injectable } from '@nestjs/common';
import type { Attempt } from '../../outbox/delivery.js';
import { GuardedReceiver } from '../../outbox/guarded-receiver.js';
import { Clock } from '../../platform/clock.js';
import { EgressConfig } from '../../platform/config.js';
import { errors } from '../../platform/errors.js';
import type { CheckedTarget, Entered } from './medium.js';

/** The receivers of notifications that have a URL. */
@Injectable()
export class ChannelReceiver extends GuardedReceiver {
  constructor({ channelPrivateHosts, ownTargets, timeouts }: EgressConfig, clock: Clock) {
    super(channelPrivateHosts, ownTargets, timeouts.receiverMs, clock);
  }

  /**
   * Checks a URL and the addresses behind it. Path and query often are secrets, so only the host may be shown.
   * @throws ApiError 400, 403
   */
  async check({ target }: Entered): Promise<CheckedTarget> {
    if (target === undefined) throw errors.invalid('target: must be a URL');
    const url = this.target(target, 'target');
    await this.assertReachable(url, 'target');
    return { target, hint: `${url.origin}/…` };
  }

  postJson(url: string, message: object): Promise<Attempt> {
    return this.post({
      url,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(message)),
    });
  }
}

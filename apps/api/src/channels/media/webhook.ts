import { Injectable } from '@nestjs/common';
import type { Attempt } from '../../outbox/delivery.js';
import { ChannelReceiver } from './channel-receiver.js';
import type { Notice } from './notice.js';
import type { CheckedTarget, Destination, Entered, Medium } from './medium.js';

/** A URL of the workspace's own programs: every event, signed (Standard Webhooks). */
@Injectable()
export class WebhookMedium implements Medium {
  readonly type = 'webhook';

  constructor(private readonly receiver: ChannelReceiver) {}

  async check(entered: Entered): Promise<CheckedTarget> {
    return { ...(await this.receiver.check(entered)), hasSecret: true };
  }

  send({ target, secrets }: Destination, { id, type, at, data }: Notice): Promise<Attempt> {
    const event = { type, timestamp: at.toISOString(), data };
    return this.receiver.postSigned({ url: target!, id, event, secrets });
  }
}

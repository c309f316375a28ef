import { Injectable } from '@nestjs/common';
import type { Attempt } from '../../outbox/delivery.js';
import { signedHeaders } from '../../outbox/webhook-signature.js';
import { Clock } from '../../platform/clock.js';
import { ChannelReceiver } from './channel-receiver.js';
import type { Notice } from './notice.js';
import type { CheckedTarget, Destination, Entered, Medium } from './medium.js';

/** A URL of the workspace's own programs: every event, signed (Standard Webhooks). */
@Injectable()
export class WebhookMedium implements Medium {
  readonly type = 'webhook';

  constructor(
    private readonly receiver: ChannelReceiver,
    private readonly clock: Clock,
  ) {}

  async check(entered: Entered): Promise<CheckedTarget> {
    return { ...(await this.receiver.check(entered)), hasSecret: true };
  }

  send({ target, secrets }: Destination, { id, type, at, data }: Notice): Promise<Attempt> {
    const body = JSON.stringify({ type, timestamp: at.toISOString(), data });
    const headers = signedHeaders(id, this.clock.now(), body, secrets);
    return this.receiver.post({
      url: target!,
      headers: { 'content-type': 'application/json', ...headers },
      body: Buffer.from(body),
    });
  }
}

import { Injectable } from '@nestjs/common';
import type { WebPushSubscription } from '#contracts';
import type { Attempt } from '../../outbox/delivery.js';
import { Clock } from '../../platform/clock.js';
import { AuthConfig, HttpConfig } from '../../platform/config.js';
import { errors } from '../../platform/errors.js';
import {
  faultOfKeys,
  pushRequest,
  pushSubject,
  type PushMessage,
  type PushOptions,
} from '../../web-push/push-request.js';
import { VapidKeys } from '../../web-push/vapid-keys.js';
import { oneLine } from '../../platform/plain-text.js';
import { ChannelReceiver } from './channel-receiver.js';
import { mayBeDecided, type Notice } from './notice.js';
import type { CheckedTarget, Destination, Entered, Medium } from './medium.js';

/** After a day, the message is no longer useful. Messages about actions expire with the action. */
const TTL_SECONDS = 86_400;

/** One browser of one person: the service worker of the dashboard shows the notification. */
@Injectable()
export class WebPushMedium implements Medium {
  readonly type = 'webpush';

  constructor(
    private readonly receiver: ChannelReceiver,
    private readonly keys: VapidKeys,
    private readonly auth: AuthConfig,
    private readonly http: HttpConfig,
    private readonly clock: Clock,
  ) {}

  async check({ subscription, target }: Entered): Promise<CheckedTarget> {
    if (target !== undefined)
      throw errors.invalid('target: must be left out, because a browser has a subscription instead');
    if (subscription === undefined) throw errors.invalid('subscription: must be the object that the browser returned');
    const { endpoint, keys } = subscription;
    const url = this.receiver.target(endpoint, 'subscription.endpoint');
    const fault = faultOfKeys(subscription);
    if (fault !== null) throw errors.invalid(fault);
    await this.receiver.assertReachable(url, 'subscription.endpoint');
    return { target: JSON.stringify({ endpoint, keys }), hint: `${url.origin}/…` };
  }

  async send({ target, decideBelowRisk }: Destination, notice: Notice): Promise<Attempt> {
    const subscription = JSON.parse(target!) as WebPushSubscription;
    let keys: Awaited<ReturnType<VapidKeys['pair']>>;
    try {
      keys = await this.keys.pair();
    } catch {
      const error = 'The key for web push cannot be decrypted: set ENCRYPTION_SECRET_PREVIOUS';
      return { status: null, error, retryAfterMs: null };
    }
    const subject = pushSubject({ adminEmail: this.auth.adminEmail, publicUrl: this.http.publicUrl });
    const message = { ...toPushMessage(notice), mayApprove: mayBeDecided(notice, decideBelowRisk) };
    const options = toPushOptions(notice, this.clock.nowMs());
    const attempt = await this.receiver.post(pushRequest(subscription, keys, subject, message, options));
    // RFC 8030 says 404, and some push services say 410.
    return { ...attempt, isGone: attempt.status === 404 || attempt.status === 410 };
  }
}

/** Shows the request first, as the title. Nothing here is markup. */
function toPushMessage({ id, type, title, quote, facts, actionId, data }: Notice): Omit<PushMessage, 'mayApprove'> {
  const agent = typeof data.agent === 'string' ? [oneLine(data.agent)] : [];
  const others = facts.map(([label, value]) => `${label}: ${oneLine(value)}`);
  return {
    id,
    type,
    title: quote === null ? title : oneLine(quote),
    body: (quote === null ? others : [title, ...agent]).join('\n'),
    workspaceId: Number(data.workspaceId),
    actionId,
    expiresAt: actionId !== null && typeof data.expiresAt === 'string' ? data.expiresAt : null,
  };
}

/** Notifications that wait for a person wake a sleeping phone. */
function toPushOptions({ type, actionId, data }: Notice, nowMs: number): PushOptions {
  const waits = actionId !== null && type !== 'approval.decided';
  const leftMs = typeof data.expiresAt === 'string' ? Date.parse(data.expiresAt) - nowMs : NaN;
  const ttlSeconds = waits && leftMs > 0 ? Math.ceil(leftMs / 1000) : TTL_SECONDS;
  return { ttlSeconds, urgency: waits ? 'high' : 'normal' };
}

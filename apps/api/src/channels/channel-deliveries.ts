import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type ChannelDeliveryPage, type ChannelTestResult, type ListDeliveriesQuery } from '#contracts';
import { CHANNEL_TESTS_PER_MINUTE_MAX } from '#contracts/limits';
import { ChannelDeliveryEntity, inTransaction } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import type { ActingMember } from '../membership/member.js';
import { pageOfDeliveries } from '../outbox/delivery-page.js';
import type { Attempt } from '../outbox/delivery.js';
import { errors } from '../platform/errors.js';
import type { ChangeAuthor } from '../membership/change-author.js';
import { lockChannel } from './channel-access.js';
import { toChannelDelivery } from './channel-mapper.js';
import { ChannelQueue } from './channel-queue.js';
import { ChannelRegistry } from './channel-registry.js';
import { ChannelSender } from './channel-sender.js';

/** The number of seconds until the channel may send another test; null: it may send one now. */
const WAIT = `
  SELECT CASE WHEN count(*) >= ${CHANNEL_TESTS_PER_MINUTE_MAX} THEN
    ceil(extract(epoch FROM min(occurred_at) + interval '1 minute' - now()))::integer END AS seconds
  FROM channel_deliveries WHERE channel_id = $1 AND type = 'channel.test' AND occurred_at > now() - interval '1 minute'`;

/** Lists the deliveries of a channel, and tests it. */
@Injectable()
export class ChannelDeliveries {
  constructor(
    private readonly source: DataSource,
    private readonly registry: ChannelRegistry,
    private readonly queue: ChannelQueue,
    private readonly sender: ChannelSender,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ApiError 404 */
  async page(member: ActingMember, channelId: number, query: ListDeliveriesQuery): Promise<ChannelDeliveryPage> {
    await this.registry.get(member, channelId);
    const rows = this.source
      .getRepository(ChannelDeliveryEntity)
      .createQueryBuilder('d')
      .where('d.channel_id = :channelId', { channelId });
    return pageOfDeliveries(rows, query, toChannelDelivery);
  }

  /**
   * Sends a test immediately, with one attempt, and returns the result.
   * @throws ApiError 404; 409 if the channel is switched off; 429
   */
  async test({ actor, requestId }: ChangeAuthor, channelId: number): Promise<ChannelTestResult> {
    const id = await inTransaction(this.source, async (tx) => {
      const channel = await lockChannel(tx, actor, channelId);
      if (!channel.isActive) throw errors.channelOff();
      await assertMayTest(tx, channelId);
      const details = { channel: channel.name, type: channel.type };
      await this.audit.recordChange(tx, { actor, reason: 'channel.tested', details, requestId });
      return this.queue.addTest(tx, channelId);
    });
    const claimed = await this.queue.find(id);
    // Somebody has deleted the channel and its deliveries meanwhile.
    if (claimed === null) throw errors.channelNotFound();
    const attempt = await this.sender.attempt(claimed);
    await this.queue.store(claimed, attempt, null);
    const ended = await this.source.manager.findOneBy(ChannelDeliveryEntity, { id });
    if (ended === null) throw errors.channelNotFound();
    const delivery = toChannelDelivery(ended);
    return { message: formatOutcome(attempt, delivery.tookMs ?? 0), delivery };
  }
}

/** Call under the lock of the channel, so that tests at the same time count each other. @throws ApiError 429 */
async function assertMayTest(tx: EntityManager, channelId: number): Promise<void> {
  const [{ seconds }]: { seconds: number | null }[] = await tx.query(WAIT, [channelId]);
  if (seconds !== null) throw errors.tooManyTests(seconds);
}

function formatOutcome({ status, error }: Attempt, tookMs: number): string {
  if (error === null) return `Delivered: the receiver answered ${status} after ${tookMs} ms`;
  return `Not delivered: ${status === null ? error : `the receiver ${error}`}`;
}

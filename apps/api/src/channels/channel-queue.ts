import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';
import type { ChannelEvent, ChannelType } from '#contracts';
import { ChannelDeliveryEntity, ChannelEntity, inTransaction } from '#database';
import { AuditLog, gatewayIn } from '../audit/audit-log.js';
import { DeliveryTable } from '../outbox/delivery-table.js';
import type { AttemptEnd, Claimed } from '../outbox/delivery.js';
import { CLAIMED_SECRETS, type ClaimedSecrets } from '../outbox/signing-secrets.js';
import { Clock } from '../platform/clock.js';
import { ChannelPacing, JOINS, SENDABLE } from './channel-pacing.js';
import { tellOfChannel } from './channel-trouble.js';
import type { StoredNotice } from './media/notice.js';

/** A claimed notification, with everything that the attempt needs. */
export interface ClaimedNotice extends Claimed, ClaimedSecrets, StoredNotice {
  type: ChannelEvent;
  channelType: ChannelType;
  encryptedTarget: string | null;
  /** The owner of the channel; null: the workspace. */
  userId: number | null;
  /** The e-mail address of the channel's owner. */
  email: string | null;
  /** Requests below this risk get buttons that decide. null: none. */
  decideBelowRisk: number | null;
  /** Whether it replaces earlier messages. */
  isReplacing: boolean;
  /** The messages that it replaces; null: there are none. */
  replaces: Record<string, string>[] | null;
  /** Whether one of these messages is being sent now. */
  isSending: boolean;
}

/** The contents of a digest when it is sent. Requests that were decided meanwhile don't count. */
const DIGEST = `CASE WHEN d.type = 'approval.digest' THEN (
  SELECT json_build_object('requests', count(DISTINCT b.subject) FILTER (WHERE b.until IS NOT NULL), 'risk', max(b.risk) FILTER (WHERE b.until IS NOT NULL),
    'others', count(*) FILTER (WHERE b.until IS NULL))
  FROM channel_deliveries b WHERE b.digest_id = d.id AND (b.until IS NULL OR b.until > now())) END`;

/** The messages about the same thing in the same channel. */
const EARLIER = `FROM channel_deliveries r
  WHERE d.type = 'approval.updated' AND r.subject = d.subject AND r.channel_id = d.channel_id AND r.type <> d.type`;

/**
 * The workspace sets this risk for devices of people, and the channel sets it for a Slack app. What the workspace wants
 * confirmed is decided in the dashboard.
 */
const DECIDE_BELOW = `(
  SELECT CASE WHEN tells_of_effects(d.about, w.confirm_effects) THEN NULL
    WHEN c.type = 'webpush' THEN w.approve_in_notifications_below ELSE c.decide_below_risk END
  FROM workspaces w WHERE w.id = c.workspace_id)`;

const DELIVERIES = {
  table: 'channel_deliveries',
  receiver: 'channel_id',
  joins: JOINS,
  sendable: SENDABLE,
  columns: `c.workspace_id AS "workspaceId", d.occurred_at AS "occurredAt", d.about, ${DIGEST} AS digest, c.type AS "channelType",
    c.encrypted_target AS "encryptedTarget", ${DECIDE_BELOW} AS "decideBelowRisk",
    d.type = 'approval.updated' AS "isReplacing", (SELECT json_agg(r.receipt) ${EARLIER} AND r.receipt IS NOT NULL) AS replaces,
    EXISTS (SELECT ${EARLIER} AND r.claim_id IS NOT NULL AND r.next_attempt_at > now()) AS "isSending",
    ${CLAIMED_SECRETS}, u.email, c.user_id AS "userId"`,
  atEnd: `took_ms = (extract(epoch FROM clock_timestamp() - last_attempt_at) * 1000)::integer`,
  unsent: `'waiting', 'pending'`,
  receivers: ChannelEntity,
};

/**
 * The queue of notifications. Triggers fill it; any instance sends from it. See docs/reference/notifications.md#queue.
 */
@Injectable()
export class ChannelQueue extends DeliveryTable<ClaimedNotice> {
  constructor(
    source: DataSource,
    clock: Clock,
    private readonly pacing: ChannelPacing,
    private readonly audit: AuditLog,
  ) {
    super(source, clock, DELIVERIES);
  }

  override async claim(limit: number, busy: number[]): Promise<ClaimedNotice[]> {
    await this.pacing.release();
    return super.claim(limit, busy);
  }

  override async nextDueMs(busy: number[]): Promise<number | null> {
    const moments = await Promise.all([super.nextDueMs(busy), this.pacing.nextDueMs()]);
    const known = moments.filter((ms) => ms !== null);
    return known.length === 0 ? null : Math.min(...known);
  }

  /** Stores the result of an attempt, and since when the channel fails. */
  protected override async end(delivery: ClaimedNotice, end: AttemptEnd, tx?: EntityManager): Promise<void> {
    if (tx === undefined && (end.receipt !== undefined || delivery.isReplacing)) {
      await inTransaction(this.source, (own) => this.endNotice(delivery, end, own));
    } else {
      await this.endNotice(delivery, end, tx ?? this.source.manager);
    }
    // Not in the same transaction: decisions lock the channel before they change its deliveries.
    const [before, after] = end.error === null ? [Not(IsNull()), null] : [IsNull(), () => 'now()'];
    await (tx ?? this.source.manager).update(
      ChannelEntity,
      { id: delivery.receiverId, failingSince: before },
      { failingSince: after, failureToldAt: null },
    );
  }

  private async endNotice(delivery: ClaimedNotice, end: AttemptEnd, tx: EntityManager): Promise<void> {
    await super.end(delivery, end, tx);
    const { id, occurredAt, isReplacing } = delivery;
    const { receipt } = end;
    if (receipt !== undefined) await tx.update(ChannelDeliveryEntity, { id }, { receipt });
    if (!isReplacing) return;
    // If the action changed again during the attempt, the message shows an outdated state.
    await tx.update(
      ChannelDeliveryEntity,
      { id, occurredAt: Not(occurredAt), claimId: IsNull(), state: Not('pending') },
      { state: 'pending', attempts: 0, nextAttemptAt: () => 'now()' },
    );
  }

  /** Also tells the owner of the channel, by another channel. */
  protected override async switchOff(
    tx: EntityManager,
    { receiverId: id, encryptedTarget }: ClaimedNotice,
    reason: string,
  ): Promise<boolean> {
    const { affected } = await tx
      .createQueryBuilder()
      .update(ChannelEntity)
      .set({ isActive: false, disabledReason: reason, updatedAt: this.clock.now() })
      .where('id = :id AND is_active AND encrypted_target IS NOT DISTINCT FROM :encryptedTarget', {
        id,
        encryptedTarget,
      })
      .execute();
    if (affected !== 1) return false;
    const channel = await tx.findOneByOrFail(ChannelEntity, { id });
    await tellOfChannel(tx, 'channel.disabled', channel, reason, this.clock.now());
    await this.audit.recordChange(tx, {
      actor: gatewayIn(channel.workspaceId),
      reason: 'channel.disabled',
      details: { channel: channel.name, type: channel.type, reason },
    });
    return true;
  }

  /** Adds a test that this process attempts at once. */
  async addTest(tx: EntityManager, channelId: number): Promise<string> {
    const id = randomUUID();
    await tx.insert(ChannelDeliveryEntity, {
      id,
      channelId,
      type: 'channel.test',
      subject: null,
      about: {},
      // Tests are counted by the clock of the database.
      occurredAt: () => `date_trunc('milliseconds', now())`,
      state: 'pending',
      attempts: 1,
      claimId: randomUUID(),
      lastAttemptAt: () => 'now()',
      // As long as a lease.
      nextAttemptAt: () => `now() + interval '30 seconds'`,
    });
    return id;
  }
}

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, Not, type EntityManager } from 'typeorm';
import type { ChannelEvent, ChannelType } from '#contracts';
import { ChannelDeliveryEntity, ChannelEntity, inTransaction } from '#database';
import { AuditLog, gatewayIn } from '../audit/audit-log.js';
import { DeliveryTable } from '../outbox/delivery-table.js';
import type { AttemptEnd, Claimed } from '../outbox/delivery.js';
import { Clock } from '../platform/clock.js';
import { tellOfChannel } from './channel-trouble.js';
import type { StoredNotice } from './media/notice.js';

/** A claimed notification, with everything that the attempt needs. */
export interface ClaimedNotice extends Claimed, StoredNotice {
  type: ChannelEvent;
  channelType: ChannelType;
  encryptedTarget: string | null;
  encryptedSecret: string | null;
  /** null unless the secret is being rotated. */
  encryptedPreviousSecret: string | null;
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

export const JOINS = `JOIN channels c ON c.id = d.channel_id
  LEFT JOIN workspace_members m ON m.workspace_id = c.workspace_id AND m.user_id = c.user_id
  LEFT JOIN users u ON u.id = c.user_id`;

/**
 * A person gets notifications only while their role, and the rules that name approvers, allow it. A webhook gets every
 * event; other channels get no outdated ones.
 */
export const SENDABLE = `c.is_active AND (c.user_id IS NULL OR may_hear(m.role, d.type) AND coalesce(c.user_id = ANY (d.people), true))
  AND (c.type = 'webhook' OR d.until IS NULL OR d.until > now())`;

/** The contents of a digest when it is sent. Requests that were decided meanwhile don't count. */
const DIGEST = `CASE WHEN d.type = 'approval.digest' THEN (
  SELECT json_build_object('requests', count(DISTINCT b.subject) FILTER (WHERE b.until IS NOT NULL), 'risk', max(b.risk) FILTER (WHERE b.until IS NOT NULL),
    'others', count(*) FILTER (WHERE b.until IS NULL))
  FROM channel_deliveries b WHERE b.digest_id = d.id AND (b.until IS NULL OR b.until > now())) END`;

/** The messages about the same thing in the same channel. */
const EARLIER = `FROM channel_deliveries r
  WHERE d.type = 'approval.updated' AND r.subject = d.subject AND r.channel_id = d.channel_id AND r.type <> d.type`;

/** The workspace sets this risk for devices of people, and the channel sets it for a Slack app. */
const DECIDE_BELOW = `CASE c.type WHEN 'webpush' THEN (
  SELECT w.approve_in_notifications_below FROM workspaces w WHERE w.id = c.workspace_id) ELSE c.decide_below_risk END`;

const DELIVERIES = {
  table: 'channel_deliveries',
  receiver: 'channel_id',
  joins: JOINS,
  sendable: SENDABLE,
  columns: `c.workspace_id AS "workspaceId", d.occurred_at AS "occurredAt", d.about, ${DIGEST} AS digest, c.type AS "channelType",
    c.encrypted_target AS "encryptedTarget", ${DECIDE_BELOW} AS "decideBelowRisk", c.encrypted_secret AS "encryptedSecret",
    d.type = 'approval.updated' AS "isReplacing", (SELECT json_agg(r.receipt) ${EARLIER} AND r.receipt IS NOT NULL) AS replaces,
    EXISTS (SELECT ${EARLIER} AND r.claim_id IS NOT NULL AND r.next_attempt_at > now()) AS "isSending",
    CASE WHEN c.previous_secret_expires_at > now() THEN c.encrypted_previous_secret END AS "encryptedPreviousSecret", u.email, c.user_id AS "userId"`,
  atEnd: `took_ms = (extract(epoch FROM clock_timestamp() - last_attempt_at) * 1000)::integer`,
};

/**
 * The queue of notifications. Triggers fill it; any instance sends from it. See docs/reference/notifications.md#queue.
 */
@Injectable()
export class ChannelQueue extends DeliveryTable<ClaimedNotice> {
  constructor(
    private readonly database: DataSource,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {
    super(database, DELIVERIES);
  }

  /** Stores the result of an attempt, and since when the channel fails. */
  override async end(delivery: ClaimedNotice, end: AttemptEnd, tx?: EntityManager): Promise<void> {
    if (tx === undefined && (end.receipt !== undefined || delivery.isReplacing)) {
      await inTransaction(this.database, (own) => this.store(delivery, end, own));
    } else {
      await this.store(delivery, end, tx ?? this.database.manager);
    }
    // Not in the same transaction: decisions lock the channel before they change its deliveries.
    const [before, after] = end.error === null ? [Not(IsNull()), null] : [IsNull(), () => 'now()'];
    await (tx ?? this.database.manager).update(
      ChannelEntity,
      { id: delivery.receiverId, failingSince: before },
      { failingSince: after, failureToldAt: null },
    );
  }

  private async store(delivery: ClaimedNotice, end: AttemptEnd, tx: EntityManager): Promise<void> {
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

  /** Switches the channel off, unless its target was changed meanwhile, and tells its owner by another channel. */
  async endGone(delivery: ClaimedNotice, end: AttemptEnd): Promise<void> {
    const reason = `The receiver answered ${end.status} Gone`;
    await inTransaction(this.database, async (tx) => {
      const { receiverId: id, encryptedTarget } = delivery;
      // Locks the channel first, like other changes of it.
      const { affected } = await tx
        .createQueryBuilder()
        .update(ChannelEntity)
        .set({ isActive: false, disabledReason: reason, updatedAt: this.clock.now() })
        .where('id = :id AND is_active AND encrypted_target IS NOT DISTINCT FROM :encryptedTarget', {
          id,
          encryptedTarget,
        })
        .execute();
      await this.end(delivery, end, tx);
      if (affected !== 1) return;
      await giveUpNotices(tx, id, reason);
      const channel = await tx.findOneByOrFail(ChannelEntity, { id });
      await tellOfChannel(tx, 'channel.disabled', channel, reason, this.clock.now());
      await this.audit.recordChange(tx, {
        actor: gatewayIn(channel.workspaceId),
        reason: 'channel.disabled',
        details: { channel: channel.name, type: channel.type, reason },
      });
    });
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

/** Marks all notifications that were not sent yet as failed. An attempt in progress is not retried. */
export async function giveUpNotices(tx: EntityManager, channelId: number, reason: string): Promise<void> {
  await tx.update(
    ChannelDeliveryEntity,
    { channelId, state: In(['waiting', 'pending']) },
    { state: 'failed', nextAttemptAt: null, claimId: null, lastError: reason },
  );
}

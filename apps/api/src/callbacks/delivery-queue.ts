import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, LessThanOrEqual, type EntityManager } from 'typeorm';
import { AgentEntity, CallbackDeliveryEntity, CallbackEntity, inTransaction } from '#database';
import { DeliveryTable } from '../outbox/delivery-table.js';
import type { AttemptEnd, Claimed } from '../outbox/delivery.js';
import { Clock } from '../platform/clock.js';
import { CallbackChanges, withoutQuery } from './callback-changes.js';

/** A claimed delivery, with everything that the attempt needs. */
export interface ClaimedDelivery
  extends Claimed, Pick<CallbackDeliveryEntity, 'type' | 'actionId' | 'occurredAt' | 'decidedAt' | 'note'> {
  type: CallbackDeliveryEntity['type'];
  url: string;
  /** The hosts that the agent's callbacks may go to. */
  hosts: string[];
  encryptedSecret: string;
  /** null unless the secret is being rotated. */
  encryptedPreviousSecret: string | null;
}

/** The receiver is the agent. A delivery can be sent if the callback is enabled and the agent is not revoked. */
const DELIVERIES = {
  table: 'callback_deliveries',
  receiver: 'agent_id',
  joins: 'JOIN callbacks c ON c.agent_id = d.agent_id JOIN agents a ON a.id = d.agent_id',
  sendable: 'c.enabled AND a.is_active',
  columns: `d.action_id AS "actionId", d.occurred_at AS "occurredAt", d.decided_at AS "decidedAt", d.note, c.url, a.callback_hosts AS hosts,
    c.encrypted_secret AS "encryptedSecret",
    CASE WHEN c.previous_secret_expires_at > now() THEN c.encrypted_previous_secret END AS "encryptedPreviousSecret"`,
};

/** The queue of callbacks. A trigger fills it when an action changes; any instance sends from it. */
@Injectable()
export class DeliveryQueue extends DeliveryTable<ClaimedDelivery> {
  constructor(
    private readonly database: DataSource,
    private readonly changes: CallbackChanges,
    private readonly clock: Clock,
  ) {
    super(database, DELIVERIES);
  }

  /** Disables the callback after a 410 from the receiver, unless its URL was changed meanwhile. */
  async endGone(delivery: ClaimedDelivery, end: AttemptEnd): Promise<void> {
    await inTransaction(this.database, async (tx) => {
      const { receiverId: agentId, url } = delivery;
      const reason = 'The receiver answered 410 Gone';
      // Locks the callback first. Other changes to it use the same order, so there is no deadlock.
      const { affected } = await tx.update(
        CallbackEntity,
        { agentId, url, enabled: true },
        { enabled: false, disabledReason: reason, updatedAt: this.clock.now() },
      );
      await this.end(delivery, end, tx);
      if (affected !== 1) return;
      await giveUpPending(tx, agentId, reason);
      const agent = await tx.findOneByOrFail(AgentEntity, { id: agentId });
      await this.changes.record(tx, null, agent, 'callback.disabled', { url: withoutQuery(url), reason });
    });
  }

  /** Queues a test event. The caller must hold the agent's lock. @returns its id; null if a test is already pending */
  async addTest(tx: EntityManager, agentId: number): Promise<string | null> {
    if (await tx.existsBy(CallbackDeliveryEntity, { agentId, type: 'callback.test', state: 'pending' })) return null;
    const id = randomUUID();
    const now = this.clock.now();
    await tx.insert(CallbackDeliveryEntity, {
      id,
      agentId,
      type: 'callback.test',
      actionId: null,
      occurredAt: now,
      decidedAt: null,
      note: null,
      state: 'pending',
      attempts: 0,
      nextAttemptAt: () => 'now()',
    });
    return id;
  }

  /**
   * Deletes deliveries after 30 days, and previous secrets when they expire.
   * @returns the number of deleted deliveries
   */
  override async purge(now = this.clock.now()): Promise<number> {
    await this.database.manager.update(
      CallbackEntity,
      { previousSecretExpiresAt: LessThanOrEqual(now) },
      { encryptedPreviousSecret: null, previousSecretExpiresAt: null },
    );
    return super.purge(now);
  }
}

/** Marks all pending deliveries of the agent as failed. An attempt in progress is not retried. */
export async function giveUpPending(tx: EntityManager, agentId: number, reason: string): Promise<void> {
  await tx.update(
    CallbackDeliveryEntity,
    { agentId, state: 'pending' },
    { state: 'failed', nextAttemptAt: null, claimId: null, lastError: reason },
  );
}

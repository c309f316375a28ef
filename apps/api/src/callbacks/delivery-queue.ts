import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AgentEntity, CallbackDeliveryEntity, CallbackEntity } from '#database';
import { DeliveryTable } from '../outbox/delivery-table.js';
import type { Claimed } from '../outbox/delivery.js';
import { CLAIMED_SECRETS, type ClaimedSecrets } from '../outbox/signing-secrets.js';
import { Clock } from '../platform/clock.js';
import { CallbackChanges, withoutQuery } from './callback-changes.js';

/** A claimed delivery, with everything that the attempt needs. */
export interface ClaimedDelivery
  extends
    Claimed,
    ClaimedSecrets,
    Pick<CallbackDeliveryEntity, 'type' | 'actionId' | 'occurredAt' | 'decidedAt' | 'note'> {
  type: CallbackDeliveryEntity['type'];
  url: string;
  /** The hosts that the agent's callbacks may go to. */
  hosts: string[];
}

/** The receiver is the agent. A delivery can be sent if the callback is enabled and the agent is not revoked. */
const DELIVERIES = {
  table: 'callback_deliveries',
  receiver: 'agent_id',
  joins: 'JOIN callbacks c ON c.agent_id = d.agent_id JOIN agents a ON a.id = d.agent_id',
  sendable: 'c.enabled AND a.is_active',
  columns: `d.action_id AS "actionId", d.occurred_at AS "occurredAt", d.decided_at AS "decidedAt", d.note, c.url, a.callback_hosts AS hosts,
    ${CLAIMED_SECRETS}`,
  receivers: CallbackEntity,
};

/** The queue of callbacks. A trigger fills it when an action changes; any instance sends from it. */
@Injectable()
export class DeliveryQueue extends DeliveryTable<ClaimedDelivery> {
  constructor(
    source: DataSource,
    clock: Clock,
    private readonly changes: CallbackChanges,
  ) {
    super(source, clock, DELIVERIES);
  }

  protected override async switchOff(
    tx: EntityManager,
    { receiverId: agentId, url }: ClaimedDelivery,
    reason: string,
  ): Promise<boolean> {
    const { affected } = await tx.update(
      CallbackEntity,
      { agentId, url, enabled: true },
      { enabled: false, disabledReason: reason, updatedAt: this.clock.now() },
    );
    if (affected !== 1) return false;
    const agent = await tx.findOneByOrFail(AgentEntity, { id: agentId });
    await this.changes.record(tx, null, agent, 'callback.disabled', { url: withoutQuery(url), reason });
    return true;
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
      nextAttemptAt: () => 'now()',
    });
    return id;
  }
}

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, LessThanOrEqual, type EntityManager } from 'typeorm';
import type { DeliveryState } from '#contracts';
import { AgentEntity, CallbackDeliveryEntity, CallbackEntity, inTransaction } from '#database';
import { Clock } from '../platform/clock.js';
import { CallbackChanges, withoutQuery } from './callback-changes.js';

/** Longer than the longest attempt plus the time to store its result. */
const LEASE = `interval '30 seconds'`;
const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;
/** Small batches keep locks and WAL small, and no statement reaches its timeout. */
const PURGE_BATCH = 5000;

/** A delivery that this process may attempt until the lease ends, with everything that the attempt needs. */
export interface ClaimedDelivery extends Pick<
  CallbackDeliveryEntity,
  'id' | 'agentId' | 'type' | 'actionId' | 'occurredAt' | 'decidedAt' | 'note' | 'attempts'
> {
  claimId: string;
  url: string;
  /** The hosts that the agent's callbacks may go to. */
  hosts: string[];
  encryptedSecret: string;
  /** null unless the secret is being rotated. */
  encryptedPreviousSecret: string | null;
}

export interface AttemptEnd {
  state: DeliveryState;
  /** null if there is no next attempt. */
  retryInMs: number | null;
  status: number | null;
  error: string | null;
}

/** Deliveries that can be sent: the callback is enabled and the agent is not revoked. */
const SENDABLE = `callback_deliveries d
  JOIN callbacks c ON c.agent_id = d.agent_id AND c.enabled
  JOIN agents a ON a.id = d.agent_id AND a.is_active
  WHERE d.state = 'pending' AND d.agent_id <> ALL($1)`;

/**
 * Claims at most one delivery per agent, the oldest, so that a slow receiver or a long queue does not delay the others. The database's
 * clock decides what is due, because it also sets the queueing time; the clocks of processes may differ.
 */
const CLAIM = `
  WITH oldest AS (
    SELECT DISTINCT ON (d.agent_id) d.id, d.next_attempt_at FROM ${SENDABLE} AND d.next_attempt_at <= now()
    ORDER BY d.agent_id, d.next_attempt_at
  ), mine AS (
    SELECT d.id FROM callback_deliveries d
    WHERE d.id IN (SELECT id FROM oldest ORDER BY next_attempt_at LIMIT $2) AND d.state = 'pending' AND d.next_attempt_at <= now()
    FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE callback_deliveries d
  SET claim_id = gen_random_uuid(), attempts = d.attempts + 1, last_attempt_at = now(), next_attempt_at = now() + ${LEASE},
    last_status = NULL, last_error = NULL
  FROM mine, callbacks c, agents a WHERE d.id = mine.id AND c.agent_id = d.agent_id AND a.id = d.agent_id
  RETURNING d.id, d.agent_id AS "agentId", d.type, d.action_id AS "actionId", d.occurred_at AS "occurredAt",
    d.decided_at AS "decidedAt", d.note, d.attempts, d.claim_id AS "claimId", c.url, a.callback_hosts AS hosts,
    c.encrypted_secret AS "encryptedSecret",
    CASE WHEN c.previous_secret_expires_at > now() THEN c.encrypted_previous_secret END AS "encryptedPreviousSecret"`;

/**
 * The outbox of callbacks. A trigger fills it when an action changes; any instance sends from it. A claim is a lease: if a process dies
 * during an attempt, the delivery is attempted again with the same id.
 */
@Injectable()
export class DeliveryQueue {
  constructor(
    private readonly source: DataSource,
    private readonly changes: CallbackChanges,
    private readonly clock: Clock,
  ) {}

  /** Claims due deliveries: at most `limit`, one per agent, and none for the agents in `busy`. */
  async claim(limit: number, busy: number[]): Promise<ClaimedDelivery[]> {
    const [rows]: [ClaimedDelivery[], number] = await this.source.query(CLAIM, [busy, limit]);
    return rows;
  }

  /** Returns the milliseconds until the next delivery is due; null if none is queued. */
  async nextDueMs(busy: number[]): Promise<number | null> {
    const [row]: { ms: number | null }[] = await this.source.query(
      `SELECT (extract(epoch FROM min(d.next_attempt_at) - now()) * 1000)::float8 AS ms FROM ${SENDABLE}`,
      [busy],
    );
    return row.ms;
  }

  /** Stores the result of an attempt. Does nothing if the lease ended and another process claimed the delivery, or if it was given up. */
  async end({ id, claimId }: ClaimedDelivery, end: AttemptEnd, tx: EntityManager = this.source.manager): Promise<void> {
    await tx.query(
      `UPDATE callback_deliveries
       SET state = $3, next_attempt_at = now() + $4::float8 * interval '1 millisecond', claim_id = NULL, last_status = $5, last_error = $6
       WHERE id = $1 AND claim_id = $2`,
      [id, claimId, end.state, end.retryInMs, end.status, end.error],
    );
  }

  /** Disables the callback after a 410 from the receiver, unless its URL was changed meanwhile. */
  async endGone(delivery: ClaimedDelivery, end: AttemptEnd): Promise<void> {
    await inTransaction(this.source, async (tx) => {
      const { agentId, url } = delivery;
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

  /** Makes a delivery due now. A delivered or failed one starts again with all its attempts. Does not touch an attempt in progress. */
  async redeliver(tx: EntityManager, agentId: number, id: string): Promise<void> {
    await tx.query(
      `UPDATE callback_deliveries
       SET state = 'pending', attempts = CASE WHEN state = 'pending' THEN attempts ELSE 0 END, next_attempt_at = now(), claim_id = NULL
       WHERE id = $1 AND agent_id = $2 AND (claim_id IS NULL OR next_attempt_at <= now())`,
      [id, agentId],
    );
  }

  /** Deletes deliveries after 30 days, and previous secrets when they expire. @returns the number of deleted deliveries */
  async purge(): Promise<number> {
    const now = this.clock.now();
    await this.source.manager.update(
      CallbackEntity,
      { previousSecretExpiresAt: LessThanOrEqual(now) },
      { encryptedPreviousSecret: null, previousSecretExpiresAt: null },
    );
    const before = new Date(now.getTime() - RETENTION_DAYS * DAY_MS);
    for (let total = 0; ;) {
      const [, deleted]: [unknown[], number] = await this.source.query(
        `DELETE FROM callback_deliveries WHERE id IN
           (SELECT id FROM callback_deliveries WHERE occurred_at < $1 LIMIT ${PURGE_BATCH} FOR UPDATE SKIP LOCKED)`,
        [before],
      );
      total += deleted;
      if (deleted < PURGE_BATCH) return total;
    }
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

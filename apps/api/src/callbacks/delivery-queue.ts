import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, LessThanOrEqual, type EntityManager } from 'typeorm';
import type { DeliveryState } from '#contracts';
import { AgentEntity, CallbackDeliveryEntity, CallbackEntity, inTransaction } from '#database';
import { Clock } from '../platform/clock.js';
import { CallbackChanges, withoutQuery } from './callback-changes.js';

/** Longer than the longest attempt, and what it takes to write down how it ended. */
const LEASE = `interval '30 seconds'`;
const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;
/** Short statements: locks and log stay small, and a statement never meets its timeout. */
const PURGE_BATCH = 5000;

/** A delivery whose attempt is ours until the lease ends, with what it takes to make it. */
export interface ClaimedDelivery extends Pick<
  CallbackDeliveryEntity,
  'id' | 'agentId' | 'type' | 'actionId' | 'occurredAt' | 'decidedAt' | 'note' | 'attempts'
> {
  claimId: string;
  url: string;
  /** Where the agent's callbacks may go. */
  hosts: string[];
  encryptedSecret: string;
  /** null unless the secret is being rotated. */
  encryptedPreviousSecret: string | null;
}

export interface AttemptEnd {
  state: DeliveryState;
  /** null: there is no next attempt. */
  retryInMs: number | null;
  status: number | null;
  error: string | null;
}

/** What can be sent at all: its callback is enabled, its agent not revoked. */
const SENDABLE = `callback_deliveries d
  JOIN callbacks c ON c.agent_id = d.agent_id AND c.enabled
  JOIN agents a ON a.id = d.agent_id AND a.is_active
  WHERE d.state = 'pending' AND d.agent_id <> ALL($1)`;

/**
 * The oldest of each agent: one slow receiver, or one with much to be told, must not keep the others waiting.
 * The database's clock decides what is due, since it says when things were queued: processes may differ from it.
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
 * The outbox of callbacks: filled by a trigger with each change of an action, emptied by any instance. A claim is a lease:
 * a process that dies in an attempt leaves the delivery to be made again, under the same id.
 */
@Injectable()
export class DeliveryQueue {
  constructor(
    private readonly source: DataSource,
    private readonly changes: CallbackChanges,
    private readonly clock: Clock,
  ) {}

  /** Takes what is due, at most `limit` and one of each agent; nothing of the agents in `busy`. */
  async claim(limit: number, busy: number[]): Promise<ClaimedDelivery[]> {
    const [rows]: [ClaimedDelivery[], number] = await this.source.query(CLAIM, [busy, limit]);
    return rows;
  }

  /** In how many milliseconds the next is due, if nothing changes until then; null: none is queued. */
  async nextDueMs(busy: number[]): Promise<number | null> {
    const [row]: { ms: number | null }[] = await this.source.query(
      `SELECT (extract(epoch FROM min(d.next_attempt_at) - now()) * 1000)::float8 AS ms FROM ${SENDABLE}`,
      [busy],
    );
    return row.ms;
  }

  /** Ends an attempt. Without effect when the lease was over and another has taken it since, or it was given up. */
  async end({ id, claimId }: ClaimedDelivery, end: AttemptEnd, tx: EntityManager = this.source.manager): Promise<void> {
    await tx.query(
      `UPDATE callback_deliveries
       SET state = $3, next_attempt_at = now() + $4::float8 * interval '1 millisecond', claim_id = NULL, last_status = $5, last_error = $6
       WHERE id = $1 AND claim_id = $2`,
      [id, claimId, end.state, end.retryInMs, end.status, end.error],
    );
  }

  /** The receiver wants no more: disables the callback, unless its URL was changed meanwhile. */
  async endGone(delivery: ClaimedDelivery, end: AttemptEnd): Promise<void> {
    await inTransaction(this.source, async (tx) => {
      const { agentId, url } = delivery;
      const reason = 'The receiver answered 410 Gone';
      // First, as whoever changes the callback does: so the two can't block each other.
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

  /** Queues a test. @returns its id; null when one is on its way already. Let the caller hold the agent's lock. */
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

  /** Sends it now: one that is closed anew, with all its attempts. An attempt under way is left to itself. */
  async redeliver(tx: EntityManager, agentId: number, id: string): Promise<void> {
    await tx.query(
      `UPDATE callback_deliveries
       SET state = 'pending', attempts = CASE WHEN state = 'pending' THEN attempts ELSE 0 END, next_attempt_at = now(), claim_id = NULL
       WHERE id = $1 AND agent_id = $2 AND (claim_id IS NULL OR next_attempt_at <= now())`,
      [id, agentId],
    );
  }

  /** Forgets deliveries after 30 days, and rotated secrets when their time is over. @returns how many deliveries */
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

/** Nothing that waits is sent any more, nor what is being sent tried again. */
export async function giveUpPending(tx: EntityManager, agentId: number, reason: string): Promise<void> {
  await tx.update(
    CallbackDeliveryEntity,
    { agentId, state: 'pending' },
    { state: 'failed', nextAttemptAt: null, claimId: null, lastError: reason },
  );
}

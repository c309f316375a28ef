import { LessThanOrEqual, type DataSource, type EntityManager, type EntityTarget } from 'typeorm';
import { inTransaction, type ReceiverColumns } from '#database';
import type { Clock } from '../platform/clock.js';
import { toAttemptEnd, isGone, type Attempt, type AttemptEnd, type Claimed } from './delivery.js';

/** Longer than the longest attempt plus the time to store its result. */
const LEASE = `interval '30 seconds'`;
const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;
/** Small batches keep locks and WAL small, and no statement reaches its timeout. */
const PURGE_BATCH = 5000;

/** A table of deliveries, as the part that owns it describes it. It has the `DeliveryColumns`. All texts are SQL. */
interface TableDescription {
  table: string;
  /** The column with the id of the receiver. */
  receiver: string;
  /** Joins the receiver to the delivery `d`. */
  joins: string;
  /** When the delivery `d` can be sent, beyond being due. */
  sendable: string;
  /** The columns that an attempt needs, besides those of `Claimed`. */
  columns: string;
  /** Further columns that the end of an attempt sets. */
  atEnd?: string;
  /** The states in which nothing was delivered yet. */
  unsent?: string;
  /** The receivers, if they have signing secrets. */
  receivers?: EntityTarget<ReceiverColumns>;
}

/**
 * `receivers (id)`: who has deliveries in this state. PostgreSQL jumps in the index from one receiver to the next,
 * however many deliveries each has.
 */
export const receiversSql = (table: string, receiver: string, state: 'waiting' | 'pending'): string => `
  receivers (id) AS (
    (SELECT ${receiver} FROM ${table} WHERE state = '${state}' ORDER BY ${receiver} LIMIT 1)
    UNION ALL
    SELECT (SELECT d.${receiver} FROM ${table} d WHERE d.state = '${state}' AND d.${receiver} > r.id ORDER BY d.${receiver} LIMIT 1)
    FROM receivers r WHERE r.id IS NOT NULL
  )`;

/**
 * The deliveries of one table. A claim is a lease: if a process dies during an attempt, the delivery is attempted again
 * with the same id. The database's clock decides what is due, because it also sets the queueing time; the clocks of
 * processes may differ. See docs/reference/notifications.md#attempts.
 */
export class DeliveryTable<T extends Claimed> {
  private readonly claimSql: string;
  private readonly nextSql: string;
  private readonly findSql: string;

  constructor(
    protected readonly source: DataSource,
    protected readonly clock: Clock,
    private readonly about: TableDescription,
  ) {
    const { table, receiver, joins, sendable, columns } = about;
    const receivers = `WITH RECURSIVE ${receiversSql(table, receiver, 'pending')}`;
    const oldest = (condition: string): string => `receivers r CROSS JOIN LATERAL (
        SELECT d.id, d.next_attempt_at FROM ${table} d ${joins}
        WHERE d.${receiver} = r.id AND d.state = 'pending' AND ${sendable} AND ${condition} ORDER BY d.next_attempt_at LIMIT 1
      ) oldest WHERE r.id <> ALL($1)`;
    // At most one delivery per receiver, the oldest, so that a slow receiver or a long queue does not delay the others.
    this.claimSql = `
      ${receivers}, oldest AS (
        SELECT oldest.* FROM ${oldest('d.next_attempt_at <= now()')} ORDER BY oldest.next_attempt_at LIMIT $2
      ), mine AS (
        SELECT d.id FROM ${table} d
        WHERE d.id = ANY (ARRAY(SELECT id FROM oldest)) AND d.state = 'pending' AND d.next_attempt_at <= now()
        FOR NO KEY UPDATE SKIP LOCKED
      ), claimed AS (
        UPDATE ${table} d
        SET claim_id = gen_random_uuid(), attempts = d.attempts + 1, last_attempt_at = now(), next_attempt_at = now() + ${LEASE},
          last_status = NULL, last_error = NULL
        FROM mine WHERE d.id = mine.id
        RETURNING d.*
      )
      SELECT d.id, d.claim_id AS "claimId", d.${receiver} AS "receiverId", d.type, d.attempts, ${columns} FROM claimed d ${joins}`;
    this.findSql = `
      SELECT d.id, d.claim_id AS "claimId", d.${receiver} AS "receiverId", d.type, d.attempts, ${columns}
      FROM ${table} d ${joins} WHERE d.id = $1`;
    this.nextSql = `${receivers}
      SELECT (extract(epoch FROM min(oldest.next_attempt_at) - now()) * 1000)::float8 AS ms FROM ${oldest('true')}`;
  }

  /** Claims due deliveries: at most `limit`, one per receiver, and none for the receivers in `busy`. */
  claim(limit: number, busy: number[]): Promise<T[]> {
    return this.source.query(this.claimSql, [busy, limit]);
  }

  /** A delivery that was added with a claim; null if it was deleted with its receiver. */
  async find(id: string): Promise<T | null> {
    const [row]: (T | undefined)[] = await this.source.query(this.findSql, [id]);
    return row ?? null;
  }

  /** Returns the milliseconds until the next delivery is due; null if none is queued. */
  async nextDueMs(busy: number[]): Promise<number | null> {
    const [row]: { ms: number | null }[] = await this.source.query(this.nextSql, [busy]);
    return row.ms;
  }

  /**
   * Stores the result of an attempt. If the receiver wants no more messages, it is switched off.
   * @param retryInMs the delay before the next attempt if this one failed; null: there is none
   */
  async store(delivery: T, attempt: Attempt, retryInMs: number | null): Promise<void> {
    const end = toAttemptEnd(attempt, retryInMs);
    if (!isGone(attempt)) return this.end(delivery, end);
    const reason = `The receiver answered ${end.status} Gone`;
    await inTransaction(this.source, async (tx) => {
      // Locks the receiver first. Other changes to it use the same order, so there is no deadlock.
      const isOff = await this.switchOff?.(tx, delivery, reason);
      await this.end(delivery, end, tx);
      if (isOff === true) await this.giveUp(tx, delivery.receiverId, reason);
    });
  }

  /** Switches the receiver off and records it, unless its target was changed meanwhile. @returns whether it did */
  protected switchOff?(tx: EntityManager, delivery: T, reason: string): Promise<boolean>;

  /** Does nothing if the lease ended and another process claimed the delivery, or if it was given up. */
  protected async end(
    { id, claimId }: Pick<Claimed, 'id' | 'claimId'>,
    end: AttemptEnd,
    tx: EntityManager = this.source.manager,
  ): Promise<void> {
    await tx.query(
      `UPDATE ${this.about.table}
       SET state = $3, next_attempt_at = now() + $4::float8 * interval '1 millisecond', claim_id = NULL, last_status = $5, last_error = $6
         ${this.about.atEnd === undefined ? '' : `, ${this.about.atEnd}`}
       WHERE id = $1 AND claim_id = $2`,
      [id, claimId, end.state, end.retryInMs, end.status, end.error],
    );
  }

  /**
   * Makes a delivery due now. A delivered or failed one starts again with all its attempts. Does not touch an attempt
   * in progress.
   */
  async redeliver(tx: EntityManager, receiverId: number, id: string): Promise<void> {
    await tx.query(
      `UPDATE ${this.about.table}
       SET state = 'pending', attempts = CASE WHEN state = 'pending' THEN attempts ELSE 0 END, next_attempt_at = now(), claim_id = NULL
       WHERE id = $1 AND ${this.about.receiver} = $2 AND (claim_id IS NULL OR next_attempt_at <= now())`,
      [id, receiverId],
    );
  }

  /** Marks all deliveries that were not sent yet as failed. An attempt in progress is not retried. */
  async giveUp(tx: EntityManager, receiverId: number, reason: string): Promise<void> {
    const { table, receiver, unsent = `'pending'` } = this.about;
    await tx.query(
      `UPDATE ${table} SET state = 'failed', next_attempt_at = NULL, claim_id = NULL, last_error = $2
       WHERE ${receiver} = $1 AND state IN (${unsent})`,
      [receiverId, reason],
    );
  }

  /**
   * Deletes deliveries after 30 days, and previous secrets when they expire.
   * @returns the number of deleted deliveries
   */
  async purge(now = this.clock.now()): Promise<number> {
    const { table, receivers } = this.about;
    if (receivers !== undefined) {
      const old = { previousSecretExpiresAt: LessThanOrEqual(now) };
      await this.source.manager.update(receivers, old, {
        encryptedPreviousSecret: null,
        previousSecretExpiresAt: null,
      });
    }
    const before = new Date(now.getTime() - RETENTION_DAYS * DAY_MS);
    for (let total = 0; ;) {
      const [, deleted]: [unknown[], number] = await this.source.query(
        `DELETE FROM ${table} WHERE id IN
           (SELECT id FROM ${table} WHERE occurred_at < $1 LIMIT ${PURGE_BATCH} FOR UPDATE SKIP LOCKED)`,
        [before],
      );
      total += deleted;
      if (deleted < PURGE_BATCH) return total;
    }
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { QUIET_HOURS_RISK } from '#contracts/limits';
import { inTransaction } from '#database';
import { JOINS, SENDABLE } from './channel-queue.js';

/** So many go singly within a window; the rest waits for the end of the window and goes together. */
const SINGLE_MAX = 2;
const WINDOW = `interval '1 minute'`;
/** Channels in one look. */
const BATCH = 100;
/** They share the connections with everybody else. */
const PARALLEL = 4;

const WAITING = `FROM channel_deliveries d ${JOINS} WHERE d.state = 'waiting' AND ${SENDABLE}`;

/** When the quiet hours of a channel end that has some now; else NULL. Counted in the person's time zone. */
const QUIET_UNTIL = `CASE
  WHEN q.starts < q.ends AND q.here::time >= q.starts AND q.here::time < q.ends THEN (q.here::date + q.ends) AT TIME ZONE q.zone
  WHEN q.starts > q.ends AND q.here::time >= q.starts THEN (q.here::date + 1 + q.ends) AT TIME ZONE q.zone
  WHEN q.starts > q.ends AND q.here::time < q.ends THEN (q.here::date + q.ends) AT TIME ZONE q.zone END`;

const LOCK = `
  SELECT ${QUIET_UNTIL} AS "quietUntil" FROM channels c, LATERAL (SELECT (c.quiet_hours->>'from')::time AS starts,
    (c.quiet_hours->>'to')::time AS ends, c.quiet_hours->>'timeZone' AS zone, now() AT TIME ZONE (c.quiet_hours->>'timeZone') AS here) q
  WHERE c.id = $1 FOR NO KEY UPDATE OF c SKIP LOCKED`;

const DUE = `channel_id = $1 AND state = 'waiting' AND next_attempt_at <= now() AND (until IS NULL OR until > now())`;

const LOOK = `
  SELECT (SELECT count(*)::int FROM channel_deliveries WHERE ${DUE}) AS due,
    (SELECT count(*)::int FROM channel_deliveries WHERE ${DUE} AND held_back) AS "heldBack",
    count(*)::int AS recent, coalesce(bool_or(type = 'approval.digest'), false) AS "hadDigest",
    max(released_at) + ${WINDOW} AS "windowEnd"
  FROM channel_deliveries WHERE channel_id = $1 AND released_at > now() - ${WINDOW}`;

interface Look {
  due: number;
  heldBack: number;
  recent: number;
  hadDigest: boolean;
  windowEnd: Date | null;
}

/**
 * Decides about what waits: what goes alone, what goes in a digest, and what waits longer. Only one instance at a time decides for a
 * channel. Webhooks are not paced. See docs/notifications.md#how-much.
 */
@Injectable()
export class ChannelPacing {
  constructor(private readonly source: DataSource) {}

  /** Releases what can be sent now. */
  async release(): Promise<void> {
    const channels: { id: number }[] = await this.source.query(
      `SELECT DISTINCT d.channel_id AS id ${WAITING} AND d.next_attempt_at <= now() LIMIT ${BATCH}`,
    );
    const next = async (): Promise<void> => {
      for (let channel = channels.pop(); channel; channel = channels.pop()) {
        const { id } = channel;
        await inTransaction(this.source, (tx) => this.releaseOf(tx, id));
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, next));
  }

  /** Returns the milliseconds until something that waits is due; null if nothing waits. */
  async nextDueMs(): Promise<number | null> {
    const [row]: { ms: number | null }[] = await this.source.query(
      `SELECT (extract(epoch FROM min(d.next_attempt_at) - now()) * 1000)::float8 AS ms ${WAITING}`,
    );
    return row.ms;
  }

  private async releaseOf(tx: EntityManager, id: number): Promise<void> {
    const [channel]: { quietUntil: Date | null }[] = await tx.query(LOCK, [id]);
    if (channel === undefined) return;
    if (channel.quietUntil !== null) {
      await tx.query(
        `UPDATE channel_deliveries SET next_attempt_at = $2, held_back = true WHERE ${DUE} AND coalesce(risk, 0) < ${QUIET_HOURS_RISK}`,
        [id, channel.quietUntil],
      );
    }
    const [{ due, heldBack, recent, hadDigest, windowEnd }]: Look[] = await tx.query(LOOK, [id]);
    if (due === 0) return;
    if (heldBack > 0 && due > 1 && windowEnd === null) return this.bundle(tx, id);
    const room = hadDigest || (heldBack > 0 && windowEnd !== null) ? 0 : SINGLE_MAX - recent;
    if (room > 0) await this.releaseOldest(tx, id, room);
    if (due > room) {
      await tx.query(
        `UPDATE channel_deliveries SET next_attempt_at = coalesce($2::timestamptz, now() + ${WINDOW}), held_back = true WHERE ${DUE}`,
        [id, windowEnd],
      );
    }
  }

  private async releaseOldest(tx: EntityManager, id: number, count: number): Promise<void> {
    await tx.query(
      `UPDATE channel_deliveries SET state = 'pending', released_at = now(), next_attempt_at = now()
       WHERE id IN (SELECT id FROM channel_deliveries WHERE ${DUE} ORDER BY occurred_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [id, count],
    );
  }

  /** Everything that is due goes in one. Until it is sent, it is the digest of what still waits then. */
  private async bundle(tx: EntityManager, id: number): Promise<void> {
    await tx.query(
      `WITH digest AS (
         INSERT INTO channel_deliveries (id, channel_id, type, about, occurred_at, state, released_at, next_attempt_at)
         VALUES (gen_random_uuid(), $1, 'approval.digest', '{}', date_trunc('milliseconds', now()), 'pending', now(), now())
         RETURNING id
       )
       UPDATE channel_deliveries SET state = 'bundled', next_attempt_at = NULL, digest_id = (SELECT id FROM digest)
       WHERE id IN (SELECT id FROM channel_deliveries WHERE ${DUE} FOR UPDATE SKIP LOCKED)`,
      [id],
    );
  }
}

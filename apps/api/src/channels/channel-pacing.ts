import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { QUIET_HOURS_RISK } from '#contracts/limits';
import { inTransaction } from '#database';
import { receiversOf } from '../outbox/delivery-table.js';
import { JOINS, SENDABLE } from './channel-queue.js';

/** So many go singly within a window; the rest waits for the end of the window and goes together. */
const SINGLE_MAX = 2;
const WINDOW = `interval '1 minute'`;
/** Channels in one transaction. */
const BATCH = 100;
/** Under load, what arrives meanwhile is decided together. */
const PAUSE_MS = 100;

const RECEIVERS = `WITH RECURSIVE ${receiversOf('channel_deliveries', 'channel_id', 'waiting')}`;
const WAITING = `FROM channel_deliveries d ${JOINS} WHERE d.channel_id = r.id AND d.state = 'waiting' AND ${SENDABLE}`;

/** When the quiet hours of a channel end that has some now; else NULL. Counted in the person's time zone. */
const QUIET_UNTIL = `CASE
  WHEN q.starts < q.ends AND q.here::time >= q.starts AND q.here::time < q.ends THEN (q.here::date + q.ends) AT TIME ZONE q.zone
  WHEN q.starts > q.ends AND q.here::time >= q.starts THEN (q.here::date + 1 + q.ends) AT TIME ZONE q.zone
  WHEN q.starts > q.ends AND q.here::time < q.ends THEN (q.here::date + q.ends) AT TIME ZONE q.zone END`;

/** Only one instance at a time decides for a channel. */
const LOCK = `
  SELECT c.id, ${QUIET_UNTIL} AS "quietUntil" FROM channels c, LATERAL (SELECT (c.quiet_hours->>'from')::time AS starts,
    (c.quiet_hours->>'to')::time AS ends, c.quiet_hours->>'timeZone' AS zone, now() AT TIME ZONE (c.quiet_hours->>'timeZone') AS here) q
  WHERE c.id = ANY ($1) FOR NO KEY UPDATE OF c SKIP LOCKED`;

/**
 * What becomes of each notification that is due: alone, in a digest, or later. A digest counts when it is sent what still waits then.
 * Nothing overtakes what is held back, although the window of the first single one ends before that of the second (`held`).
 * Rows that others have locked are left for the next look, so that this never waits for anybody.
 */
const DECIDE = `
  WITH due AS (
    SELECT d.id, d.channel_id, d.occurred_at, d.held_back, c.quiet_until,
      c.quiet_until IS NOT NULL AND coalesce(d.risk, 0) < ${QUIET_HOURS_RISK} AS is_quiet
    FROM unnest($1::integer[], $2::timestamptz[]) AS c (id, quiet_until) JOIN channel_deliveries d ON d.channel_id = c.id
    WHERE d.state = 'waiting' AND d.next_attempt_at <= now() AND (d.until IS NULL OR d.until > now())
    FOR UPDATE OF d SKIP LOCKED
  ), told AS (
    SELECT channel_id, count(*) AS count, bool_or(type = 'approval.digest') AS had_digest, max(released_at) + ${WINDOW} AS window_end
    FROM channel_deliveries WHERE channel_id = ANY ($1) AND released_at > now() - ${WINDOW} GROUP BY channel_id
  ), held AS (
    SELECT c.id FROM unnest($1::integer[], $2::timestamptz[]) AS c (id, quiet_until) WHERE EXISTS (
      SELECT FROM channel_deliveries d WHERE d.channel_id = c.id AND d.state = 'waiting' AND d.held_back AND (d.until IS NULL OR d.until > now())
        AND (c.quiet_until IS NULL OR coalesce(d.risk, 0) >= ${QUIET_HOURS_RISK}))
  ), ranked AS (
    SELECT due.*, row_number() OVER each + CASE WHEN is_quiet THEN 0 ELSE coalesce(told.count, 0) END AS place, count(*) OVER (all_of) AS count,
      bool_or(held_back) OVER (all_of) OR (NOT is_quiet AND channel_id IN (SELECT id FROM held)) AS some_held_back, coalesce(had_digest, false) AS had_digest, window_end
    FROM due LEFT JOIN told USING (channel_id)
    WINDOW all_of AS (PARTITION BY channel_id, is_quiet), each AS (all_of ORDER BY occurred_at, id)
  ), fates AS (
    SELECT id, channel_id, CASE
      WHEN is_quiet THEN 'waiting'
      WHEN some_held_back AND count > 1 AND window_end IS NULL THEN 'bundled'
      WHEN place <= ${SINGLE_MAX} AND NOT had_digest AND (NOT some_held_back OR window_end IS NULL) THEN 'pending'
      ELSE 'waiting' END AS fate, CASE WHEN is_quiet THEN quiet_until ELSE coalesce(window_end, now() + ${WINDOW}) END AS later
    FROM ranked
  ), digests AS (
    INSERT INTO channel_deliveries (id, channel_id, type, about, occurred_at, state, released_at, next_attempt_at)
    SELECT gen_random_uuid(), channel_id, 'approval.digest', '{}', date_trunc('milliseconds', now()), 'pending', now(), now()
    FROM fates WHERE fate = 'bundled' GROUP BY channel_id
    RETURNING id, channel_id
  )
  UPDATE channel_deliveries d SET state = f.fate, digest_id = g.id, held_back = d.held_back OR f.fate = 'waiting',
    released_at = CASE WHEN f.fate = 'pending' THEN now() END,
    next_attempt_at = CASE f.fate WHEN 'pending' THEN now() WHEN 'waiting' THEN f.later END
  FROM fates f LEFT JOIN digests g ON g.channel_id = f.channel_id AND f.fate = 'bundled'
  WHERE d.id = f.id AND d.id = ANY (ARRAY(SELECT id FROM fates))`;

/**
 * Decides about what waits: what goes alone, what goes in a digest, and what waits longer. Webhooks are not paced. See
 * docs/reference/notifications.md#pacing.
 */
@Injectable()
export class ChannelPacing {
  private lastMs = -Infinity;

  constructor(private readonly source: DataSource) {}

  /** Releases what can be sent now. Does nothing soon after the last time: what waits is still due when the caller looks again. */
  async release(): Promise<void> {
    if (performance.now() - this.lastMs < PAUSE_MS) return;
    this.lastMs = performance.now();
    const due: { id: number }[] = await this.source.query(
      `${RECEIVERS} SELECT r.id FROM receivers r WHERE EXISTS (SELECT ${WAITING} AND d.next_attempt_at <= now()) LIMIT ${BATCH}`,
    );
    if (due.length === 0) return;
    await inTransaction(this.source, async (tx) => {
      const locked: { id: number; quietUntil: Date | null }[] = await tx.query(LOCK, [due.map(({ id }) => id)]);
      // A statement of its own, so that it sees what the instance that held the lock before has decided.
      const ids = locked.map(({ id }) => id);
      await tx.query(DECIDE, [ids, locked.map(({ quietUntil }) => quietUntil)]);
    });
  }

  /** Returns the milliseconds until something that waits is due; null if nothing waits. */
  async nextDueMs(): Promise<number | null> {
    const [row]: { ms: number | null }[] = await this.source.query(
      `${RECEIVERS} SELECT (extract(epoch FROM min(next.at) - now()) * 1000)::float8 AS ms FROM receivers r CROSS JOIN LATERAL (
         SELECT d.next_attempt_at AS at ${WAITING} ORDER BY d.next_attempt_at LIMIT 1) next`,
    );
    return row.ms;
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { QUIET_HOURS_RISK } from '#contracts/limits';
import { inTransaction } from '#database';
import { receiversOf } from '../outbox/delivery-table.js';
import { JOINS, SENDABLE } from './channel-queue.js';

/** This many notifications are sent alone within a minute. Others go into a digest. */
const SINGLE_MAX = 2;
const WINDOW = `interval '1 minute'`;
/**
 * The limits for one transaction: the number of channels, and of notifications for each channel. They keep each
 * statement below its time limit, even if many notifications wait.
 */
const CHANNELS = 20;
const OF_EACH = 200;
/** Under load, notifications that arrive during this pause are decided together. */
const PAUSE_MS = 100;

const RECEIVERS = `WITH RECURSIVE ${receiversOf('channel_deliveries', 'channel_id', 'waiting')}`;
const WAITING = `FROM channel_deliveries d ${JOINS} WHERE d.channel_id = r.id AND d.state = 'waiting' AND ${SENDABLE}`;

const DUE = `${RECEIVERS} SELECT r.id FROM receivers r
  WHERE r.id > $1 AND EXISTS (SELECT ${WAITING} AND d.next_attempt_at <= now()) ORDER BY r.id LIMIT ${CHANNELS}`;

/** The end of the current quiet hours of a channel, in the person's time zone; NULL outside quiet hours. */
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
 * The channels to decide for, and the due notifications of each. A digest that still collects has the state `waiting`
 * too.
 */
const LOCKED = 'unnest($1::integer[], $2::timestamptz[]) AS r (id, quiet_until)';
const DUE_NOTICES = `${WAITING} AND d.type <> 'approval.digest' AND d.next_attempt_at <=`;

/**
 * Decides for each notification that is due: it is sent alone, joins the digest of its channel, or waits. While a
 * digest collects, every notification joins it, so that none overtakes waiting ones. An urgent notification in quiet
 * hours makes the digest leave earlier. Rows that other instances have locked are skipped until the next run, so that
 * this function never waits.
 */
const DECIDE = `
  WITH due AS (
    SELECT d.*, r.id AS channel_id, r.quiet_until, r.quiet_until IS NOT NULL AND coalesce(d.risk, 0) < ${QUIET_HOURS_RISK} AS is_quiet
    FROM ${LOCKED} CROSS JOIN LATERAL (
      SELECT d.id, d.occurred_at, d.held_back, d.risk ${DUE_NOTICES} now() ORDER BY d.next_attempt_at LIMIT ${OF_EACH} FOR UPDATE OF d SKIP LOCKED
    ) d
  ), told AS (
    SELECT channel_id, count(*) AS count, bool_or(type = 'approval.digest') AS had_digest, max(released_at) + ${WINDOW} AS window_end
    FROM channel_deliveries WHERE channel_id = ANY ($1) AND released_at > now() - ${WINDOW} GROUP BY channel_id
  ), collecting AS (
    SELECT channel_id FROM channel_deliveries WHERE channel_id = ANY ($1) AND state = 'waiting' AND type = 'approval.digest'
  ), ranked AS (
    SELECT due.*, window_end, coalesce(had_digest, false) OR EXISTS (SELECT FROM collecting c WHERE c.channel_id = due.channel_id) AS has_digest,
      row_number() OVER (of_channel ORDER BY occurred_at, id) + coalesce(told.count, 0) AS place,
      bool_or(held_back) OVER of_channel AND count(*) OVER of_channel > 1 AS goes_together
    FROM due LEFT JOIN told USING (channel_id) WINDOW of_channel AS (PARTITION BY channel_id, is_quiet)
  ), fates AS (
    SELECT ranked.*, CASE WHEN is_quiet THEN 'waiting'
      WHEN place <= ${SINGLE_MAX} AND NOT has_digest AND NOT goes_together THEN 'pending' ELSE 'bundled' END AS fate
    FROM ranked
  ), digests AS (
    INSERT INTO channel_deliveries AS g (id, channel_id, type, about, occurred_at, state, next_attempt_at)
    SELECT gen_random_uuid(), channel_id, 'approval.digest', '{}', date_trunc('milliseconds', now()), 'waiting',
      CASE WHEN bool_or(fate = 'pending') THEN now() + ${WINDOW} ELSE coalesce(max(window_end), now()) END
    FROM fates WHERE NOT is_quiet GROUP BY channel_id HAVING bool_or(fate = 'bundled')
    ON CONFLICT (channel_id) WHERE state = 'waiting' AND type = 'approval.digest'
      DO UPDATE SET next_attempt_at = least(g.next_attempt_at, excluded.next_attempt_at)
    RETURNING id, channel_id
  )
  UPDATE channel_deliveries d SET state = f.fate, digest_id = g.id, held_back = d.held_back OR f.fate = 'waiting',
    released_at = CASE WHEN f.fate = 'pending' THEN now() END,
    next_attempt_at = CASE f.fate WHEN 'pending' THEN now() WHEN 'waiting' THEN f.quiet_until END
  FROM fates f LEFT JOIN digests g ON g.channel_id = f.channel_id AND f.fate = 'bundled'
  WHERE d.id = f.id AND d.id = ANY (ARRAY(SELECT id FROM fates))`;

/**
 * Releases digests that are due, after all notifications that were due before have joined. A digest with a single
 * notification is sent as that notification, and an empty one is not sent. In quiet hours, only a digest with an urgent
 * notification is sent.
 */
const RELEASE = `
  WITH due AS (
    SELECT g.id, live.count, live.first, CASE WHEN live.risk < ${QUIET_HOURS_RISK} THEN r.quiet_until END AS later
    FROM ${LOCKED} JOIN channel_deliveries g ON g.channel_id = r.id CROSS JOIN LATERAL (
      SELECT count(*) AS count, coalesce(max(b.risk), 0) AS risk, (array_agg(b.id))[1] AS first
      FROM channel_deliveries b WHERE b.digest_id = g.id AND (b.until IS NULL OR b.until > now())
    ) live
    WHERE g.state = 'waiting' AND g.type = 'approval.digest' AND g.next_attempt_at <= now()
      AND NOT EXISTS (SELECT ${DUE_NOTICES} g.next_attempt_at)
  ), single AS (
    SELECT b.id, b.digest_id FROM due JOIN channel_deliveries b ON b.id = due.first
    WHERE due.count = 1 AND later IS NULL AND (b.until IS NULL OR b.until > now()) FOR UPDATE OF b SKIP LOCKED
  ), alone AS (
    UPDATE channel_deliveries b SET state = 'pending', digest_id = NULL, released_at = now(), next_attempt_at = now()
    FROM single WHERE b.id = single.id
  ), needless AS (
    DELETE FROM channel_deliveries g USING due WHERE g.id = due.id AND (due.count = 0 OR g.id IN (SELECT digest_id FROM single))
  )
  UPDATE channel_deliveries g SET next_attempt_at = coalesce(due.later, now()),
    state = CASE WHEN due.later IS NULL THEN 'pending' ELSE 'waiting' END, released_at = CASE WHEN due.later IS NULL THEN now() END
  FROM due WHERE g.id = due.id AND (due.count > 1 OR due.count = 1 AND due.later IS NOT NULL)`;

/**
 * Decides about what waits: what goes alone, what goes in a digest, and what waits longer. Webhooks are not paced. See
 * docs/reference/notifications.md#pacing.
 */
@Injectable()
export class ChannelPacing {
  private lastMs = -Infinity;

  constructor(private readonly source: DataSource) {}

  /**
   * Releases the notifications that can be sent now. Does nothing soon after the last call: the notifications are still
   * due when the caller looks again.
   */
  async release(): Promise<void> {
    if (performance.now() - this.lastMs < PAUSE_MS) return;
    this.lastMs = performance.now();
    for (let last = 0; ;) {
      const due: { id: number }[] = await this.source.query(DUE, [last]);
      if (due.length > 0) await this.decide(due.map(({ id }) => id));
      if (due.length < CHANNELS) return;
      last = due[due.length - 1].id;
    }
  }

  private decide(channelIds: number[]): Promise<void> {
    return inTransaction(this.source, async (tx) => {
      const locked: { id: number; quietUntil: Date | null }[] = await tx.query(LOCK, [channelIds]);
      const parameters = [locked.map(({ id }) => id), locked.map(({ quietUntil }) => quietUntil)];
      // These are separate statements, so that they see the decisions of the instance that held the lock before.
      await tx.query(DECIDE, parameters);
      await tx.query(RELEASE, parameters);
    });
  }

  /** Returns the milliseconds until a waiting notification is due; null if none waits. */
  async nextDueMs(): Promise<number | null> {
    const [row]: { ms: number | null }[] = await this.source.query(
      `${RECEIVERS} SELECT (extract(epoch FROM min(next.at) - now()) * 1000)::float8 AS ms FROM receivers r CROSS JOIN LATERAL (
         SELECT d.next_attempt_at AS at ${WAITING} ORDER BY d.next_attempt_at LIMIT 1) next`,
    );
    return row.ms;
  }
}

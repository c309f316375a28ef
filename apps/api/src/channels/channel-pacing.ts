import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '#database';
import { receiversSql } from '../outbox/delivery-table.js';
import { pace, paceDigest, type DigestResult, type DueDigest, type DueNotice, type PacedChannel } from './pacing.js';

export const JOINS = `JOIN channels c ON c.id = d.channel_id
  LEFT JOIN workspace_members m ON m.workspace_id = c.workspace_id AND m.user_id = c.user_id
  LEFT JOIN users u ON u.id = c.user_id`;

/**
 * A person gets notifications only while their role, and the rules that name approvers, allow it. A webhook gets every
 * event; other channels get no outdated ones.
 */
export const SENDABLE = `c.is_active AND (c.user_id IS NULL OR may_hear(m.role, d.type) AND coalesce(c.user_id = ANY (d.people), true))
  AND (c.type = 'webhook' OR d.until IS NULL OR d.until > now())`;

const WINDOW = `interval '1 minute'`;
/**
 * The limits for one transaction: the number of channels, and of notifications for each channel. They keep each
 * statement below its time limit, even if many notifications wait.
 */
const CHANNELS = 20;
const OF_EACH = 200;
/** Under load, notifications that arrive during this pause are decided together. */
const PAUSE_MS = 100;

const RECEIVERS = `WITH RECURSIVE ${receiversSql('channel_deliveries', 'channel_id', 'waiting')}`;
const WAITING = `FROM channel_deliveries d ${JOINS} WHERE d.channel_id = r.id AND d.state = 'waiting' AND ${SENDABLE}`;

const DUE = `${RECEIVERS} SELECT r.id FROM receivers r
  WHERE r.id > $1 AND EXISTS (SELECT ${WAITING} AND d.next_attempt_at <= now()) ORDER BY r.id LIMIT ${CHANNELS}`;

/** The end of the current quiet hours of a channel, in the person's time zone; NULL outside quiet hours. */
const QUIET_UNTIL = `CASE
  WHEN q.starts < q.ends AND q.here::time >= q.starts AND q.here::time < q.ends THEN (q.here::date + q.ends) AT TIME ZONE q.zone
  WHEN q.starts > q.ends AND q.here::time >= q.starts THEN (q.here::date + 1 + q.ends) AT TIME ZONE q.zone
  WHEN q.starts > q.ends AND q.here::time < q.ends THEN (q.here::date + q.ends) AT TIME ZONE q.zone END`;

/** The risk that decides about quiet hours. What the channel names effects for counts as critical. */
const urgencySql = (d: string): string => `CASE WHEN tells_of_effects(${d}.about, c.effects) THEN 1 ELSE ${d}.risk END`;

/** Only one instance at a time decides for a channel. */
const LOCK = `
  SELECT c.id, ${QUIET_UNTIL} AS "quietUntil" FROM channels c, LATERAL (SELECT (c.quiet_hours->>'from')::time AS starts,
    (c.quiet_hours->>'to')::time AS ends, c.quiet_hours->>'timeZone' AS zone, now() AT TIME ZONE (c.quiet_hours->>'timeZone') AS here) q
  WHERE c.id = ANY ($1) FOR NO KEY UPDATE OF c SKIP LOCKED`;

/** SQL over the channels $1. A digest that still collects has the state `waiting` too. */
const CHANNELS_LOCKED = 'unnest($1::integer[]) AS r (id)';
const DUE_NOTICES = `${WAITING} AND d.type <> 'approval.digest' AND d.next_attempt_at <=`;
const COLLECTING = "g.state = 'waiting' AND g.type = 'approval.digest'";

const SENT_LATELY = `
  SELECT r.id, now() AS now, sent.count::int AS "sentLately", sent.window_end AS "windowEnd",
    coalesce(sent.had_digest, false)
      OR EXISTS (SELECT FROM channel_deliveries g WHERE g.channel_id = r.id AND ${COLLECTING}) AS "hasDigest"
  FROM ${CHANNELS_LOCKED} CROSS JOIN LATERAL (
    SELECT count(*) AS count, bool_or(type = 'approval.digest') AS had_digest, max(released_at) + ${WINDOW} AS window_end
    FROM channel_deliveries WHERE channel_id = r.id AND released_at > now() - ${WINDOW}) sent`;

/** Rows that other instances have locked are left to the next run, so that nothing here waits. */
const DUE_OF_CHANNELS = `
  SELECT r.id AS "channelId", d.id, d.risk, d.held_back AS "heldBack"
  FROM ${CHANNELS_LOCKED} CROSS JOIN LATERAL (
    SELECT d.id, d.occurred_at, d.held_back, ${urgencySql('d')} AS risk ${DUE_NOTICES} now() ORDER BY d.next_attempt_at LIMIT ${OF_EACH}
    FOR UPDATE OF d SKIP LOCKED) d
  ORDER BY d.occurred_at, d.id`;

/** $1 channels, $2 when the digest of each leaves at the latest. */
const COLLECT = `
  INSERT INTO channel_deliveries AS g (id, channel_id, type, about, occurred_at, state, next_attempt_at)
  SELECT gen_random_uuid(), v.channel_id, 'approval.digest', '{}', date_trunc('milliseconds', now()), 'waiting', v.due
  FROM unnest($1::integer[], $2::timestamptz[]) AS v (channel_id, due)
  ON CONFLICT (channel_id) WHERE state = 'waiting' AND type = 'approval.digest'
    DO UPDATE SET next_attempt_at = least(g.next_attempt_at, excluded.next_attempt_at)
  RETURNING g.id, g.channel_id AS "channelId"`;

/** $1 notifications, $2 the digest of each. */
const JOIN_DIGEST = `
  UPDATE channel_deliveries d SET state = 'bundled', digest_id = v.digest_id, next_attempt_at = NULL
  FROM unnest($1::uuid[], $2::uuid[]) AS v (id, digest_id) WHERE d.id = v.id AND d.state = 'waiting'`;

/** $1 notifications or digests, $2 until when each waits. */
const PUT_OFF = `
  UPDATE channel_deliveries d SET held_back = d.held_back OR d.type <> 'approval.digest', next_attempt_at = v.until
  FROM unnest($1::uuid[], $2::timestamptz[]) AS v (id, until) WHERE d.id = v.id AND d.state = 'waiting'`;

/** $1 notifications or digests. */
const SEND = `
  UPDATE channel_deliveries SET state = 'pending', released_at = now(), next_attempt_at = now()
  WHERE id = ANY ($1::uuid[]) AND state = 'waiting'`;

/** The digests that are due. A digest waits until all notifications that were due before it have joined it. */
const DUE_DIGESTS = `
  SELECT r.id AS "channelId", g.id, live.count::int AS count, live.risk, live.first
  FROM ${CHANNELS_LOCKED} JOIN channels c ON c.id = r.id JOIN channel_deliveries g ON g.channel_id = r.id CROSS JOIN LATERAL (
    SELECT count(*) AS count, coalesce(max(${urgencySql('b')}), 0) AS risk, (array_agg(b.id))[1] AS first
    FROM channel_deliveries b WHERE b.digest_id = g.id AND (b.until IS NULL OR b.until > now())
  ) live
  WHERE ${COLLECTING} AND g.next_attempt_at <= now() AND NOT EXISTS (SELECT ${DUE_NOTICES} g.next_attempt_at)`;

/** $1 the only notifications of their digests. One that is locked by its decision stays until the next run. */
const SEND_ALONE = `
  WITH single AS (
    SELECT b.id, b.digest_id FROM channel_deliveries b
    WHERE b.id = ANY ($1::uuid[]) AND (b.until IS NULL OR b.until > now()) FOR UPDATE SKIP LOCKED
  ), alone AS (
    UPDATE channel_deliveries b SET state = 'pending', digest_id = NULL, released_at = now(), next_attempt_at = now()
    FROM single WHERE b.id = single.id
  )
  DELETE FROM channel_deliveries g USING single WHERE g.id = single.digest_id`;

interface LockedChannel {
  id: number;
  quietUntil: Date | null;
}

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
      const locked: LockedChannel[] = await tx.query(LOCK, [channelIds]);
      // Another instance paces them now.
      if (locked.length === 0) return;
      // These run in this order, in statements after the lock. So they see what the instance that held the lock has
      // decided.
      await paceNotices(tx, locked);
      await paceDigests(tx, locked);
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

async function paceNotices(tx: EntityManager, locked: LockedChannel[]): Promise<void> {
  const ids = [locked.map(({ id }) => id)];
  const states: (Omit<PacedChannel, 'quietUntil' | 'due'> & { id: number })[] = await tx.query(SENT_LATELY, ids);
  const notices: (DueNotice & { channelId: number })[] = await tx.query(DUE_OF_CHANNELS, ids);
  const decided = states.map(({ id, ...state }) => {
    const { quietUntil } = locked.find((channel) => channel.id === id)!;
    const due = notices.filter(({ channelId }) => channelId === id);
    return { id, quietUntil, ...pace({ ...state, quietUntil, due }) };
  });
  await run(
    tx,
    PUT_OFF,
    pairs(decided, ({ waiting, quietUntil }) => waiting.map((id) => [id, quietUntil])),
  );
  await run(tx, SEND, [decided.flatMap(({ alone }) => alone)]);
  const collecting = decided.filter(({ digestAt }) => digestAt !== null);
  if (collecting.length === 0) return;
  const digests: { id: string; channelId: number }[] = await tx.query(
    COLLECT,
    pairs(collecting, ({ id, digestAt }) => [[id, digestAt]]),
  );
  const digestByChannel = new Map(digests.map(({ id, channelId }) => [channelId, id]));
  await run(
    tx,
    JOIN_DIGEST,
    pairs(collecting, ({ id, bundled }) => bundled.map((each) => [each, digestByChannel.get(id)])),
  );
}

async function paceDigests(tx: EntityManager, locked: LockedChannel[]): Promise<void> {
  const due: (DueDigest & { id: string; channelId: number; first: string })[] = await tx.query(DUE_DIGESTS, [
    locked.map(({ id }) => id),
  ]);
  const quietUntilByChannel = new Map(locked.map(({ id, quietUntil }) => [id, quietUntil]));
  const decided = due.map((digest) => {
    const quietUntil = quietUntilByChannel.get(digest.channelId) ?? null;
    return { ...digest, quietUntil, becomes: paceDigest(quietUntil, digest) };
  });
  const those = (becomes: DigestResult) => decided.filter((digest) => digest.becomes === becomes);
  const listIds = (becomes: DigestResult): string[] => those(becomes).map(({ id }) => id);
  await run(tx, 'DELETE FROM channel_deliveries WHERE id = ANY ($1::uuid[])', [listIds('drop')]);
  await run(
    tx,
    PUT_OFF,
    pairs(those('wait'), ({ id, quietUntil }) => [[id, quietUntil]]),
  );
  await run(tx, SEND_ALONE, [those('alone').map(({ first }) => first)]);
  await run(tx, SEND, [listIds('send')]);
}

/** Two columns of parameters. */
const pairs = <T>(items: readonly T[], toPairs: (item: T) => [unknown, unknown][]): unknown[][] => {
  const all = items.flatMap(toPairs);
  return [all.map(([one]) => one), all.map(([, other]) => other)];
};

/** Runs the statement, unless there is nothing to do. */
async function run(tx: EntityManager, statement: string, columns: unknown[][]): Promise<void> {
  if (columns[0].length > 0) await tx.query(statement, columns);
}

import type { Answer } from '../egress/answer.js';
import { AUDIT_COLUMNS } from '../audit/audit-record.js';
import { tokenIsCurrent } from '../approvals/request-records.js';
import { countingSql } from '../risk/limits/counting.js';
import { standingDenial } from '../approvals/standing-denial.js';

/** SQL: a key has expired. `TAKE_OVER` has the rule for keys that are bound to an action. */
const TIME_IS_OVER = 'r.action_id IS NULL AND r.expires_at <= clock_timestamp()';

/**
 * A statement that took longer has probably waited for one of its keys. On a very busy machine, it may just be slow.
 */
const UNWAITED = '100 ms';

/**
 * Claims each key that is new, free or expired, and writes the records that come with the claims. One statement handles
 * a batch, so only one of several calls gets the key. It locks the keys in order, so that two batches can't deadlock.
 * It claims a key only if the agent still has the version of the review. It writes a record only under the condition
 * that holds for every record. The statement may wait for a key that another statement holds, and versions may change
 * during the wait. So a separate statement writes a record if another request had its key before, and it writes all
 * records of a statement that waited. $1: the records, with an empty object for a claim without one. $2: hours that a
 * key lives. $3: hours that a denial holds equal requests. $4 to $14: the claims, column by column.
 */
const CLAIMING = `
  WITH given AS MATERIALIZED (
    SELECT g.*,
      coalesce(agent_version = (SELECT a.version FROM agents a WHERE a.id = g.key_agent_id), false) AS is_current,
      -- The record of a claim that brings none has no column filled.
      id IS NOT NULL AND coalesce(service_version = (SELECT s.version FROM services s WHERE s.id = g.service_id), false)
        AND ${tokenIsCurrent('g')}
        AND NOT ${standingDenial('g', '$3', 'NULL::text')} AS is_recordable
    FROM ROWS FROM (
      unnest($4::integer[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::uuid[], $10::bigint[], $11::text[], $12::timestamptz[], $13::bigint[], $14::text[]),
      json_populate_recordset(NULL::audit_records, $1::json))
      AS g(key_agent_id, agent_version, key, request_hash, key_method, claim_id, service_version, target_hash, allowed_at, token_number, token_until)),
  claimed AS (
    INSERT INTO idempotency_records AS r (agent_id, key, request_hash, method, status, claim_id, created_at, expires_at)
    SELECT key_agent_id, key, request_hash, key_method, 'processing', claim_id, now(), now() + make_interval(hours => $2)
    FROM given WHERE is_current ORDER BY key_agent_id, key
    ON CONFLICT (agent_id, key) DO UPDATE SET
      request_hash = excluded.request_hash, method = excluded.method, status = 'processing',
      claim_id = excluded.claim_id, action_id = NULL, service_id = NULL, response_from_upstream = NULL,
      response_status = NULL, response_headers = NULL, response_body = NULL, created_at = excluded.created_at,
      completed_at = NULL, expires_at = excluded.expires_at
    WHERE r.status = 'failed' OR (${TIME_IS_OVER})
    -- A new row has no xmax; an updated one carries the lock of this statement.
    RETURNING claim_id, xmax = 0 AS is_new, clock_timestamp() AS claimed_at)`;

/** SQL: the rows whose records this statement writes. */
const RECORDABLE = `given JOIN claimed USING (claim_id)
    WHERE is_recordable AND is_new
      AND (SELECT max(claimed_at) FROM claimed) < statement_timestamp() + interval '${UNWAITED}'`;

const STATES = `(SELECT array_agg(claim_id::text) FROM claimed) AS claimed,
    (SELECT array_agg(id::text) FROM written) AS recorded,
    (SELECT array_agg(claim_id::text) FROM given WHERE NOT is_current) AS stale`;

export const CLAIM = `${CLAIMING},
  written AS (
    INSERT INTO audit_records (${AUDIT_COLUMNS})
    SELECT ${AUDIT_COLUMNS} FROM ${RECORDABLE}
    RETURNING id)
  SELECT ${STATES}`;

/** The same for requests with limits: it counts each one, and writes the record of those that fit. $15: their limits. */
export const CLAIM_COUNTED = `${CLAIMING},
  counted AS MATERIALIZED (${countingSql(RECORDABLE, '$15')}),
  written AS (
    INSERT INTO audit_records (${AUDIT_COLUMNS})
    SELECT ${AUDIT_COLUMNS} FROM given WHERE id IN (SELECT c.record_id FROM counted c WHERE c.counted)
    RETURNING id)
  SELECT ${STATES}, (SELECT json_agg(c) FROM counted c) AS counted`;

/** Expires the action of a key, if its time is over. It runs first in the transaction of `TAKE_OVER`. */
export const EXPIRE_ACTION = `
  UPDATE actions SET status = 'EXPIRED'
  WHERE id = $1 AND claim_id IS NULL
    AND ((status = 'PENDING' AND expires_at <= clock_timestamp())
      OR (status = 'APPROVED' AND approval_expires_at <= clock_timestamp()))`;

/** SQL: the action of a key is closed, and its result no longer needs to be kept. A deleted action is closed. */
const ACTION_IS_OVER = `NOT EXISTS (
    SELECT FROM actions a WHERE a.id = r.action_id AND (a.status IN ('PENDING', 'APPROVED')
      OR (a.status = 'EXECUTED'
        AND greatest(r.expires_at, a.executed_at + make_interval(hours => $1)) > clock_timestamp())))`;

/**
 * Takes a key over from an action that will never be executed, or whose result has been kept long enough. The statuses
 * that allow this are final, so the action can't be approved or executed later. $1: hours that a key lives. See
 * docs/reference/idempotency.md#take-over.
 */
export const TAKE_OVER = `
  UPDATE idempotency_records r SET request_hash = $6, method = $7, status = 'processing', claim_id = $8, action_id = NULL,
    service_id = NULL, created_at = now(), completed_at = NULL, expires_at = now() + make_interval(hours => $1)
  WHERE r.agent_id = $2 AND r.key = $3 AND r.action_id = $4 AND r.claim_id = $5 AND ${ACTION_IS_OVER}`;

/**
 * Deletes expired keys, but no key of an open action. $1: hours that a key lives.
 * See docs/reference/idempotency.md#expiry.
 */
export const PURGE = `
  DELETE FROM idempotency_records r WHERE r.expires_at <= now() AND (r.action_id IS NULL OR ${ACTION_IS_OVER})`;

export const COMPLETE = `
  UPDATE idempotency_records SET status = 'completed', completed_at = now(), service_id = $4, response_from_upstream = $5,
    response_status = $6, response_headers = $7, response_body = $8
  WHERE agent_id = $1 AND key = $2 AND claim_id = $3 AND status = 'processing'`;

/** The same for a batch of small answers. The function is defined in a migration, and keeps its plan. */
export const COMPLETE_BATCH = 'SELECT complete_idempotency_records($1::json)';

export const FAIL = `
  UPDATE idempotency_records SET status = 'failed'
  WHERE agent_id = $1 AND key = $2 AND claim_id = $3 AND status = 'processing' AND action_id IS NULL`;

/** The settlement reads the age of a claim from this column. */
export const RENEW = `
  UPDATE idempotency_records SET created_at = now()
  WHERE agent_id = $1 AND key = $2 AND claim_id = $3 AND status = 'processing'`;

/**
 * Locks a claim, so that it is neither bound nor answered before the transaction ends. No row: it is no longer open.
 */
export const STILL_OPEN = `
  SELECT key FROM idempotency_records
  WHERE agent_id = $1 AND key = $2 AND claim_id = $3 AND status = 'processing' AND action_id IS NULL FOR UPDATE`;

/** The values of `COMPLETE` from $5 on. */
export function answerColumns({ fromUpstream, status, headers, body }: Answer): unknown[] {
  return [fromUpstream, status, JSON.stringify(headers), body];
}

import { AUDIT_COLUMNS } from '../audit/audit-record.js';

/**
 * Takes each key that is new, free again, or past its day, and writes the record of those that bring one: one statement for
 * a batch, so that of any number of calls one gets the key. In the order of the keys, so that two batches can't deadlock.
 */
export const CLAIM = `
  WITH current AS (SELECT epoch FROM config_epoch),
  given AS (SELECT * FROM json_to_recordset($1::json)
    AS g(agent_id integer, key text, request_hash text, method text, claim_id uuid, judged bigint, record json)),
  claimed AS (
    INSERT INTO idempotency_records AS r (agent_id, key, request_hash, method, status, claim_id, created_at, expires_at)
    SELECT agent_id, key, request_hash, method, 'processing', claim_id, $2, $3 FROM given
    WHERE judged IS NULL OR judged = (SELECT epoch FROM current)
    ORDER BY agent_id, key
    ON CONFLICT (agent_id, key) DO UPDATE SET
      request_hash = excluded.request_hash, method = excluded.method, status = 'processing',
      claim_id = excluded.claim_id, action_id = NULL, response_from_upstream = NULL, response_status = NULL,
      response_headers = NULL, response_body = NULL, created_at = excluded.created_at, completed_at = NULL,
      expires_at = excluded.expires_at
    WHERE r.status = 'failed' OR r.expires_at <= excluded.created_at
    RETURNING claim_id),
  written AS (
    INSERT INTO audit_records (${AUDIT_COLUMNS})
    SELECT ${AUDIT_COLUMNS} FROM json_populate_recordset(NULL::audit_records,
      (SELECT json_agg(g.record) FROM given g JOIN claimed c ON c.claim_id = g.claim_id WHERE g.record IS NOT NULL)))
  SELECT current.epoch::text AS epoch, (SELECT array_agg(claim_id::text) FROM claimed) AS ids FROM current`;

/** Takes the key over from an action that will never be executed. */
export const TAKE_OVER = `
  UPDATE idempotency_records SET request_hash = $5, method = $6, status = 'processing', claim_id = $7, action_id = NULL,
    created_at = $8, completed_at = NULL, expires_at = $9
  WHERE agent_id = $1 AND key = $2 AND action_id = $3 AND claim_id = $4`;

export const COMPLETE = `
  UPDATE idempotency_records SET status = 'completed', completed_at = $4, response_from_upstream = $5,
    response_status = $6, response_headers = $7, response_body = $8
  WHERE agent_id = $1 AND key = $2 AND claim_id = $3 AND status = 'processing'`;

/** The same for a batch of small answers. */
export const COMPLETE_BATCH = `
  UPDATE idempotency_records i SET status = 'completed', completed_at = $2, response_from_upstream = r.from_upstream,
    response_status = r.status, response_headers = r.headers, response_body = decode(r.body, 'base64')
  FROM json_to_recordset($1::json) AS r(agent_id integer, key text, claim_id uuid, from_upstream boolean, status integer,
    headers json, body text)
  WHERE i.agent_id = r.agent_id AND i.key = r.key AND i.claim_id = r.claim_id AND i.status = 'processing'`;

export const FAIL = `
  UPDATE idempotency_records SET status = 'failed'
  WHERE agent_id = $1 AND key = $2 AND claim_id = $3 AND status = 'processing' AND action_id IS NULL`;

/** Holds a claim as it is, so that nobody binds or answers it before the transaction ends. No row: it is open no more. */
export const STILL_OPEN = `
  SELECT key FROM idempotency_records
  WHERE agent_id = $1 AND key = $2 AND claim_id = $3 AND status = 'processing' AND action_id IS NULL FOR UPDATE`;

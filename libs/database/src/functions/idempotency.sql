-- Idempotency keys.

-- Completes many keys in one statement.
CREATE OR REPLACE FUNCTION complete_idempotency_records(answers json) RETURNS void LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT * FROM json_to_recordset(answers) AS r(agent_id integer, key text, claim_id uuid, service_id integer,
    from_upstream boolean, status integer, headers json, body text)
    -- Claims lock the keys in this order too, so that the two can't deadlock.
    ORDER BY agent_id, key
  LOOP
    UPDATE idempotency_records SET status = 'completed', completed_at = now(), service_id = r.service_id,
      response_from_upstream = r.from_upstream, response_status = r.status, response_headers = r.headers,
      response_body = decode(r.body, 'base64')
    WHERE agent_id = r.agent_id AND key = r.key AND claim_id = r.claim_id AND status = 'processing';
  END LOOP;
END $$;

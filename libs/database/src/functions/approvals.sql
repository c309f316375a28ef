-- Held requests.

-- The words of what a request does. Null: an earlier release held it.
CREATE OR REPLACE FUNCTION effect_words(effects jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
SELECT jsonb_path_query_array(effects, '$[*].effect')
$$;

-- Whether a request with these words does one of the named effects. One whose effects are not known does each of them, and
-- so does an unclear one until the model has assessed it. `hasEffects` in `apps/api` is the same.
CREATE OR REPLACE FUNCTION has_effects(words jsonb, assessment text, named text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
SELECT named <> '{}' AND (coalesce(words, 'null') = 'null' OR words ?| named
  OR words ? 'unclear' AND assessment IS DISTINCT FROM 'done')
$$;

-- The limits for held requests count these bytes: body and headers, uncompressed.
CREATE OR REPLACE FUNCTION measure_held() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.held_bytes := coalesce(octet_length(NEW.body), 0) + coalesce(octet_length(NEW.body_bytes), 0) + octet_length(NEW.headers::text);
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER actions_measure BEFORE INSERT ON actions
  FOR EACH ROW EXECUTE FUNCTION measure_held();

-- `due` wakes the instances: the model is to be asked about the request.
CREATE OR REPLACE FUNCTION emit_action_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('agw_events', json_build_object(
    'type', CASE TG_OP WHEN 'INSERT' THEN 'action.created' ELSE 'action.updated' END,
    'workspaceId', NEW.workspace_id, 'id', NEW.id, 'status', NEW.status,
    'due', NEW.status = 'PENDING' AND NEW.assessment_state = 'pending')::text);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER actions_created_event AFTER INSERT ON actions
  FOR EACH ROW EXECUTE FUNCTION emit_action_event();
CREATE OR REPLACE TRIGGER actions_updated_event AFTER UPDATE OF status, times_asked, approvals, claim_id, assessment_state ON actions
  FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.times_asked <> NEW.times_asked OR OLD.approvals <> NEW.approvals
    OR OLD.claim_id IS DISTINCT FROM NEW.claim_id OR OLD.assessment_state <> NEW.assessment_state)
  EXECUTE FUNCTION emit_action_event();

-- Callbacks of agents.

-- A decision, its undoing, an expiry and an execution each queue a callback, if the agent has one. That of an approval is
-- due when the approval counts. If the approval ends before the agent was told of it, the agent is not told of it at all.
CREATE OR REPLACE FUNCTION queue_callback() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE at timestamptz := CASE NEW.status
  WHEN 'EXPIRED' THEN coalesce(NEW.approval_expires_at, NEW.expires_at)
  WHEN 'EXECUTED' THEN NEW.executed_at
  WHEN 'APPROVED' THEN coalesce(NEW.counts_from, NEW.resolved_at)
  ELSE NEW.resolved_at END;
BEGIN
  -- The cursors of the list have milliseconds, so this time has no smaller part.
  at := coalesce(at, date_trunc('milliseconds', now()));
  IF OLD.status = 'APPROVED' AND NEW.status IN ('PENDING', 'DENIED') THEN
    -- The callback is locked before its deliveries, like everywhere.
    PERFORM FROM callbacks WHERE agent_id = NEW.agent_id FOR KEY SHARE;
    DELETE FROM callback_deliveries WHERE agent_id = NEW.agent_id AND action_id = NEW.id AND type = 'action.approved'
      AND state = 'pending' AND last_attempt_at IS NULL;
    IF FOUND AND NEW.status = 'PENDING' THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO callback_deliveries (id, agent_id, type, action_id, occurred_at, decided_at, note, next_attempt_at)
  SELECT gen_random_uuid(), c.agent_id, 'action.' || lower(NEW.status), NEW.id,
    at, NEW.resolved_at, NEW.resolution_note, at
  FROM callbacks c JOIN agents a ON a.id = c.agent_id
  WHERE c.agent_id = NEW.agent_id AND c.enabled AND a.is_active
  FOR KEY SHARE OF c;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER actions_callback AFTER UPDATE OF status ON actions
  FOR EACH ROW WHEN (OLD.status <> NEW.status)
  EXECUTE FUNCTION queue_callback();

-- `due` wakes the senders; the other fields are for readers of live events.
CREATE OR REPLACE FUNCTION emit_callback_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE owner integer;
BEGIN
  SELECT workspace_id INTO owner FROM agents WHERE id = coalesce(NEW.agent_id, OLD.agent_id);
  IF owner IS NOT NULL THEN
    PERFORM pg_notify('agw_events', json_build_object(
      'type', 'callback.updated', 'workspaceId', owner, 'id', coalesce(NEW.agent_id, OLD.agent_id),
      'due', TG_TABLE_NAME = 'callback_deliveries' AND TG_OP = 'INSERT')::text);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER callback_deliveries_event AFTER INSERT OR UPDATE ON callback_deliveries
  FOR EACH ROW EXECUTE FUNCTION emit_callback_event();
CREATE OR REPLACE TRIGGER callbacks_event AFTER INSERT OR UPDATE OR DELETE ON callbacks
  FOR EACH ROW EXECUTE FUNCTION emit_callback_event();

-- A host that an agent asks for is shown on the agent's page.
CREATE OR REPLACE FUNCTION emit_callback_request_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE owner integer;
BEGIN
  SELECT workspace_id INTO owner FROM agents WHERE id = coalesce(NEW.agent_id, OLD.agent_id);
  IF owner IS NOT NULL THEN
    PERFORM pg_notify('agw_events', json_build_object(
      'type', 'agent.updated', 'workspaceId', owner, 'id', coalesce(NEW.agent_id, OLD.agent_id))::text);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER callback_requests_event AFTER INSERT OR UPDATE OR DELETE ON callback_requests
  FOR EACH ROW EXECUTE FUNCTION emit_callback_request_event();

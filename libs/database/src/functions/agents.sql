-- Agents: their version, which rises with every change that affects the decisions about their requests.

-- A change of any column counts, so that columns that are added later count too. Columns that don't affect decisions
-- about requests are exempt. When an agent uses its key, its version must not change.
CREATE OR REPLACE FUNCTION count_up_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER agents_version BEFORE UPDATE ON agents
  FOR EACH ROW WHEN ((to_jsonb(OLD) - '{version,last_used_at,updated_at}'::text[])
    IS DISTINCT FROM (to_jsonb(NEW) - '{version,last_used_at,updated_at}'::text[]))
  EXECUTE FUNCTION count_up_version();

-- The service that a target belongs to depends on all services in the agent's scope. So a change of the scope is a
-- change of the agent. Agents are locked in the order of their ids, so that two such changes can't deadlock.
CREATE OR REPLACE FUNCTION count_up_agents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE agents SET version = version + 1 WHERE id IN
    (SELECT id FROM agents WHERE id IN (SELECT agent_id FROM changed) ORDER BY id FOR NO KEY UPDATE);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER agent_services_added AFTER INSERT ON agent_services REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_up_agents();
CREATE OR REPLACE TRIGGER agent_services_moved AFTER UPDATE ON agent_services REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_up_agents();
CREATE OR REPLACE TRIGGER agent_services_removed AFTER DELETE ON agent_services REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_up_agents();

-- The previous keys of an agent belong to it.
CREATE OR REPLACE FUNCTION count_up_agent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE agents SET version = version + 1 WHERE id = coalesce(NEW.agent_id, OLD.agent_id);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER previous_agent_keys_changed AFTER UPDATE ON previous_agent_keys
  FOR EACH ROW WHEN ((to_jsonb(OLD) - 'last_used_at') IS DISTINCT FROM (to_jsonb(NEW) - 'last_used_at'))
  EXECUTE FUNCTION count_up_agent();
CREATE OR REPLACE TRIGGER previous_agent_keys_version AFTER INSERT OR DELETE ON previous_agent_keys
  FOR EACH ROW EXECUTE FUNCTION count_up_agent();

CREATE OR REPLACE FUNCTION emit_agent_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE agent agents := coalesce(NEW, OLD);
BEGIN
  PERFORM pg_notify('agw_events', json_build_object('type', 'agent.updated', 'workspaceId', agent.workspace_id, 'id', agent.id)::text);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER agents_changed_event AFTER INSERT OR UPDATE OF name, is_active, key_hash, updated_at OR DELETE ON agents
  FOR EACH ROW EXECUTE FUNCTION emit_agent_event();
CREATE OR REPLACE TRIGGER agents_first_use_event AFTER UPDATE OF last_used_at ON agents
  FOR EACH ROW WHEN (OLD.last_used_at IS NULL AND NEW.last_used_at IS NOT NULL)
  EXECUTE FUNCTION emit_agent_event();

-- Services: their version, which rises with every change of the service or of what belongs to it.

-- A request increments `uses` of its rule. That is not a change of the rule. Credentials that are only encrypted again are
-- not a change either (`agent_gateway.same_values`).
CREATE OR REPLACE FUNCTION count_up_service() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE services SET version = version + 1 WHERE id = coalesce(NEW.service_id, OLD.service_id);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER connections_version AFTER UPDATE ON connections
  FOR EACH ROW WHEN (OLD.needs_reconnect <> NEW.needs_reconnect OR OLD.connected_at IS DISTINCT FROM NEW.connected_at)
  EXECUTE FUNCTION count_up_service();
CREATE OR REPLACE TRIGGER credentials_version AFTER INSERT OR UPDATE OR DELETE ON credentials
  FOR EACH ROW WHEN (current_setting('agent_gateway.same_values', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION count_up_service();
CREATE OR REPLACE TRIGGER risk_rules_changed AFTER UPDATE ON risk_rules
  FOR EACH ROW WHEN ((to_jsonb(OLD) - '{uses,updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(NEW) - '{uses,updated_at}'::text[]))
  EXECUTE FUNCTION count_up_service();
CREATE OR REPLACE TRIGGER risk_rules_version AFTER INSERT OR DELETE ON risk_rules
  FOR EACH ROW EXECUTE FUNCTION count_up_service();
CREATE OR REPLACE TRIGGER documents_version AFTER INSERT OR UPDATE OR DELETE ON service_documents
  FOR EACH ROW EXECUTE FUNCTION count_up_service();

-- A change of a base URL or a name is a change of all agents that may use the service.
CREATE OR REPLACE FUNCTION count_up_agents_of_service() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE agents SET version = version + 1 WHERE id IN
    (SELECT id FROM agents WHERE id IN (SELECT agent_id FROM agent_services WHERE service_id = NEW.id)
     ORDER BY id FOR NO KEY UPDATE);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER services_scopes AFTER UPDATE ON services
  FOR EACH ROW WHEN (OLD.base_url <> NEW.base_url OR OLD.name <> NEW.name)
  EXECUTE FUNCTION count_up_agents_of_service();

CREATE OR REPLACE FUNCTION emit_service_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE service services := coalesce(NEW, OLD);
BEGIN
  PERFORM pg_notify('agw_events', json_build_object('type', 'service.updated', 'workspaceId', service.workspace_id, 'id', service.id)::text);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER services_event AFTER INSERT OR UPDATE OR DELETE ON services
  FOR EACH ROW EXECUTE FUNCTION emit_service_event();

CREATE OR REPLACE FUNCTION emit_service_part_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE owner integer;
BEGIN
  SELECT workspace_id INTO owner FROM services WHERE id = coalesce(NEW.service_id, OLD.service_id);
  IF owner IS NOT NULL THEN
    PERFORM pg_notify('agw_events', json_build_object(
      'type', 'service.updated', 'workspaceId', owner, 'id', coalesce(NEW.service_id, OLD.service_id))::text);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER connections_event AFTER INSERT OR UPDATE OF token_number, needs_reconnect, error OR DELETE ON connections
  FOR EACH ROW EXECUTE FUNCTION emit_service_part_event();
CREATE OR REPLACE TRIGGER risk_rules_event AFTER INSERT OR UPDATE OR DELETE ON risk_rules
  FOR EACH ROW EXECUTE FUNCTION emit_service_part_event();
CREATE OR REPLACE TRIGGER documents_event AFTER INSERT OR UPDATE OR DELETE ON service_documents
  FOR EACH ROW EXECUTE FUNCTION emit_service_part_event();

-- `count_up_version` is in agents.sql, which runs earlier.
CREATE OR REPLACE TRIGGER services_version BEFORE UPDATE ON services
  FOR EACH ROW WHEN ((to_jsonb(OLD) - '{version,updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(NEW) - '{version,updated_at}'::text[]))
  EXECUTE FUNCTION count_up_version();

-- Workspaces and their members.

CREATE OR REPLACE FUNCTION create_own_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM workspace_members WHERE user_id = NEW.id) OR NOT EXISTS (SELECT FROM users WHERE id = NEW.id) THEN
    RETURN NULL;
  END IF;
  INSERT INTO workspaces (id, name, private_targets, created_by, created_at, updated_at)
  VALUES (NEW.id, NEW.name || '''s workspace', CASE WHEN NEW.id = (SELECT min(id) FROM users) THEN true END, NEW.id, NEW.created_at, NEW.created_at);
  INSERT INTO workspace_members VALUES (NEW.id, NEW.id, 'owner', NEW.created_at);
  RETURN NULL;
END $$;
-- Deferred: an account that joins a workspace in the transaction that creates it gets none of its own. PostgreSQL cannot
-- replace a constraint trigger.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = 'users_workspace' AND tgrelid = 'users'::regclass) THEN
    CREATE CONSTRAINT TRIGGER users_workspace AFTER INSERT ON users DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION create_own_workspace();
  END IF;
END $$;

-- Instances of release 0.1.0 only know the account, and so its own workspace.
CREATE OR REPLACE FUNCTION fill_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.workspace_id := NEW.user_id;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER agents_fill_workspace BEFORE INSERT OR UPDATE ON agents
  FOR EACH ROW WHEN (NEW.workspace_id IS NULL)
  EXECUTE FUNCTION fill_workspace();
CREATE OR REPLACE TRIGGER services_fill_workspace BEFORE INSERT OR UPDATE ON services
  FOR EACH ROW WHEN (NEW.workspace_id IS NULL)
  EXECUTE FUNCTION fill_workspace();

-- Instances of release 0.1.0 write the account of the agent.
CREATE OR REPLACE FUNCTION fill_workspace_from_agent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.workspace_id := coalesce((SELECT workspace_id FROM agents WHERE id = NEW.agent_id), NEW.user_id);
  NEW.user_id := NULL;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER actions_fill_workspace BEFORE INSERT ON actions
  FOR EACH ROW WHEN (NEW.user_id IS NOT NULL AND NEW.workspace_id IS NULL)
  EXECUTE FUNCTION fill_workspace_from_agent();
CREATE OR REPLACE TRIGGER audit_records_fill_workspace BEFORE INSERT ON audit_records
  FOR EACH ROW WHEN (NEW.user_id IS NOT NULL AND NEW.workspace_id IS NULL)
  EXECUTE FUNCTION fill_workspace_from_agent();

-- A change of `private_targets` and a pause apply from the next request.
CREATE OR REPLACE FUNCTION count_up_agents_of_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE agents SET version = version + 1 WHERE id IN
    (SELECT id FROM agents WHERE workspace_id = NEW.id ORDER BY id FOR NO KEY UPDATE);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER workspaces_private_targets AFTER UPDATE ON workspaces
  FOR EACH ROW WHEN (OLD.private_targets IS DISTINCT FROM NEW.private_targets
    OR OLD.paused_at IS DISTINCT FROM NEW.paused_at OR OLD.paused_reason IS DISTINCT FROM NEW.paused_reason)
  EXECUTE FUNCTION count_up_agents_of_workspace();

CREATE OR REPLACE FUNCTION emit_workspace_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('agw_events', json_build_object('type', 'workspace.updated', 'workspaceId', NEW.id, 'id', NEW.id)::text);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER workspaces_event AFTER UPDATE ON workspaces
  FOR EACH ROW EXECUTE FUNCTION emit_workspace_event();

CREATE OR REPLACE FUNCTION emit_member_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE member workspace_members := coalesce(NEW, OLD);
BEGIN
  PERFORM pg_notify('agw_events', json_build_object(
    'type', CASE TG_OP WHEN 'DELETE' THEN 'member.removed' ELSE 'member.updated' END,
    'workspaceId', member.workspace_id, 'id', member.user_id)::text);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER workspace_members_event AFTER INSERT OR UPDATE OF role OR DELETE ON workspace_members
  FOR EACH ROW EXECUTE FUNCTION emit_member_event();

CREATE OR REPLACE FUNCTION emit_access_token_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('agw_events', json_build_object('type', 'token.revoked', 'userId', OLD.user_id, 'id', OLD.id)::text);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER access_tokens_event AFTER DELETE ON access_tokens
  FOR EACH ROW EXECUTE FUNCTION emit_access_token_event();

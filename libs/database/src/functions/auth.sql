-- Accounts and their sessions.

CREATE OR REPLACE FUNCTION emit_session_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('agw_events', json_build_object(
    'type', 'session.revoked', 'userId', NEW.user_id, 'id', NEW.id)::text);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER sessions_event AFTER UPDATE OF revoked_at ON sessions
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
  EXECUTE FUNCTION emit_session_event();

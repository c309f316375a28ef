import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Emits an event when a transaction that revokes a session commits, so that the session's live stream ends. */
export class SessionEvents1763735400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION emit_session_event() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('agw_events', json_build_object(
          'type', 'session.revoked', 'userId', NEW.user_id, 'id', NEW.id)::text);
        RETURN NULL;
      END $$;
      CREATE TRIGGER sessions_event AFTER UPDATE OF revoked_at ON sessions
        FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
        EXECUTE FUNCTION emit_session_event();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER sessions_event ON sessions; DROP FUNCTION emit_session_event');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Connections to OAuth 2 providers. The tokens are among the credentials of a service; this table has the facts about
 * them. A new token does not change the service, so it does not increment the version. A lost connection does.
 */
export class Connections1763970200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE services ADD COLUMN oauth jsonb;
      CREATE TABLE connections (
        service_id integer PRIMARY KEY REFERENCES services ON DELETE CASCADE,
        token_number bigint NOT NULL DEFAULT 0,
        needs_reconnect boolean NOT NULL DEFAULT false,
        obtained_at timestamptz,
        expires_at timestamptz,
        refresh_at timestamptz,
        renew_by timestamptz,
        renewed_after_401 boolean NOT NULL DEFAULT false,
        scopes text[],
        error text,
        connected_by integer REFERENCES users ON DELETE SET NULL,
        connected_by_name text,
        connected_at timestamptz,
        refresh_claim uuid,
        refresh_until timestamptz
      );
      CREATE INDEX connections_renew_by_idx ON connections (renew_by) WHERE NOT needs_reconnect;
      CREATE TRIGGER connections_version AFTER UPDATE ON connections FOR EACH ROW
        WHEN (OLD.needs_reconnect <> NEW.needs_reconnect OR OLD.connected_at IS DISTINCT FROM NEW.connected_at)
        EXECUTE FUNCTION count_up_service();
      CREATE TRIGGER connections_event AFTER INSERT OR UPDATE OF token_number, needs_reconnect, error OR DELETE ON connections
        FOR EACH ROW EXECUTE FUNCTION emit_service_part_event();
      CREATE TABLE oauth_sign_ins (
        state_hash text PRIMARY KEY,
        cookie_hash text NOT NULL,
        service_id integer NOT NULL REFERENCES services ON DELETE CASCADE,
        user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
        oauth jsonb NOT NULL,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX oauth_sign_ins_expires_at_idx ON oauth_sign_ins (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE oauth_sign_ins, connections; ALTER TABLE services DROP COLUMN oauth');
  }
}

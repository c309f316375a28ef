import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds invitations to workspaces, access tokens for programs, and administrators of the installation. */
export class Invitations1764100100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE invitations (
        id serial PRIMARY KEY,
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        email text NOT NULL,
        role text NOT NULL CHECK (role IN ('auditor', 'approver', 'admin', 'owner')),
        -- SHA-256 of the token, hex.
        token_hash char(64) NOT NULL UNIQUE,
        invited_by integer REFERENCES users ON DELETE SET NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        accepted_at timestamptz
      );
      CREATE INDEX invitations_workspace_idx ON invitations (workspace_id, id);

      -- Outlives the membership, so that its requests are answered like those of the person: not found.
      CREATE TABLE access_tokens (
        id serial PRIMARY KEY,
        user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        name text NOT NULL,
        role text NOT NULL CHECK (role IN ('auditor', 'approver', 'admin', 'owner')),
        token_hash char(64) NOT NULL UNIQUE,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX access_tokens_user_idx ON access_tokens (user_id, id);
      CREATE FUNCTION emit_access_token_event() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('agw_events', json_build_object('type', 'token.revoked', 'userId', OLD.user_id, 'id', OLD.id)::text);
        RETURN NULL;
      END $$;
      CREATE TRIGGER access_tokens_event AFTER DELETE ON access_tokens FOR EACH ROW EXECUTE FUNCTION emit_access_token_event();

      -- Those whom an administrator named. The first account and ADMIN_EMAIL have no row.
      CREATE TABLE installation_administrators (
        user_id integer PRIMARY KEY REFERENCES users ON DELETE CASCADE,
        named_by integer REFERENCES users ON DELETE SET NULL,
        named_at timestamptz NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE invitations, access_tokens, installation_administrators;
      DROP FUNCTION emit_access_token_event;
    `);
  }
}

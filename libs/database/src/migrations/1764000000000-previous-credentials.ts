import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The credentials that a service had before they were replaced, for a time. They are not in use, so they are not part
 * of the service's version. The set stores how the service used it, because a set that no longer fits can't be put
 * back.
 */
export class PreviousCredentials1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE previous_credential_sets (
        service_id integer PRIMARY KEY REFERENCES services ON DELETE CASCADE,
        expires_at timestamptz NOT NULL,
        auth_type text NOT NULL,
        auth jsonb,
        oauth jsonb,
        connection jsonb,
        certificate_valid_to timestamptz,
        rotated_at timestamptz,
        rotated_by integer REFERENCES users ON DELETE SET NULL,
        rotated_by_name text
      );
      CREATE INDEX previous_credential_sets_expires_at_idx ON previous_credential_sets (expires_at);
      CREATE TABLE previous_credentials (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        service_id integer NOT NULL REFERENCES previous_credential_sets ON DELETE CASCADE,
        name text NOT NULL,
        encrypted_value text NOT NULL CONSTRAINT previous_credentials_bound CHECK (encrypted_value NOT LIKE 'unbound:%'),
        UNIQUE (service_id, name)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE previous_credentials, previous_credential_sets');
  }
}

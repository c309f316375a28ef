import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets people sign in with an OpenID provider. Such an account may have no password. */
export class OpenId1764110000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE users ALTER COLUMN password_hash DROP NOT NULL;

      -- Who an account is at a provider. The pair never changes there; the e-mail may.
      CREATE TABLE identities (
        id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
        user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
        issuer text NOT NULL,
        subject text NOT NULL,
        email text NOT NULL,
        created_at timestamptz NOT NULL,
        last_used_at timestamptz NOT NULL,
        UNIQUE (issuer, subject)
      );
      CREATE INDEX identities_user_id_idx ON identities (user_id);

      -- Sign-ins that began. A row is spent by the answer of the provider.
      CREATE TABLE oidc_sign_ins (
        state_hash text PRIMARY KEY,
        cookie_hash text NOT NULL,
        return_to text NOT NULL,
        -- The session that links the provider to its account; null: somebody signs in.
        session_id uuid REFERENCES sessions ON DELETE CASCADE,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX oidc_sign_ins_expires_at_idx ON oidc_sign_ins (expires_at);
      CREATE INDEX oidc_sign_ins_session_id_idx ON oidc_sign_ins (session_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE oidc_sign_ins, identities;
      -- Nobody knows the password of these accounts.
      UPDATE users SET password_hash = '' WHERE password_hash IS NULL;
      ALTER TABLE users ALTER COLUMN password_hash SET NOT NULL;
    `);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets people sign in, and confirm, with passkeys (WebAuthn). */
export class Passkeys1764130100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE passkeys (
        id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
        user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
        -- Random. Devices keep one passkey for each handle, and tell it when the person signs in.
        user_handle text NOT NULL,
        -- As the device made it, base64url.
        credential_id text NOT NULL UNIQUE,
        -- COSE.
        public_key bytea NOT NULL,
        -- How often the device says that it was used. 0: the device does not count.
        counter bigint NOT NULL,
        transports text[] NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL,
        last_used_at timestamptz
      );
      CREATE INDEX passkeys_user_id_idx ON passkeys (user_id);

      -- What devices are asked to sign. A row is spent by the answer.
      CREATE TABLE passkey_challenges (
        challenge_hash text PRIMARY KEY,
        cookie_hash text NOT NULL,
        purpose text NOT NULL CHECK (purpose IN ('register', 'sign_in', 'confirm')),
        -- The session that registers or confirms; null: somebody signs in.
        session_id uuid REFERENCES sessions ON DELETE CASCADE,
        -- That of the passkey that is being made.
        user_handle text,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX passkey_challenges_expires_at_idx ON passkey_challenges (expires_at);
      CREATE INDEX passkey_challenges_session_id_idx ON passkey_challenges (session_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE passkey_challenges, passkeys');
  }
}

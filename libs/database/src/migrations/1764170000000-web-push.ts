import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The key pair that identifies the gateway to push services of browsers. All subscriptions belong to it, so it never
 * changes.
 */
export class WebPush1764170000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE web_push_keys (
        -- There is one pair.
        id integer PRIMARY KEY CHECK (id = 1),
        public_key text NOT NULL,
        encrypted_private_key text NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT web_push_keys_bound CHECK (encrypted_private_key NOT LIKE 'unbound:%')
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE web_push_keys');
  }
}

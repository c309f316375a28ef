import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Defaults for requests through a service's base URL on the gateway. They apply where the URL sets nothing else. */
export class BaseUrlSettings1763800200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE services
        ADD COLUMN rewrite_links text NOT NULL DEFAULT 'headers' CHECK (rewrite_links IN ('headers', 'bodies')),
        ADD COLUMN base_url_idempotency text NOT NULL DEFAULT 'required' CHECK (base_url_idempotency IN ('required', 'none')),
        ADD COLUMN base_url_wait integer NOT NULL DEFAULT 0 CHECK (base_url_wait BETWEEN 0 AND 60);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE services DROP COLUMN rewrite_links, DROP COLUMN base_url_idempotency, DROP COLUMN base_url_wait',
    );
  }
}

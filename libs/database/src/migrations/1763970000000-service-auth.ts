import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Services that need no credentials, and services whose credentials are injected by templates. */
export class ServiceAuth1763970000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE services
        ADD COLUMN auth jsonb,
        DROP CONSTRAINT services_auth_type_check,
        ADD CONSTRAINT services_auth_type_check
          CHECK (auth_type IN ('api_key', 'bearer', 'basic', 'oauth2', 'custom', 'none'));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE services
        DROP COLUMN auth,
        DROP CONSTRAINT services_auth_type_check,
        ADD CONSTRAINT services_auth_type_check CHECK (auth_type IN ('api_key', 'bearer', 'basic', 'oauth2')) NOT VALID;
    `);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores the time until which a service's client certificate is valid, so that lists can show it without decrypting
 * anything.
 */
export class ClientCertificates1763970100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE services ADD COLUMN certificate_valid_to timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE services DROP COLUMN certificate_valid_to');
  }
}

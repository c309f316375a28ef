import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An approval stores the digest of what its approver saw. Existing approvals have none. */
export class Digests1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE actions ADD COLUMN approved_digest char(64)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE actions DROP COLUMN approved_digest');
  }
}

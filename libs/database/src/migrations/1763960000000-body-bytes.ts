import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Held requests can have bodies that are not text. Text bodies stay where they are, so that no row is rewritten. */
export class BodyBytes1763960000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE actions ADD COLUMN body_bytes bytea, ADD COLUMN body_hash char(64)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE actions DROP COLUMN body_bytes, DROP COLUMN body_hash');
  }
}

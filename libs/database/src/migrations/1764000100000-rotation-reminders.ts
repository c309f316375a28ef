import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often the credentials of a service should be replaced. Null: nobody is reminded. */
export class RotationReminders1764000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE services ADD COLUMN rotate_every_days integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE services DROP COLUMN rotate_every_days');
  }
}

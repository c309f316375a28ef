import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The line by which approvers know an action, with values of its body. `summary` goes to others, and has none. */
export class Headlines1764431000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE actions ADD COLUMN headline text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE actions DROP COLUMN headline');
  }
}

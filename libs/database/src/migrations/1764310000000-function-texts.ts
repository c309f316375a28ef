import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The texts of `functions/*.sql` that this database has now. */
export class FunctionTexts1764310000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE function_texts (
        name text PRIMARY KEY,
        -- SHA-256 of the statement.
        hash char(64) NOT NULL,
        -- FUNCTIONS_VERSION of the release that ran it.
        version integer NOT NULL
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE function_texts');
  }
}

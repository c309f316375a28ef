import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which texts of `functions/*.sql` this database has had. */
export class FunctionTexts1764310000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE function_texts (
        file text NOT NULL,
        hash char(64) NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (file, hash)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE function_texts');
  }
}

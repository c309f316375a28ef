import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Leaves half of each new page free. Each record is updated once, soon after it was written, with the result of the
 * request. If the new version of the row fits on the page of the old one, PostgreSQL touches none of the table's
 * indexes. On full pages it writes an entry to each of five indexes again. See benchmarks/README.md.
 */
export class RoomForResults1763980000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE audit_records SET (fillfactor = 50)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE audit_records RESET (fillfactor)');
  }
}

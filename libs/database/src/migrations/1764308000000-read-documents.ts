import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * What of a document was not read (null: nobody counted), and the path by which an operation is compared with requests
 * (null: as stated).
 */
export class ReadDocuments1764308000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      ALTER TABLE service_documents
        ADD COLUMN IF NOT EXISTS ignored jsonb NOT NULL DEFAULT '[]',
        ADD COLUMN IF NOT EXISTS ignored_count integer`);
    await step('ALTER TABLE documented_operations ADD COLUMN IF NOT EXISTS compared_path text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE service_documents DROP COLUMN ignored, DROP COLUMN ignored_count;
      ALTER TABLE documented_operations DROP COLUMN compared_path`);
  }
}

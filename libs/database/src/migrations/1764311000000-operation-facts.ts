import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** What is known of a documented operation besides its texts. Null: an earlier version stored it, so nothing is known. */
export class OperationFacts1764311000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step('ALTER TABLE documented_operations ADD COLUMN IF NOT EXISTS facts jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE documented_operations DROP COLUMN facts');
  }
}

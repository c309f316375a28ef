import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * Remembers that an API rejected the stored credentials when they were tested last. The column has the
 * `credentials_rotated_at` of those credentials, so a replacement needs no change of it.
 */
export class RejectedCredentials1764431000030 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step('ALTER TABLE services ADD COLUMN IF NOT EXISTS rejected_rotation timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE services DROP COLUMN rejected_rotation');
  }
}

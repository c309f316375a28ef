import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** When a personal access token was used last. */
export class TokenUse1764190000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await inSteps(runner).step('ALTER TABLE access_tokens ADD COLUMN IF NOT EXISTS last_used_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE access_tokens DROP COLUMN last_used_at');
  }
}

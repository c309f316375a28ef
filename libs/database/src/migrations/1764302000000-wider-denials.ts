import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * A denial holds what goes to the same place and does the same, whatever its headers. The gateway fills the columns for
 * older actions, because only it can read bodies (`approvals/older-denials.ts`).
 */
export class WiderDenials1764302000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      ALTER TABLE actions
        ADD COLUMN IF NOT EXISTS target_hash text,
        ADD COLUMN IF NOT EXISTS denial_hashes text[]
    `);
    await step(`
      CREATE INDEX IF NOT EXISTS actions_target_idx ON actions (agent_id, target_hash) WHERE target_hash IS NOT NULL
    `);
    await step(`
      CREATE INDEX IF NOT EXISTS actions_without_target_idx ON actions (id) WHERE target_hash IS NULL
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE actions DROP COLUMN target_hash, DROP COLUMN denial_hashes');
  }
}

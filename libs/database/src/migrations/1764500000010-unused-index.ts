import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** Equal requests are found by their target. Nothing reads this index any more, and each held request wrote to it. */
export class UnusedIndex1764500000010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await inSteps(runner).step('DROP INDEX IF EXISTS actions_equal_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX actions_equal_idx ON actions (agent_id, equal_hash) WHERE equal_hash IS NOT NULL');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** Settings that name effects beside a risk. Until now they go by the risk alone. */
export class NamedEffects1764431000010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`ALTER TABLE workspaces ADD COLUMN IF NOT EXISTS confirm_effects text[] NOT NULL DEFAULT '{}'`);
    await step(`ALTER TABLE channels ADD COLUMN IF NOT EXISTS effects text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE channels DROP COLUMN effects');
    await runner.query('ALTER TABLE workspaces DROP COLUMN confirm_effects');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** Whether a rule decides, and what observed rules would have decided about a request. */
export class ObservedRules1764420200000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`ALTER TABLE risk_rules ADD COLUMN IF NOT EXISTS mode text NOT NULL DEFAULT 'enforce'`);
    // No index: it would be written with every proxied request.
    await step('ALTER TABLE audit_records ADD COLUMN IF NOT EXISTS observed jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    // An earlier release would enforce them.
    await runner.query(`
      DELETE FROM risk_rules WHERE mode = 'observe';
      ALTER TABLE risk_rules DROP COLUMN mode;
      ALTER TABLE audit_records DROP COLUMN observed`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** Which rules exceptions can lift, and which rules are exceptions. Nobody has said so of the present rules: none can. */
export class Exceptions1764420300000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      ALTER TABLE risk_rules ADD COLUMN IF NOT EXISTS exceptions text NOT NULL DEFAULT 'none',
        ADD COLUMN IF NOT EXISTS exception_to integer[] NOT NULL DEFAULT '{}',
        ADD COLUMN IF NOT EXISTS from_action uuid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // An earlier release would take them for permissions that lift every rule's question.
    await runner.query(`
      DELETE FROM risk_rules WHERE exception_to <> '{}';
      ALTER TABLE risk_rules DROP COLUMN exceptions, DROP COLUMN exception_to, DROP COLUMN from_action`);
  }
}

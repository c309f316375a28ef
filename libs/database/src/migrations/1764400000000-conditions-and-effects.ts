import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * The condition of a rule (empty: none), what people are asked about for each service, and what a held request does (null:
 * held by a version that did not say).
 */
export class ConditionsAndEffects1764400000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`ALTER TABLE risk_rules ADD COLUMN IF NOT EXISTS "when" text NOT NULL DEFAULT ''`);
    await step(`ALTER TABLE services ADD COLUMN IF NOT EXISTS ask_for text[] NOT NULL DEFAULT '{}'`);
    await step('ALTER TABLE actions ADD COLUMN IF NOT EXISTS effects jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    // Without their condition, they would permit or guide everything.
    await runner.query(`
      DELETE FROM risk_rules WHERE "when" <> '' AND effect IN ('allow', 'guidance');
      ALTER TABLE risk_rules DROP COLUMN "when";
      ALTER TABLE services DROP COLUMN ask_for;
      ALTER TABLE actions DROP COLUMN effects`);
  }
}

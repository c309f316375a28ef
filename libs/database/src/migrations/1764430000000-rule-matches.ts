import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** When each rule last matched a request. A table of its own, so that a match changes no rule and makes no version. */
export class RuleMatches1764430000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      CREATE TABLE IF NOT EXISTS risk_rule_matches (
        rule_id integer PRIMARY KEY REFERENCES risk_rules (id) ON DELETE CASCADE,
        since timestamptz NOT NULL,
        last_at timestamptz
      )`);
    // Nobody remembered what these rules matched before.
    await step(
      `INSERT INTO risk_rule_matches (rule_id, since) SELECT id, now() FROM risk_rules ON CONFLICT DO NOTHING`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE risk_rule_matches');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** What each rule was after each change. A trigger adds the versions. Rules that exist get their first one here. */
export class RiskRuleVersions1764420100000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      CREATE TABLE IF NOT EXISTS risk_rule_versions (
        rule_id integer NOT NULL REFERENCES risk_rules (id) ON DELETE CASCADE,
        version integer NOT NULL,
        at timestamptz NOT NULL,
        by_id integer,
        by_name text,
        rule jsonb NOT NULL,
        PRIMARY KEY (rule_id, version)
      )`);
    // Who changed a rule last is not stored with it.
    await step(`
      INSERT INTO risk_rule_versions (rule_id, version, at, rule)
      SELECT id, 1, updated_at, to_jsonb(r) FROM risk_rules r ON CONFLICT DO NOTHING`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER IF EXISTS risk_rules_added_version ON risk_rules;
      DROP TRIGGER IF EXISTS risk_rules_changed_version ON risk_rules;
      DROP FUNCTION IF EXISTS keep_rule_version();
      DELETE FROM function_texts WHERE name IN
        ('function keep_rule_version', 'trigger risk_rules_added_version', 'trigger risk_rules_changed_version');
      DROP TABLE risk_rule_versions`);
  }
}

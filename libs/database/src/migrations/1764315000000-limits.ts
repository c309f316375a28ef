import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

const EFFECTS = ['deny', 'require_approval', 'allow', 'guidance'];

const withEffects = (effects: readonly string[]): string => `
  ALTER TABLE risk_rules DROP CONSTRAINT risk_rules_effect_check;
  ALTER TABLE risk_rules ADD CONSTRAINT risk_rules_effect_check
    CHECK (effect = ANY (ARRAY[${effects.map((effect) => `'${effect}'::text`).join(', ')}]))`;

/**
 * Rules with the effect `limit`, and what they have counted. An instance of the earlier release does not know the effect,
 * and lets such rules match nothing.
 */
export class Limits1764315000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      ALTER TABLE risk_rules ADD COLUMN IF NOT EXISTS "limit" jsonb;
      ${withEffects(['deny', 'limit', ...EFFECTS.slice(1)])}`);
    await step(COUNTERS, { unless: `to_regclass('limit_counters') IS NOT NULL` });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER IF EXISTS risk_rules_counters ON risk_rules;
      DROP FUNCTION IF EXISTS delete_limit_counters, count_against_limits;
      DELETE FROM function_texts WHERE name IN
        ('trigger risk_rules_counters', 'function delete_limit_counters', 'function count_against_limits');
      DROP TABLE limit_counters;
      DELETE FROM risk_rules WHERE effect = 'limit';
      ALTER TABLE risk_rules DROP COLUMN "limit";
      ${withEffects(EFFECTS)}`);
  }
}

/**
 * There are no foreign keys: a request that counts against a rule that is being deleted would fail. A row is updated in
 * place as long as its page has room.
 */
const COUNTERS = `
  CREATE TABLE limit_counters (
    rule_id integer NOT NULL,
    agent_id integer NOT NULL,
    window_start timestamptz NOT NULL,
    amount numeric NOT NULL DEFAULT 0,
    PRIMARY KEY (rule_id, agent_id, window_start)
  ) WITH (fillfactor = 50);
  CREATE INDEX limit_counters_age_idx ON limit_counters (window_start);
`;

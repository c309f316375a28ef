import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * What the model says about held requests. Null: an earlier version held it. `assess_after` is when a pending assessment may
 * be claimed, by the database's clock, and `assess_attempts` counts the claims.
 */
export class Assessments1764430000010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      ALTER TABLE actions
        ADD COLUMN IF NOT EXISTS assessment_state text,
        ADD COLUMN IF NOT EXISTS assessment_scores jsonb,
        ADD COLUMN IF NOT EXISTS assess_after timestamptz,
        ADD COLUMN IF NOT EXISTS assess_attempts smallint NOT NULL DEFAULT 0,
        ADD COLUMN IF NOT EXISTS unstated_intent boolean NOT NULL DEFAULT false`);
    await step(`
      CREATE INDEX IF NOT EXISTS actions_assessments_idx ON actions (agent_id, created_at, id)
      WHERE assessment_state = 'pending' AND status = 'PENDING'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // The triggers read the columns. The next start of the earlier release writes its own functions again.
    await runner.query(`
      DROP TRIGGER actions_channels_assessed ON actions;
      CREATE OR REPLACE TRIGGER actions_channels_updated AFTER UPDATE OF status ON actions
        FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION replace_messages();
      CREATE OR REPLACE TRIGGER actions_updated_event AFTER UPDATE OF status, times_asked, approvals ON actions
        FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.times_asked <> NEW.times_asked OR OLD.approvals <> NEW.approvals)
        EXECUTE FUNCTION emit_action_event();
      DELETE FROM function_texts;
      ALTER TABLE actions
        DROP COLUMN assessment_state,
        DROP COLUMN assessment_scores,
        DROP COLUMN assess_after,
        DROP COLUMN assess_attempts,
        DROP COLUMN unstated_intent`);
  }
}

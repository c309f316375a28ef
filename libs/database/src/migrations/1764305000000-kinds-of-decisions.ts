import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** The index for figures of decisions, with the columns that tell revised and withdrawn actions from denied ones. */
export class KindsOfDecisions1764305000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      CREATE INDEX IF NOT EXISTS actions_decisions_idx ON actions (workspace_id, created_at)
        INCLUDE (resolved_at, status, agent_id, service_id, method, revised_as, approval_expires_at)
        WHERE resolved_at IS NOT NULL`);
    await step('DROP INDEX IF EXISTS actions_decided_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX actions_decided_idx ON actions (workspace_id, created_at)
        INCLUDE (resolved_at, status, agent_id, service_id, method) WHERE resolved_at IS NOT NULL;
      DROP INDEX actions_decisions_idx`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * Who made a rotated key that still works. The audit records tell it of older keys; null: who made the agent. Open actions
 * keep who could ask them, because keys end.
 */
export class KeyMakers1764304000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      ALTER TABLE previous_agent_keys ADD COLUMN IF NOT EXISTS rotated_by integer REFERENCES users ON DELETE SET NULL`);
    await step(`
      UPDATE previous_agent_keys k SET rotated_by = r.actor_id
      FROM audit_records r JOIN users u ON u.id = r.actor_id
      WHERE k.rotated_by IS NULL AND r.agent_id = k.agent_id AND r.kind = 'change' AND r.reason = 'agent.key_rotated'
        AND r.details #>> '{to,keyPrefix}' = k.key_prefix`);
    await step(`ALTER TABLE actions ADD COLUMN IF NOT EXISTS key_makers integer[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE actions DROP COLUMN key_makers');
    await runner.query('ALTER TABLE previous_agent_keys DROP COLUMN rotated_by');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds equal requests by their hash, so that a denied request is not forwarded when the agent sends it again. */
export class Denials1763800050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A hash over agent, service, method, URL, headers and body. Actions from older releases have none.
      ALTER TABLE actions ADD COLUMN equal_hash text;
      -- The equal action that was pending or denied when this one was queued.
      ALTER TABLE actions ADD COLUMN repeats_id uuid REFERENCES actions ON DELETE SET NULL;
      CREATE INDEX actions_equal_idx ON actions (agent_id, equal_hash) WHERE equal_hash IS NOT NULL;
      CREATE INDEX actions_repeats_idx ON actions (repeats_id) WHERE repeats_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE actions DROP COLUMN equal_hash, DROP COLUMN repeats_id');
  }
}

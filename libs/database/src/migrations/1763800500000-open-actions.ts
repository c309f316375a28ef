import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index to count the open actions of an agent when it queues another one. */
export class OpenActions1763800500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX actions_open_idx ON actions (agent_id) WHERE status IN ('PENDING', 'APPROVED')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX actions_open_idx');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The totals of all agents at a moment, one look-up each, from an index alone (ADR 0022). */
export class UsageOfAgents1763742600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX usage_hours_agents_idx ON usage_hours (user_id, agent_id, hour)
        INCLUDE (requests, forwarded, executed, held, refused) WHERE agent_id <> 0 AND service_id = 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX usage_hours_agents_idx');
  }
}

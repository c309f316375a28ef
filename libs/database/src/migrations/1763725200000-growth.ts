import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes for lists that had to read or sort all of a user's rows (benchmarks/growth.mjs). None of these is on the path
 * of a request.
 */
export class Growth1763725200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX audit_kind_idx ON audit_records (user_id, kind, id) WHERE kind <> 'request';
      CREATE INDEX actions_risk_idx ON actions (user_id, risk_score DESC, id DESC);
      CREATE INDEX actions_expires_idx ON actions (user_id, expires_at, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_kind_idx, actions_risk_idx, actions_expires_idx');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Decisions name the request that they were about, and are found by its words and by who took them. */
export class Decisions1763800600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE audit_records ADD COLUMN summary text;

      -- Earlier decisions say what they were about only as long as their action is kept: from now on they say it themselves.
      UPDATE audit_records r SET method = a.method, url = a.target_url, intent = a.intent, risk_score = a.risk_score,
        summary = a.summary
      FROM actions a WHERE r.kind = 'change' AND r.action_id = a.id;
      UPDATE audit_records SET summary = details ->> 'summary'
      WHERE kind = 'change' AND action_id IS NOT NULL AND summary IS NULL;

      -- No index is written with a proxied request: it has no actor, and is no change.
      CREATE INDEX audit_decisions_idx ON audit_records (user_id, id) WHERE kind = 'change' AND action_id IS NOT NULL;
      CREATE INDEX audit_actor_idx ON audit_records (user_id, actor_id, kind, id) WHERE actor_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_decisions_idx, audit_actor_idx');
    await runner.query('ALTER TABLE audit_records DROP COLUMN summary');
  }
}

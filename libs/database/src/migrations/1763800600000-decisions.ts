import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Decisions store the request that they decided, so that a search finds them by its text and by the person who decided.
 */
export class Decisions1763800600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE audit_records ADD COLUMN summary text;

      -- Until now, a decision's request was known only as long as its action was stored. Copies it to the existing decisions.
      UPDATE audit_records r SET method = a.method, url = a.target_url, intent = a.intent, risk_score = a.risk_score,
        summary = a.summary
      FROM actions a WHERE r.kind = 'change' AND r.action_id = a.id;
      UPDATE audit_records SET summary = details ->> 'summary'
      WHERE kind = 'change' AND action_id IS NOT NULL AND summary IS NULL;

      -- Proxied requests write none of these indexes, because their records have no actor and are not changes.
      CREATE INDEX audit_decisions_idx ON audit_records (user_id, id) WHERE kind = 'change' AND action_id IS NOT NULL;
      CREATE INDEX audit_actor_idx ON audit_records (user_id, actor_id, kind, id) WHERE actor_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_decisions_idx, audit_actor_idx');
    await runner.query('ALTER TABLE audit_records DROP COLUMN summary');
  }
}

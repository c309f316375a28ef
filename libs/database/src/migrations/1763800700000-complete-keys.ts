import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores the responses of a batch of idempotency keys. A batch is small, so planning the statement would take a third
 * of its time. A prepared statement would keep a plan for the small table, and scan the whole table after it has grown.
 * The function keeps its plan, and its settings force the use of the primary key.
 */
export class CompleteKeys1763800700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION complete_idempotency_records(answers json) RETURNS void LANGUAGE plpgsql
        SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
      DECLARE r record;
      BEGIN
        FOR r IN SELECT * FROM json_to_recordset(answers) AS r(agent_id integer, key text, claim_id uuid, service_id integer,
          from_upstream boolean, status integer, headers json, body text)
          -- Claims lock the keys in this order too, so that the two can't deadlock.
          ORDER BY agent_id, key
        LOOP
          UPDATE idempotency_records SET status = 'completed', completed_at = now(), service_id = r.service_id,
            response_from_upstream = r.from_upstream, response_status = r.status, response_headers = r.headers,
            response_body = decode(r.body, 'base64')
          WHERE agent_id = r.agent_id AND key = r.key AND claim_id = r.claim_id AND status = 'processing';
        END LOOP;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION complete_idempotency_records');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Provides figures for long time ranges without counting their records, and finds requests by their id (ADR 0022). */
export class Usage1763739000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX audit_request_idx ON audit_records (request_id) WHERE request_id IS NOT NULL;

      -- The number of pending actions and the decision times are read from these indexes alone.
      CREATE INDEX actions_waiting_idx ON actions (user_id, status, expires_at)
        INCLUDE (created_at, approval_expires_at, claim_id) WHERE status IN ('PENDING', 'APPROVED');
      CREATE INDEX actions_decided_idx ON actions (user_id, created_at)
        INCLUDE (resolved_at, status, agent_id, service_id, method) WHERE resolved_at IS NOT NULL;

      -- All records before this id are counted in the tables below.
      CREATE TABLE usage_fold (id integer PRIMARY KEY CHECK (id = 1), folded_to uuid NOT NULL);
      INSERT INTO usage_fold VALUES (1, '00000000-0000-7000-8000-000000000000');

      -- One row per hour with requests: per user (agent_id and service_id 0), per agent, and per service.
      CREATE TABLE usage_hours (
        user_id integer NOT NULL,
        agent_id integer NOT NULL,
        service_id integer NOT NULL,
        hour timestamptz NOT NULL,
        -- Counts of this hour.
        calls integer NOT NULL,
        unauthorized integer NOT NULL,
        -- Totals from the beginning of all records to the end of this hour. A range is the difference of two rows.
        requests bigint NOT NULL,
        forwarded bigint NOT NULL,
        executed bigint NOT NULL,
        held bigint NOT NULL,
        refused bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, service_id, hour)
      );
      CREATE INDEX usage_hours_services_idx ON usage_hours (user_id, hour) WHERE service_id <> 0;

      -- A copy of the last row of each user, agent and service above, because most differences end there.
      CREATE TABLE usage_totals (
        user_id integer NOT NULL,
        agent_id integer NOT NULL,
        service_id integer NOT NULL,
        name text,
        last_hour timestamptz NOT NULL,
        requests bigint NOT NULL,
        forwarded bigint NOT NULL,
        executed bigint NOT NULL,
        held bigint NOT NULL,
        refused bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, service_id)
      ) WITH (fillfactor = 70);

      -- Requests by risk score in steps of 0.05, as totals up to the end of the hour, per user (agent_id 0) and per agent.
      CREATE TABLE usage_risk (
        user_id integer NOT NULL,
        agent_id integer NOT NULL,
        step integer NOT NULL,
        hour timestamptz NOT NULL,
        requests bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, step, hour)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE usage_risk, usage_totals, usage_hours, usage_fold');
    await runner.query('DROP INDEX audit_request_idx, actions_waiting_idx, actions_decided_idx');
  }
}

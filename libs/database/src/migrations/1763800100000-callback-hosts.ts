import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The hosts that an agent's callbacks may go to. The host that an agent requested has its own table, because it does
 * not affect decisions about requests and the agent can change it at any time. Existing callbacks stop until the owner
 * lists their host, which is stored as a suggestion.
 */
export class CallbackHosts1763800100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE agents ADD callback_hosts text[] NOT NULL DEFAULT '{}';
      CREATE TABLE callback_requests (
        agent_id integer PRIMARY KEY REFERENCES agents ON DELETE CASCADE,
        host text NOT NULL,
        requested_at timestamptz NOT NULL
      );
      CREATE FUNCTION emit_callback_request_event() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE owner integer;
      BEGIN
        SELECT user_id INTO owner FROM agents WHERE id = coalesce(NEW.agent_id, OLD.agent_id);
        IF owner IS NOT NULL THEN
          PERFORM pg_notify('agw_events', json_build_object(
            'type', 'agent.updated', 'userId', owner, 'id', coalesce(NEW.agent_id, OLD.agent_id))::text);
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER callback_requests_event AFTER INSERT OR UPDATE OR DELETE ON callback_requests
        FOR EACH ROW EXECUTE FUNCTION emit_callback_request_event();
    `);
    const callbacks = (await runner.query('SELECT agent_id, url FROM callbacks')) as {
      agent_id: number;
      url: string;
    }[];
    // Parsed in JavaScript, as at registration, because SQL would parse some URLs differently.
    for (const { agent_id, url } of callbacks) {
      await runner.query('INSERT INTO callback_requests VALUES ($1, $2, now())', [agent_id, new URL(url).host]);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE callback_requests;
      DROP FUNCTION emit_callback_request_event;
      ALTER TABLE agents DROP callback_hosts;
    `);
  }
}

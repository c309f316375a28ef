import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where an agent's callbacks may go. The host that an agent asked for stands in a table of its own: it is no part of what
 * the agent's requests are judged by, and the agent can change it as often as it likes. The callbacks that exist go nowhere
 * until their owner lists the host; it is there as a suggestion.
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
    // Parsed here, as it was when it was registered: SQL would read some spellings in another way.
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

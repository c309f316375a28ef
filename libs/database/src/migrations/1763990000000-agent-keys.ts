import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keys that were rotated with a grace time work until it ends. A key can have a lifetime, and the client addresses that
 * it may come from can be limited. Each of these is a change of the agent, so it increments the version of the agent.
 * The use of a key is not a change.
 */
export class AgentKeys1763990000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE previous_agent_keys (
        key_hash char(64) PRIMARY KEY,
        agent_id integer NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
        key_prefix char(12) NOT NULL,
        expires_at timestamptz NOT NULL,
        last_used_at timestamptz,
        created_at timestamptz NOT NULL
      );
      CREATE INDEX previous_agent_keys_agent_idx ON previous_agent_keys (agent_id);
      CREATE INDEX previous_agent_keys_prefix_idx ON previous_agent_keys (key_prefix);
      CREATE FUNCTION count_up_agent() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE agents SET version = version + 1 WHERE id = coalesce(NEW.agent_id, OLD.agent_id);
        RETURN NULL;
      END $$;
      CREATE TRIGGER previous_agent_keys_version AFTER INSERT OR DELETE ON previous_agent_keys
        FOR EACH ROW EXECUTE FUNCTION count_up_agent();
      CREATE TRIGGER previous_agent_keys_changed AFTER UPDATE ON previous_agent_keys FOR EACH ROW
        WHEN (to_jsonb(OLD) - 'last_used_at' IS DISTINCT FROM to_jsonb(NEW) - 'last_used_at')
        EXECUTE FUNCTION count_up_agent();
      ALTER TABLE agents
        ADD COLUMN key_created_at timestamptz,
        ADD COLUMN key_lifetime_days integer,
        ADD COLUMN addresses text[] NOT NULL DEFAULT '{}';
      UPDATE agents a SET key_created_at = coalesce(
        (SELECT max(r.at) FROM audit_records r
         WHERE r.user_id = a.user_id AND r.kind <> 'request' AND r.agent_id = a.id AND r.reason = 'agent.key_rotated'),
        a.created_at);
      ALTER TABLE agents ALTER COLUMN key_created_at SET DEFAULT now(), ALTER COLUMN key_created_at SET NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE previous_agent_keys;
      DROP FUNCTION count_up_agent;
      ALTER TABLE agents DROP COLUMN key_created_at, DROP COLUMN key_lifetime_days, DROP COLUMN addresses;
    `);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Callbacks and their queue of deliveries. A trigger queues a delivery in the transaction that changes an action,
 * regardless of which code makes the change. So no change is forgotten, and no delivery reports a change that was
 * rolled back. Forwarded requests don't use these tables.
 */
export class Callbacks1763731800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await runner.query(TRIGGERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER actions_callback ON actions;
      DROP TABLE callback_deliveries, callbacks;
      DROP FUNCTION queue_callback, emit_callback_event;
    `);
  }
}

const TABLES = `
  CREATE TABLE callbacks (
    agent_id integer PRIMARY KEY REFERENCES agents ON DELETE CASCADE,
    url text NOT NULL,
    enabled boolean NOT NULL,
    -- Set if the gateway disabled the callback.
    disabled_reason text,
    encrypted_secret text NOT NULL,
    -- Set for some time after a rotation of the secret.
    encrypted_previous_secret text,
    previous_secret_expires_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );

  -- Belongs to the callback, not to the action: it can outlive the action, and inserting it locks no action.
  CREATE TABLE callback_deliveries (
    id uuid PRIMARY KEY,
    agent_id integer NOT NULL REFERENCES callbacks ON DELETE CASCADE,
    type text NOT NULL,
    action_id uuid,
    occurred_at timestamptz NOT NULL,
    decided_at timestamptz,
    note text,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts integer NOT NULL DEFAULT 0,
    -- When the next attempt is due. During an attempt: when its lease ends.
    next_attempt_at timestamptz CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
    -- Set during an attempt.
    claim_id uuid,
    last_attempt_at timestamptz,
    last_status integer,
    last_error text
  );
  CREATE INDEX callback_deliveries_list_idx ON callback_deliveries (agent_id, occurred_at DESC, id DESC);
  CREATE INDEX callback_deliveries_due_idx ON callback_deliveries (next_attempt_at) WHERE state = 'pending';
  CREATE INDEX callback_deliveries_age_idx ON callback_deliveries (occurred_at);
`;

const TRIGGERS = `
  CREATE FUNCTION queue_callback() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE at timestamptz := CASE NEW.status
    WHEN 'EXPIRED' THEN coalesce(NEW.approval_expires_at, NEW.expires_at)
    WHEN 'EXECUTED' THEN NEW.executed_at
    ELSE NEW.resolved_at END;
  BEGIN
    -- Rounded to milliseconds, like the cursors of the list.
    at := coalesce(at, date_trunc('milliseconds', now()));
    INSERT INTO callback_deliveries (id, agent_id, type, action_id, occurred_at, decided_at, note, next_attempt_at)
    SELECT gen_random_uuid(), c.agent_id, 'action.' || lower(NEW.status), NEW.id,
      at, NEW.resolved_at, NEW.resolution_note, at
    FROM callbacks c JOIN agents a ON a.id = c.agent_id
    WHERE c.agent_id = NEW.agent_id AND c.enabled AND a.is_active;
    RETURN NULL;
  END $$;
  CREATE TRIGGER actions_callback AFTER UPDATE OF status ON actions
    FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION queue_callback();

  -- \`due\` wakes the senders; the other fields are for readers of live events.
  CREATE FUNCTION emit_callback_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE owner integer;
  BEGIN
    SELECT user_id INTO owner FROM agents WHERE id = coalesce(NEW.agent_id, OLD.agent_id);
    IF owner IS NOT NULL THEN
      PERFORM pg_notify('agw_events', json_build_object(
        'type', 'callback.updated', 'userId', owner, 'id', coalesce(NEW.agent_id, OLD.agent_id),
        'due', TG_TABLE_NAME = 'callback_deliveries' AND TG_OP = 'INSERT')::text);
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER callbacks_event AFTER INSERT OR UPDATE OR DELETE ON callbacks
    FOR EACH ROW EXECUTE FUNCTION emit_callback_event();
  CREATE TRIGGER callback_deliveries_event AFTER INSERT OR UPDATE ON callback_deliveries
    FOR EACH ROW EXECUTE FUNCTION emit_callback_event();
`;

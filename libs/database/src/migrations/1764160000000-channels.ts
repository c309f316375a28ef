import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * Channels, and their queue of deliveries. Triggers queue notifications in the transaction that makes the change,
 * regardless of which code makes it. So no change is forgotten, and no notification reports a change that was rolled
 * back. The triggers only add rows: which of them are sent, and when, is decided later.
 */
export class Channels1764160000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(TABLES, { unless: `to_regclass('channel_deliveries') IS NOT NULL` });
    await step(FUNCTIONS);
    await step(TRIGGERS, { unless: `EXISTS (SELECT FROM pg_trigger WHERE tgname = 'actions_channels_decided')` });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER actions_channels_requested ON actions;
      DROP TRIGGER actions_channels_decided ON actions;
      DROP TABLE channel_deliveries, channels;
      DROP FUNCTION tell_requested, tell_decided, tell_channels, emit_channel_event, emit_channel_delivery_event, emit_channels_due;
    `);
  }
}

const TABLES = `
  CREATE TABLE channels (
    id serial PRIMARY KEY,
    workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    -- Whose channel it is; null: the workspace's.
    user_id integer,
    created_by integer REFERENCES users ON DELETE SET NULL,
    type text NOT NULL,
    name text NOT NULL,
    -- Null: the address of the account.
    encrypted_target text,
    target_hint text NOT NULL,
    encrypted_secret text,
    -- Set for some time after a rotation of the secret.
    encrypted_previous_secret text,
    previous_secret_expires_at timestamptz,
    min_risk double precision NOT NULL CHECK (min_risk BETWEEN 0 AND 1),
    -- Empty: all.
    service_ids integer[] NOT NULL,
    events text[] NOT NULL,
    -- {from, to, timeZone}
    quiet_hours jsonb,
    -- Null: when a fifth of the time is left.
    remind_after_minutes integer,
    escalate_after_minutes integer,
    escalate_to integer REFERENCES channels ON DELETE SET NULL,
    is_active boolean NOT NULL,
    -- Set if the gateway switched the channel off.
    disabled_reason text,
    -- Since when every attempt has failed.
    failing_since timestamptz,
    failure_told_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    FOREIGN KEY (workspace_id, user_id) REFERENCES workspace_members ON DELETE CASCADE
  );
  CREATE INDEX channels_workspace_idx ON channels (workspace_id, id);
  CREATE INDEX channels_escalate_to_idx ON channels (escalate_to);

  CREATE TABLE channel_deliveries (
    id uuid PRIMARY KEY,
    channel_id integer NOT NULL REFERENCES channels ON DELETE CASCADE,
    type text NOT NULL,
    -- What it is about, so that nothing is told twice; for approvals the id of the action. Null for tests and digests.
    subject text,
    about jsonb NOT NULL,
    risk double precision,
    -- Who may decide; null: everyone whose role may.
    people integer[],
    occurred_at timestamptz NOT NULL,
    -- After this it is not worth telling: the action expired or was decided.
    until timestamptz,
    -- \`waiting\`: it is not decided yet whether it is sent alone or in a digest.
    state text NOT NULL CHECK (state IN ('waiting', 'pending', 'delivered', 'failed', 'withdrawn', 'bundled')),
    -- It was put off, so it may become part of a digest.
    held_back boolean NOT NULL DEFAULT false,
    released_at timestamptz,
    -- The delivery that told it together with others.
    digest_id uuid,
    attempts integer NOT NULL DEFAULT 0,
    -- When it is due. During an attempt: when its lease ends.
    next_attempt_at timestamptz CHECK ((state IN ('waiting', 'pending')) = (next_attempt_at IS NOT NULL)),
    -- Set during an attempt.
    claim_id uuid,
    last_attempt_at timestamptz,
    last_status integer,
    last_error text,
    took_ms integer
  );
  CREATE UNIQUE INDEX channel_deliveries_subject_idx ON channel_deliveries (subject, channel_id, type);
  CREATE INDEX channel_deliveries_list_idx ON channel_deliveries (channel_id, occurred_at DESC, id DESC);
  CREATE INDEX channel_deliveries_due_idx ON channel_deliveries (next_attempt_at) WHERE state IN ('waiting', 'pending');
  CREATE INDEX channel_deliveries_waiting_idx ON channel_deliveries (channel_id, next_attempt_at) WHERE state = 'waiting';
  CREATE INDEX channel_deliveries_pace_idx ON channel_deliveries (channel_id, released_at) WHERE released_at IS NOT NULL;
  CREATE INDEX channel_deliveries_digest_idx ON channel_deliveries (digest_id) WHERE digest_id IS NOT NULL;
  CREATE INDEX channel_deliveries_open_idx ON channel_deliveries (until) WHERE type = 'approval.requested';
  CREATE INDEX channel_deliveries_age_idx ON channel_deliveries (occurred_at);
`;

const FUNCTIONS = `
  -- Queues an event for each channel that wants it. Approvals are told to whom may decide, everything else to administrators.
  CREATE OR REPLACE FUNCTION tell_channels(
    workspace integer, kind text, thing text, said jsonb, at timestamptz, worth_until timestamptz,
    named integer[] DEFAULT NULL, only_after text[] DEFAULT NULL
  ) RETURNS void LANGUAGE sql AS $$
    INSERT INTO channel_deliveries (id, channel_id, type, subject, about, risk, people, occurred_at, until, state, next_attempt_at)
    SELECT gen_random_uuid(), c.id, kind, thing, said, (said->>'riskScore')::float8, named, date_trunc('milliseconds', at), worth_until,
      CASE c.type WHEN 'webhook' THEN 'pending' ELSE 'waiting' END, now()
    FROM channels c LEFT JOIN workspace_members m ON m.workspace_id = c.workspace_id AND m.user_id = c.user_id
    WHERE c.workspace_id = workspace AND c.is_active AND kind = ANY (c.events)
      AND coalesce((said->>'riskScore')::float8 >= c.min_risk, true)
      AND (c.service_ids = '{}' OR coalesce((said->>'serviceId')::integer = ANY (c.service_ids), true))
      AND (c.user_id IS NULL OR named IS NULL OR c.user_id = ANY (named))
      AND (c.user_id IS NULL OR m.role IN ('admin', 'owner') OR m.role = 'approver' AND kind LIKE 'approval.%')
      AND (only_after IS NULL OR c.type = 'webhook' OR EXISTS (
        SELECT FROM channel_deliveries d WHERE d.subject = thing AND d.channel_id = c.id AND d.type = ANY (only_after)
          AND (d.state = 'delivered' OR d.claim_id IS NOT NULL)))
    ON CONFLICT (subject, channel_id, type) DO NOTHING
  $$;

  CREATE OR REPLACE FUNCTION tell_requested() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM tell_channels(NEW.workspace_id, 'approval.requested', NEW.id::text, jsonb_build_object(
      'actionId', NEW.id, 'summary', NEW.summary, 'riskScore', NEW.risk_score, 'agentId', NEW.agent_id, 'agent', NEW.agent_name,
      'serviceId', NEW.service_id, 'service', NEW.service_name, 'expiresAt', NEW.expires_at), NEW.created_at, NEW.expires_at,
      NEW.approver_ids);
    RETURN NULL;
  END $$;

  -- A channel that was told of the request is told of its end. What was not sent yet is not sent any more.
  CREATE OR REPLACE FUNCTION tell_decided() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE asked text[] := ARRAY['approval.requested', 'approval.reminder', 'approval.escalated'];
  BEGIN
    PERFORM tell_channels(NEW.workspace_id, 'approval.decided', NEW.id::text, jsonb_build_object(
      'actionId', NEW.id, 'summary', NEW.summary, 'riskScore', NEW.risk_score, 'agentId', NEW.agent_id, 'agent', NEW.agent_name,
      'serviceId', NEW.service_id, 'service', NEW.service_name, 'status', NEW.status, 'decidedBy', NEW.resolved_by_name,
      'askedAt', NEW.created_at), coalesce(NEW.resolved_at, now()), NULL, NEW.approver_ids, asked);
    UPDATE channel_deliveries d SET until = least(d.until, now()),
      state = CASE WHEN d.state = 'waiting' THEN 'withdrawn' ELSE d.state END,
      next_attempt_at = CASE WHEN d.state = 'waiting' THEN NULL ELSE d.next_attempt_at END
    WHERE d.subject = NEW.id::text AND d.type = ANY (asked);
    RETURN NULL;
  END $$;

  CREATE OR REPLACE FUNCTION emit_channel_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('agw_events', json_build_object('type', 'channel.updated',
      'workspaceId', coalesce(NEW.workspace_id, OLD.workspace_id), 'id', coalesce(NEW.id, OLD.id))::text);
    RETURN NULL;
  END $$;

  CREATE OR REPLACE FUNCTION emit_channel_delivery_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE workspace integer;
  BEGIN
    SELECT workspace_id INTO workspace FROM channels WHERE id = NEW.channel_id;
    PERFORM pg_notify('agw_events', json_build_object('type', 'channel.updated', 'workspaceId', workspace, 'id', NEW.channel_id)::text);
    RETURN NULL;
  END $$;

  -- Wakes the senders. It is for no reader of live events, so it names no workspace.
  CREATE OR REPLACE FUNCTION emit_channels_due() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM added) THEN
      PERFORM pg_notify('agw_events', '{"type":"channel.updated","id":0,"due":true}');
    END IF;
    RETURN NULL;
  END $$;
`;

const TRIGGERS = `
  CREATE TRIGGER channels_event AFTER INSERT OR UPDATE OR DELETE ON channels
    FOR EACH ROW EXECUTE FUNCTION emit_channel_event();
  CREATE TRIGGER channel_deliveries_event AFTER UPDATE OF state, last_error ON channel_deliveries
    FOR EACH ROW WHEN (NEW.last_attempt_at IS NOT NULL AND NEW.claim_id IS NULL) EXECUTE FUNCTION emit_channel_delivery_event();
  CREATE TRIGGER channel_deliveries_due AFTER INSERT ON channel_deliveries
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION emit_channels_due();
  CREATE TRIGGER actions_channels_requested AFTER INSERT ON actions
    FOR EACH ROW WHEN (NEW.status = 'PENDING') EXECUTE FUNCTION tell_requested();
  CREATE TRIGGER actions_channels_decided AFTER UPDATE OF status ON actions
    FOR EACH ROW WHEN (OLD.status = 'PENDING' AND NEW.status <> 'PENDING') EXECUTE FUNCTION tell_decided();
`;

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * Adds events of channels: lost connections, credentials that are due, a risk model that fails, pauses, and requests
 * that too few people may approve. Channels that exist tell it too, because they told everything that there was.
 */
export class MoreToTell1764180100000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(TABLES, { unless: `to_regclass('model_outages') IS NOT NULL` });
    await step(FUNCTIONS);
    await step(triggerOn('connections', 'connections_told', CONNECTIONS));
    await step(triggerOn('workspaces', 'workspaces_told', WORKSPACES));
    await step(triggerOn('model_outages', 'model_outages_told', OUTAGES));
    await step(
      `UPDATE channels SET events = events || ARRAY[${NEW_EVENTS}]::text[] WHERE NOT 'risk.failing' = ANY (events)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER connections_told ON connections;
      DROP TRIGGER workspaces_told ON workspaces;
      DROP TABLE model_outages, credential_reminders;
      DROP FUNCTION tell_connection, tell_pause, tell_outage;
      UPDATE channels SET events = ARRAY(SELECT e FROM unnest(events) e WHERE e NOT IN (${NEW_EVENTS}));
      DELETE FROM channel_deliveries WHERE type IN (${NEW_EVENTS});
    `);
  }
}

const NEW_EVENTS = `'approvers.missing', 'connection.expired', 'credential.due', 'risk.failing', 'workspace.paused', 'workspace.resumed'`;

const TABLES = `
  CREATE TABLE credential_reminders (
    service_id integer PRIMARY KEY REFERENCES services ON DELETE CASCADE,
    -- The last due date that was told.
    due_at timestamptz NOT NULL
  );
  CREATE TABLE model_outages (
    -- There is one model, so there is one outage: the last.
    id integer PRIMARY KEY CHECK (id = 1),
    began_at timestamptz NOT NULL,
    -- Null: it lasts.
    ended_at timestamptz,
    reason text NOT NULL
  );
`;

const FUNCTIONS = `
  -- Who is told what by an own channel (docs/notifications.md#events). $1: a role in the workspace; null: no member.
  CREATE OR REPLACE FUNCTION may_hear(role text, kind text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
      WHEN role IS NULL OR role = 'auditor' THEN false
      WHEN kind = 'approvers.missing' THEN role = 'owner'
      WHEN kind IN ('connection.expired', 'credential.due', 'risk.failing') THEN role IN ('admin', 'owner')
      ELSE true
    END
  $$;

  -- Queues an event for each channel that wants it.
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
      AND (c.user_id IS NULL OR (named IS NULL OR c.user_id = ANY (named)) AND may_hear(m.role, kind))
      AND (only_after IS NULL OR c.type = 'webhook' OR EXISTS (
        SELECT FROM channel_deliveries d WHERE d.subject = thing AND d.channel_id = c.id AND d.type = ANY (only_after)
          AND (d.state = 'delivered' OR d.claim_id IS NOT NULL)))
    ON CONFLICT (subject, channel_id, type) DO NOTHING
  $$;

  -- As before. The end of a request also ends what its owners were told of it.
  CREATE OR REPLACE FUNCTION tell_decided() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE asked text[] := ARRAY['approval.requested', 'approval.reminder', 'approval.escalated', 'approvers.missing'];
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

  CREATE OR REPLACE FUNCTION tell_connection() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM tell_channels(s.workspace_id, 'connection.expired', format('connection %s %s', s.id, NEW.token_number),
      jsonb_build_object('serviceId', s.id, 'service', s.name, 'reason', NEW.error), now(), NULL)
    FROM services s WHERE s.id = NEW.service_id;
    RETURN NULL;
  END $$;

  CREATE OR REPLACE FUNCTION tell_pause() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.paused_at IS NOT NULL THEN
      PERFORM tell_channels(NEW.id, 'workspace.paused', format('pause %s %s', NEW.id, NEW.paused_at),
        jsonb_build_object('workspace', NEW.name, 'reason', NEW.paused_reason, 'by', NEW.paused_by_name), now(), NULL);
    ELSE
      PERFORM tell_channels(NEW.id, 'workspace.resumed', format('pause %s %s', NEW.id, OLD.paused_at),
        jsonb_build_object('workspace', NEW.name), now(), NULL);
    END IF;
    RETURN NULL;
  END $$;

  CREATE OR REPLACE FUNCTION tell_outage() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM tell_channels(w.id, 'risk.failing', format('outage %s', NEW.began_at), jsonb_build_object('reason', NEW.reason), now(), NULL)
    FROM (SELECT DISTINCT workspace_id AS id FROM channels WHERE is_active AND 'risk.failing' = ANY (events)) w;
    RETURN NULL;
  END $$;
`;

const CONNECTIONS = `AFTER UPDATE OF needs_reconnect ON connections FOR EACH ROW
  WHEN (NEW.needs_reconnect AND NOT OLD.needs_reconnect) EXECUTE FUNCTION tell_connection()`;
const WORKSPACES = `AFTER UPDATE OF paused_at ON workspaces FOR EACH ROW
  WHEN ((OLD.paused_at IS NULL) <> (NEW.paused_at IS NULL)) EXECUTE FUNCTION tell_pause()`;
const OUTAGES = `AFTER INSERT OR UPDATE OF began_at ON model_outages FOR EACH ROW EXECUTE FUNCTION tell_outage()`;

const triggerOn = (table: string, name: string, definition: string): string =>
  `DROP TRIGGER IF EXISTS ${name} ON ${table}; CREATE TRIGGER ${name} ${definition};`;

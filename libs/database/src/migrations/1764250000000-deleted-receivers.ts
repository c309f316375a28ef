import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * Leaves out a channel or callback that somebody deletes at the same moment. Without the lock, the foreign key of its
 * delivery failed, and with it the request, the decision or the log-in that was about to be told.
 */
export class DeletedReceivers1764250000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await inSteps(runner).step(functions('FOR KEY SHARE OF c'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(functions(''));
  }
}

/** As before, but for the lock. A row that was deleted while the statement waited for it is skipped. */
const functions = (lock: string): string => `
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
    ${lock}
    ON CONFLICT (subject, channel_id, type) DO NOTHING
  $$;

  CREATE OR REPLACE FUNCTION tell_person(person integer, kind text, thing text, said jsonb, at timestamptz)
  RETURNS void LANGUAGE sql AS $$
    INSERT INTO channel_deliveries (id, channel_id, type, subject, about, occurred_at, state, next_attempt_at)
    SELECT gen_random_uuid(), c.id, kind, thing, said, date_trunc('milliseconds', at), 'waiting', now()
    FROM channels c JOIN (
      SELECT DISTINCT ON (CASE c.type WHEN 'email' THEN 0 ELSE c.id END) c.id
      FROM channels c JOIN workspace_members m ON m.workspace_id = c.workspace_id AND m.user_id = c.user_id
      WHERE c.user_id = person AND c.is_active AND kind = ANY (c.events) AND may_hear(m.role, kind)
      ORDER BY CASE c.type WHEN 'email' THEN 0 ELSE c.id END, c.id
    ) own ON own.id = c.id
    ${lock}
    ON CONFLICT (subject, channel_id, type) DO NOTHING
  $$;

  CREATE OR REPLACE FUNCTION replace_messages() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO channel_deliveries (id, channel_id, type, subject, about, risk, occurred_at, state, next_attempt_at)
    SELECT gen_random_uuid(), c.id, 'approval.updated', NEW.id::text, jsonb_build_object(
      'actionId', NEW.id, 'summary', NEW.summary, 'riskScore', NEW.risk_score, 'agentId', NEW.agent_id, 'agent', NEW.agent_name,
      'serviceId', NEW.service_id, 'service', NEW.service_name, 'status', NEW.status, 'before', OLD.status,
      'resolvedBy', NEW.resolved_by_name, 'askedAt', NEW.created_at, 'resolvedAt', NEW.resolved_at, 'revisedAs', NEW.revised_as),
      NEW.risk_score, date_trunc('milliseconds', clock_timestamp()), 'pending', now()
    FROM channels c
    WHERE c.workspace_id = NEW.workspace_id AND c.is_bot AND c.is_active AND EXISTS (
      SELECT FROM channel_deliveries d WHERE d.subject = NEW.id::text AND d.channel_id = c.id AND d.type <> 'approval.updated'
        AND (d.receipt IS NOT NULL OR d.claim_id IS NOT NULL))
    ${lock}
    ON CONFLICT (subject, channel_id, type) DO UPDATE SET
      about = EXCLUDED.about, occurred_at = EXCLUDED.occurred_at, state = 'pending', attempts = 0,
      next_attempt_at = CASE WHEN channel_deliveries.claim_id IS NULL THEN EXCLUDED.next_attempt_at
        ELSE channel_deliveries.next_attempt_at END;
    -- A row that was there already does not wake the senders.
    IF FOUND THEN PERFORM pg_notify('agw_events', '{"type":"channel.updated","id":0,"due":true}'); END IF;
    RETURN NULL;
  END $$;

  CREATE OR REPLACE FUNCTION queue_callback() RETURNS trigger LANGUAGE plpgsql AS $$
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
    WHERE c.agent_id = NEW.agent_id AND c.enabled AND a.is_active
    ${lock};
    RETURN NULL;
  END $$;
`;

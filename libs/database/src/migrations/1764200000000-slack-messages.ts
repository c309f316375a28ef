import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** A Slack app replaces its messages about an action whenever the state of the action changes. */
export class SlackMessages1764200000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`ALTER TABLE channels ADD COLUMN IF NOT EXISTS is_bot boolean NOT NULL DEFAULT false`);
    await step(`ALTER TABLE channel_deliveries ADD COLUMN IF NOT EXISTS receipt jsonb`);
    await step(FUNCTION);
    await step(TRIGGER, { unless: `EXISTS (SELECT FROM pg_trigger WHERE tgname = 'actions_channels_updated')` });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER actions_channels_updated ON actions;
      DROP FUNCTION replace_messages;
      DELETE FROM channel_deliveries WHERE type = 'approval.updated';
      ALTER TABLE channel_deliveries DROP COLUMN receipt;
      ALTER TABLE channels DROP COLUMN is_bot;
    `);
  }
}

/**
 * There is one delivery per action and channel, which always shows the last state. An attempt in progress keeps its
 * lease.
 */
const FUNCTION = `
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
    ON CONFLICT (subject, channel_id, type) DO UPDATE SET
      about = EXCLUDED.about, occurred_at = EXCLUDED.occurred_at, state = 'pending', attempts = 0,
      next_attempt_at = CASE WHEN channel_deliveries.claim_id IS NULL THEN EXCLUDED.next_attempt_at
        ELSE channel_deliveries.next_attempt_at END;
    -- A row that was there already does not wake the senders.
    IF FOUND THEN PERFORM pg_notify('agw_events', '{"type":"channel.updated","id":0,"due":true}'); END IF;
    RETURN NULL;
  END $$;
`;

const TRIGGER = `
  CREATE TRIGGER actions_channels_updated AFTER UPDATE OF status ON actions
    FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION replace_messages();
`;

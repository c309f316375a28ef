import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * The same as before, except for withdrawn deliveries.
 * @param withdrawn SQL: a decision withdraws the delivery `d`
 */
const tellDecided = (withdrawn: string): string => `
  CREATE OR REPLACE FUNCTION tell_decided() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE asked text[] := ARRAY['approval.requested', 'approval.reminder', 'approval.escalated', 'approvers.missing'];
  BEGIN
    PERFORM tell_channels(NEW.workspace_id, 'approval.decided', NEW.id::text, jsonb_build_object(
      'actionId', NEW.id, 'summary', NEW.summary, 'riskScore', NEW.risk_score, 'agentId', NEW.agent_id, 'agent', NEW.agent_name,
      'serviceId', NEW.service_id, 'service', NEW.service_name, 'status', NEW.status, 'decidedBy', NEW.resolved_by_name,
      'askedAt', NEW.created_at), coalesce(NEW.resolved_at, now()), NULL, NEW.approver_ids, asked);
    UPDATE channel_deliveries d SET until = least(d.until, now()),
      state = CASE WHEN ${withdrawn} THEN 'withdrawn' ELSE d.state END,
      next_attempt_at = CASE WHEN d.state = 'waiting' THEN NULL ELSE d.next_attempt_at END
    WHERE d.subject = NEW.id::text AND d.type = ANY (asked);
    RETURN NULL;
  END $$;
`;

const COLLECTS = `EXISTS (SELECT FROM channel_deliveries g WHERE g.id = d.digest_id AND g.state = 'waiting')`;

/**
 * A digest collects notifications until it is sent. Each channel has at most one. See
 * docs/reference/notifications.md#pacing.
 */
export class CollectingDigests1764240000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`CREATE UNIQUE INDEX IF NOT EXISTS channel_deliveries_collecting_idx ON channel_deliveries (channel_id)
      WHERE state = 'waiting' AND type = 'approval.digest'`);
    await step(tellDecided(`d.state = 'waiting' OR d.state = 'bundled' AND ${COLLECTS}`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`${tellDecided(`d.state = 'waiting'`)} DROP INDEX channel_deliveries_collecting_idx`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * Senders look for the oldest delivery of each receiver. With the receiver first in the index, a long queue of one
 * costs the others nothing.
 */
export class DueDeliveries1764210000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`CREATE INDEX IF NOT EXISTS callback_deliveries_receiver_idx ON callback_deliveries (agent_id, next_attempt_at)
      WHERE state = 'pending'`);
    await step('DROP INDEX IF EXISTS callback_deliveries_due_idx');
    await step(`CREATE INDEX IF NOT EXISTS channel_deliveries_receiver_idx ON channel_deliveries (channel_id, next_attempt_at)
      WHERE state = 'pending'`);
    await step('DROP INDEX IF EXISTS channel_deliveries_due_idx');
    await step(`CREATE INDEX IF NOT EXISTS invitation_mails_receiver_idx ON invitation_mails (invitation_id, next_attempt_at)
      WHERE state = 'pending'`);
    await step('DROP INDEX IF EXISTS invitation_mails_due_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX callback_deliveries_due_idx ON callback_deliveries (next_attempt_at) WHERE state = 'pending';
      CREATE INDEX channel_deliveries_due_idx ON channel_deliveries (next_attempt_at) WHERE state IN ('waiting', 'pending');
      CREATE INDEX invitation_mails_due_idx ON invitation_mails (next_attempt_at) WHERE state = 'pending';
      DROP INDEX callback_deliveries_receiver_idx, channel_deliveries_receiver_idx, invitation_mails_receiver_idx;
    `);
  }
}

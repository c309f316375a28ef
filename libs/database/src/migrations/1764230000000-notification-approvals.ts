import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** Owners choose the risk below which a notification on a device has a button to approve. Null: none has. */
export class NotificationApprovals1764230000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await inSteps(runner)
      .step(`ALTER TABLE workspaces ADD COLUMN IF NOT EXISTS approve_in_notifications_below double precision
      CHECK (approve_in_notifications_below BETWEEN 0 AND 1)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workspaces DROP COLUMN approve_in_notifications_below');
  }
}

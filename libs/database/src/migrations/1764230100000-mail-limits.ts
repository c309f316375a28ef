import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** Limits mail in a way that nobody can evade with more workspaces, or by deleting workspaces and channels. */
export class MailLimits1764230100000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    // The mails of a deleted workspace still count.
    await step('ALTER TABLE invitation_mails DROP CONSTRAINT IF EXISTS invitation_mails_workspace_id_fkey');
    await step('ALTER TABLE invitation_mails ADD COLUMN IF NOT EXISTS invited_by integer');
    await step(`CREATE INDEX IF NOT EXISTS invitation_mails_inviter_idx ON invitation_mails (invited_by, occurred_at)`);
    await step(TABLE, { unless: `to_regclass('channel_mails') IS NOT NULL` });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE channel_mails;
      ALTER TABLE invitation_mails DROP COLUMN invited_by;
      DELETE FROM invitation_mails m WHERE NOT EXISTS (SELECT FROM workspaces w WHERE w.id = m.workspace_id);
      ALTER TABLE invitation_mails ADD CONSTRAINT invitation_mails_workspace_id_fkey
        FOREIGN KEY (workspace_id) REFERENCES workspaces ON DELETE CASCADE;
    `);
  }
}

const TABLE = `
  CREATE TABLE channel_mails (
    user_id integer PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    -- When the present hour of counting began.
    began_at timestamptz NOT NULL,
    count integer NOT NULL
  );
`;

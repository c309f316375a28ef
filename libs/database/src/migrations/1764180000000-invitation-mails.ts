import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** The queue of invitation mails. The token is stored, encrypted, until the mail is delivered. */
export class InvitationMails1764180000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(TABLE, { unless: `to_regclass('invitation_mails') IS NOT NULL` });
    await step(WITHDRAWAL, { unless: `EXISTS (SELECT FROM pg_trigger WHERE tgname = 'invitations_withdraw_mail')` });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER invitations_withdraw_mail ON invitations;
      DROP FUNCTION withdraw_invitation_mail;
      DROP TABLE invitation_mails;
    `);
  }
}

const TABLE = `
  CREATE TABLE invitation_mails (
    -- Outlives the invitation, so that the mails of a day are counted.
    invitation_id integer PRIMARY KEY,
    -- The same at every attempt.
    id uuid NOT NULL UNIQUE,
    workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    email text NOT NULL,
    type text NOT NULL DEFAULT 'invitation',
    -- Null once nothing more is sent.
    encrypted_token text CONSTRAINT invitation_mails_bound CHECK (coalesce(encrypted_token, '') NOT LIKE 'unbound:%'),
    occurred_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'withdrawn')),
    attempts integer NOT NULL DEFAULT 0,
    -- When it is due. During an attempt: when its lease ends.
    next_attempt_at timestamptz,
    -- Set during an attempt.
    claim_id uuid,
    last_attempt_at timestamptz,
    last_status integer,
    last_error text,
    CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
    CHECK ((state = 'pending') = (encrypted_token IS NOT NULL))
  );
  CREATE INDEX invitation_mails_due_idx ON invitation_mails (next_attempt_at) WHERE state = 'pending';
  CREATE INDEX invitation_mails_workspace_idx ON invitation_mails (workspace_id, occurred_at);
  CREATE INDEX invitation_mails_email_idx ON invitation_mails (lower(email), occurred_at);
  CREATE INDEX invitation_mails_age_idx ON invitation_mails (occurred_at);
  CREATE TRIGGER invitation_mails_due AFTER INSERT ON invitation_mails
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION emit_channels_due();
`;

const WITHDRAWAL = `
  -- The token of an invitation that was accepted or deleted is good for nothing.
  CREATE OR REPLACE FUNCTION withdraw_invitation_mail() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE invitation_mails SET state = 'withdrawn', encrypted_token = NULL, next_attempt_at = NULL, claim_id = NULL
    WHERE invitation_id = OLD.id AND state = 'pending';
    RETURN NULL;
  END $$;
  CREATE TRIGGER invitations_withdraw_mail AFTER DELETE OR UPDATE OF accepted_at ON invitations
    FOR EACH ROW EXECUTE FUNCTION withdraw_invitation_mail();
`;

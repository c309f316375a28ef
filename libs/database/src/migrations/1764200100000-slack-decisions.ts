import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** Members decide in Slack, once they have linked their Slack user. */
export class SlackDecisions1764200100000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`ALTER TABLE channels ADD COLUMN IF NOT EXISTS decide_below_risk double precision
      CHECK (decide_below_risk BETWEEN 0 AND 1)`);
    await step(TABLES, { unless: `to_regclass('slack_links') IS NOT NULL` });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE slack_links, slack_link_requests, slack_requests;
      ALTER TABLE channels DROP COLUMN decide_below_risk;
    `);
  }
}

const TABLES = `
  -- A link holds for one channel only: whoever has the signing secret of another channel's app can't decide with it.
  CREATE TABLE slack_links (
    id serial PRIMARY KEY,
    channel_id integer NOT NULL REFERENCES channels ON DELETE CASCADE,
    slack_user_id text NOT NULL,
    slack_name text NOT NULL,
    workspace_id integer NOT NULL,
    user_id integer NOT NULL,
    linked_at timestamptz NOT NULL,
    UNIQUE (channel_id, slack_user_id),
    UNIQUE (channel_id, user_id),
    FOREIGN KEY (workspace_id, user_id) REFERENCES workspace_members ON DELETE CASCADE
  );
  CREATE INDEX slack_links_member_idx ON slack_links (workspace_id, user_id);

  CREATE TABLE slack_link_requests (
    -- SHA-256 of the token, hex.
    token_hash char(64) PRIMARY KEY,
    channel_id integer NOT NULL REFERENCES channels ON DELETE CASCADE,
    slack_user_id text NOT NULL,
    slack_name text NOT NULL,
    expires_at timestamptz NOT NULL,
    UNIQUE (channel_id, slack_user_id)
  );

  -- The signatures of the last minutes, so that none is accepted twice.
  CREATE TABLE slack_requests (
    signature char(64) PRIMARY KEY,
    received_at timestamptz NOT NULL
  );
`;

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * Stores where people have signed in from, so that they are notified of a sign-in from somewhere else (docs/adr/0061).
 */
export class KnownPlaces1764180200000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(FUNCTIONS);
    await step(TABLE, { unless: `to_regclass('known_places') IS NOT NULL` });
    await step(
      `UPDATE channels SET events = events || '{login.new}'::text[] WHERE user_id IS NOT NULL AND NOT 'login.new' = ANY (events)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE known_places;
      DROP FUNCTION tell_place, tell_person;
      UPDATE channels SET events = array_remove(events, 'login.new');
      DELETE FROM channel_deliveries WHERE type = 'login.new';
    `);
  }
}

const FUNCTIONS = `
  -- Queues an event for the own channels of a person, in whichever workspaces they are. Mail goes to one address, so it goes once.
  CREATE OR REPLACE FUNCTION tell_person(person integer, kind text, thing text, said jsonb, at timestamptz)
  RETURNS void LANGUAGE sql AS $$
    INSERT INTO channel_deliveries (id, channel_id, type, subject, about, occurred_at, state, next_attempt_at)
    SELECT gen_random_uuid(), own.id, kind, thing, said, date_trunc('milliseconds', at), 'waiting', now()
    FROM (
      SELECT DISTINCT ON (CASE c.type WHEN 'email' THEN 0 ELSE c.id END) c.id
      FROM channels c JOIN workspace_members m ON m.workspace_id = c.workspace_id AND m.user_id = c.user_id
      WHERE c.user_id = person AND c.is_active AND kind = ANY (c.events) AND may_hear(m.role, kind)
      ORDER BY CASE c.type WHEN 'email' THEN 0 ELSE c.id END, c.id
    ) own
    ON CONFLICT (subject, channel_id, type) DO NOTHING
  $$;

  -- The first place of a person is told to nobody. A known device in a known network is no new place, even if they meet for the first time.
  CREATE OR REPLACE FUNCTION tell_place() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    others integer;
    same_device integer;
    same_network integer;
  BEGIN
    SELECT count(*), count(*) FILTER (WHERE device = NEW.device), count(*) FILTER (WHERE network = NEW.network)
    INTO others, same_device, same_network
    FROM known_places WHERE user_id = NEW.user_id AND (device, network) <> (NEW.device, NEW.network);
    IF others > 0 AND (same_device = 0 OR same_network = 0) THEN
      PERFORM tell_person(NEW.user_id, 'login.new', format('place %s %s %s %s', NEW.user_id, NEW.device, NEW.network, NEW.first_seen_at),
        jsonb_build_object('place', concat_ws(', ', NEW.device, NEW.address), 'signedInAt', NEW.first_seen_at), now());
    END IF;
    RETURN NULL;
  END $$;
`;

const TABLE = `
  CREATE TABLE known_places (
    user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
    -- Browser and system, without versions.
    device text NOT NULL,
    -- The first 16 bits of an IPv4 address, 32 of an IPv6 address.
    network text NOT NULL,
    -- Of the first sign-in.
    address text,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, device, network)
  );
  CREATE INDEX known_places_age_idx ON known_places (last_seen_at);
  CREATE TRIGGER known_places_told AFTER INSERT ON known_places FOR EACH ROW EXECUTE FUNCTION tell_place();
`;

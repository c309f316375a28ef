import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * A workspace owns everything that an account owned until now (docs/adr/0050-workspaces.md). An account's own workspace
 * has the id of the account. So the owner's column of the large tables is renamed, and none of their rows is written.
 * Runs under load, in steps that each hold their locks for a moment. A step that was done is skipped or does nothing,
 * because a process can be killed between two steps. Instances of the previous release still write `user_id`: triggers
 * translate it.
 */
export class Workspaces1764100000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step, batches } = inSteps(runner);
    await step(WORKSPACES, { unless: `to_regclass('workspaces') IS NOT NULL` });
    for (const table of ['services', 'agents']) {
      await step(ownedBy(table), { unless: hasColumn(table, 'workspace_id') });
      await batches(
        `SELECT id FROM ${table} WHERE workspace_id IS NULL ORDER BY id LIMIT 500 FOR NO KEY UPDATE`,
        (rows) => `UPDATE ${table} SET workspace_id = user_id WHERE id IN (${rows})`,
      );
      await step(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}_workspace`);
      await step(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}_workspace_id_fkey`);
      // Not CONCURRENTLY: that waits for the statements of all others, also for instances that wait for the end of the
      // migration. The table is small, so its writers wait for a few milliseconds only.
      await step(`CREATE INDEX IF NOT EXISTS ${table}_workspace_idx ON ${table} (workspace_id, id)`);
      await step(`ALTER TABLE ${table} ALTER COLUMN workspace_id SET NOT NULL`);
    }
    await step(RECORDS, { unless: hasColumn('audit_records', 'workspace_id') });
    await step(ACTIONS, { unless: hasColumn('actions', 'workspace_id') });
    await step('ALTER TABLE actions VALIDATE CONSTRAINT actions_workspace_id_fkey');
    await step(EVENTS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await inSteps(runner).step(`
      ${EMIT_ACTION_EVENT.replace(/workspaceId/g, 'userId').replace(/workspace_id/g, 'user_id')}
      ${events('userId', 'user_id')}
      DROP TRIGGER actions_fill_workspace ON actions;
      ALTER TABLE actions DROP CONSTRAINT actions_workspace_id_fkey, DROP COLUMN user_id;
      ALTER TABLE actions RENAME COLUMN workspace_id TO user_id;
      ALTER TABLE actions ADD CONSTRAINT actions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE NOT VALID;
      DROP TRIGGER audit_records_fill_workspace ON audit_records;
      ALTER TABLE audit_records DROP COLUMN user_id;
      ALTER TABLE audit_records RENAME COLUMN workspace_id TO user_id;
      ALTER INDEX audit_workspace_idx RENAME TO audit_user_idx;
      ALTER TABLE usage_hours RENAME COLUMN workspace_id TO user_id;
      ALTER TABLE usage_totals RENAME COLUMN workspace_id TO user_id;
      ALTER TABLE usage_risk RENAME COLUMN workspace_id TO user_id;
      DROP TRIGGER services_fill_workspace ON services;
      ALTER TABLE services DROP COLUMN workspace_id;
      DROP TRIGGER agents_fill_workspace ON agents;
      ALTER TABLE agents DROP COLUMN workspace_id;
      DROP TRIGGER users_workspace ON users;
      DROP TABLE workspace_members, workspaces;
      DROP FUNCTION create_own_workspace, emit_member_event, count_up_agents_of_workspace, fill_workspace, fill_workspace_from_agent;
    `);
  }
}

const hasColumn = (table: string, column: string): string =>
  `EXISTS (SELECT FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '${table}' AND column_name = '${column}')`;

const WORKSPACES = `
  CREATE TABLE workspaces (
    -- The sequence of the accounts: an account's own workspace has the account's id, and no other workspace has the id of an account.
    id integer PRIMARY KEY DEFAULT nextval('users_id_seq'),
    name text NOT NULL,
    -- Whether its services may use the operator's list of private targets. Null: nobody has decided.
    private_targets boolean,
    separation_of_duties boolean NOT NULL DEFAULT false,
    confirm_from_risk double precision CHECK (confirm_from_risk BETWEEN 0 AND 1),
    approver_rule_max_hours integer NOT NULL DEFAULT 24 CHECK (approver_rule_max_hours > 0),
    created_by integer REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE TABLE workspace_members (
    workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
    role text NOT NULL CHECK (role IN ('auditor', 'approver', 'admin', 'owner')),
    joined_at timestamptz NOT NULL,
    last_seen_at timestamptz,
    PRIMARY KEY (workspace_id, user_id)
  );
  CREATE INDEX workspace_members_user_idx ON workspace_members (user_id, joined_at, workspace_id);

  CREATE FUNCTION create_own_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM workspace_members WHERE user_id = NEW.id) OR NOT EXISTS (SELECT FROM users WHERE id = NEW.id) THEN
      RETURN NULL;
    END IF;
    INSERT INTO workspaces (id, name, private_targets, created_by, created_at, updated_at)
    VALUES (NEW.id, NEW.name || '''s workspace', CASE WHEN EXISTS (SELECT FROM workspaces) THEN NULL ELSE true END,
      NEW.id, NEW.created_at, NEW.created_at);
    INSERT INTO workspace_members VALUES (NEW.id, NEW.id, 'owner', NEW.created_at);
    RETURN NULL;
  END $$;
  -- Deferred: an account that joins a workspace in the transaction that creates it gets none of its own.
  CREATE CONSTRAINT TRIGGER users_workspace AFTER INSERT ON users DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION create_own_workspace();

  INSERT INTO workspaces (id, name, private_targets, created_by, created_at, updated_at)
  SELECT id, name || '''s workspace', CASE WHEN id = (SELECT min(id) FROM users) THEN true END, id, created_at, created_at FROM users;
  INSERT INTO workspace_members SELECT id, id, 'owner', created_at FROM users;

  -- Another answer about private targets holds for the next request.
  CREATE FUNCTION count_up_agents_of_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE agents SET version = version + 1 WHERE id IN
      (SELECT id FROM agents WHERE workspace_id = NEW.id ORDER BY id FOR NO KEY UPDATE);
    RETURN NULL;
  END $$;
  CREATE TRIGGER workspaces_private_targets AFTER UPDATE ON workspaces FOR EACH ROW
    WHEN (OLD.private_targets IS DISTINCT FROM NEW.private_targets) EXECUTE FUNCTION count_up_agents_of_workspace();

  CREATE FUNCTION emit_member_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE member workspace_members := coalesce(NEW, OLD);
  BEGIN
    PERFORM pg_notify('agw_events', json_build_object(
      'type', CASE TG_OP WHEN 'DELETE' THEN 'member.removed' ELSE 'member.updated' END,
      'workspaceId', member.workspace_id, 'id', member.user_id)::text);
    RETURN NULL;
  END $$;
  CREATE TRIGGER workspace_members_event AFTER INSERT OR UPDATE OF role OR DELETE ON workspace_members
    FOR EACH ROW EXECUTE FUNCTION emit_member_event();
`;

/** Instances of the previous release only know the account, and so its own workspace. */
const ownedBy = (table: string): string => `
  CREATE OR REPLACE FUNCTION fill_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.workspace_id := NEW.user_id;
    RETURN NEW;
  END $$;
  ALTER TABLE ${table} ADD COLUMN workspace_id integer;
  CREATE TRIGGER ${table}_fill_workspace BEFORE INSERT OR UPDATE ON ${table}
    FOR EACH ROW WHEN (NEW.workspace_id IS NULL) EXECUTE FUNCTION fill_workspace();
  ALTER TABLE ${table}
    ADD CONSTRAINT ${table}_workspace CHECK (workspace_id IS NOT NULL) NOT VALID,
    ADD CONSTRAINT ${table}_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces NOT VALID;
`;

const FILL_FROM_AGENT = `
  CREATE OR REPLACE FUNCTION fill_workspace_from_agent() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.workspace_id := coalesce((SELECT workspace_id FROM agents WHERE id = NEW.agent_id), NEW.user_id);
    NEW.user_id := NULL;
    RETURN NEW;
  END $$;
`;

/**
 * The renamed column keeps its values and its indexes. The new, empty \`user_id\` takes the values that instances of
 * the previous release write.
 */
const RECORDS = `
  ${FILL_FROM_AGENT}
  ALTER TABLE audit_records RENAME COLUMN user_id TO workspace_id;
  ALTER TABLE audit_records ADD COLUMN user_id integer;
  ALTER INDEX audit_user_idx RENAME TO audit_workspace_idx;
  CREATE TRIGGER audit_records_fill_workspace BEFORE INSERT ON audit_records
    FOR EACH ROW WHEN (NEW.user_id IS NOT NULL AND NEW.workspace_id IS NULL) EXECUTE FUNCTION fill_workspace_from_agent();
  ALTER TABLE usage_hours RENAME COLUMN user_id TO workspace_id;
  ALTER TABLE usage_totals RENAME COLUMN user_id TO workspace_id;
  ALTER TABLE usage_risk RENAME COLUMN user_id TO workspace_id;
`;

const EMIT_ACTION_EVENT = `
  CREATE OR REPLACE FUNCTION emit_action_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('agw_events', json_build_object(
      'type', CASE TG_OP WHEN 'INSERT' THEN 'action.created' ELSE 'action.updated' END,
      'workspaceId', NEW.workspace_id, 'id', NEW.id, 'status', NEW.status)::text);
    RETURN NULL;
  END $$;
`;

const ACTIONS = `
  ALTER TABLE actions DROP CONSTRAINT actions_user_id_fkey;
  ALTER TABLE actions RENAME COLUMN user_id TO workspace_id;
  ALTER TABLE actions ADD COLUMN user_id integer,
    ADD CONSTRAINT actions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces ON DELETE CASCADE NOT VALID;
  CREATE TRIGGER actions_fill_workspace BEFORE INSERT ON actions
    FOR EACH ROW WHEN (NEW.user_id IS NOT NULL AND NEW.workspace_id IS NULL) EXECUTE FUNCTION fill_workspace_from_agent();
  ${EMIT_ACTION_EVENT}
`;

/** The other functions that emit events for the owner of a change. */
const events = (key: string, column: string): string => `
  CREATE OR REPLACE FUNCTION emit_agent_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE agent agents := coalesce(NEW, OLD);
  BEGIN
    PERFORM pg_notify('agw_events', json_build_object('type', 'agent.updated', '${key}', agent.${column}, 'id', agent.id)::text);
    RETURN NULL;
  END $$;
  CREATE OR REPLACE FUNCTION emit_service_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE service services := coalesce(NEW, OLD);
  BEGIN
    PERFORM pg_notify('agw_events', json_build_object('type', 'service.updated', '${key}', service.${column}, 'id', service.id)::text);
    RETURN NULL;
  END $$;
  CREATE OR REPLACE FUNCTION emit_service_part_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE owner integer;
  BEGIN
    SELECT ${column} INTO owner FROM services WHERE id = coalesce(NEW.service_id, OLD.service_id);
    IF owner IS NOT NULL THEN
      PERFORM pg_notify('agw_events', json_build_object(
        'type', 'service.updated', '${key}', owner, 'id', coalesce(NEW.service_id, OLD.service_id))::text);
    END IF;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE FUNCTION emit_callback_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE owner integer;
  BEGIN
    SELECT ${column} INTO owner FROM agents WHERE id = coalesce(NEW.agent_id, OLD.agent_id);
    IF owner IS NOT NULL THEN
      PERFORM pg_notify('agw_events', json_build_object(
        'type', 'callback.updated', '${key}', owner, 'id', coalesce(NEW.agent_id, OLD.agent_id),
        'due', TG_TABLE_NAME = 'callback_deliveries' AND TG_OP = 'INSERT')::text);
    END IF;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE FUNCTION emit_callback_request_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE owner integer;
  BEGIN
    SELECT ${column} INTO owner FROM agents WHERE id = coalesce(NEW.agent_id, OLD.agent_id);
    IF owner IS NOT NULL THEN
      PERFORM pg_notify('agw_events', json_build_object(
        'type', 'agent.updated', '${key}', owner, 'id', coalesce(NEW.agent_id, OLD.agent_id))::text);
    END IF;
    RETURN NULL;
  END $$;
`;
const EVENTS = events('workspaceId', 'workspace_id');

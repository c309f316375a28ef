import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * A workspace or a service can be paused. The pause increments the versions of the agents that it affects, so that it
 * applies from their next request on every instance.
 */
export class Pause1764140000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`${columns('workspaces')} ${columns('services')}`);
    await step(countUp('workspaces', 'workspaces_private_targets', ['private_targets', 'paused_at', 'paused_reason']));
    await step(countUp('services', 'services_scopes', ['base_url', 'paused_at', 'paused_reason']));
    await step(WORKSPACE_EVENT);
  }

  async down(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      ${countUp('workspaces', 'workspaces_private_targets', ['private_targets'])}
      ${countUp('services', 'services_scopes', ['base_url'])}
      DROP TRIGGER workspaces_event ON workspaces;
      DROP FUNCTION emit_workspace_event;
      ALTER TABLE workspaces DROP COLUMN paused_at, DROP COLUMN paused_reason, DROP COLUMN paused_by, DROP COLUMN paused_by_name;
      ALTER TABLE services DROP COLUMN paused_at, DROP COLUMN paused_reason, DROP COLUMN paused_by, DROP COLUMN paused_by_name;
    `);
  }
}

/** `paused_at` is null while requests pass. */
const columns = (table: string): string => `
  ALTER TABLE ${table}
    ADD COLUMN IF NOT EXISTS paused_at timestamptz,
    ADD COLUMN IF NOT EXISTS paused_reason text,
    ADD COLUMN IF NOT EXISTS paused_by integer,
    ADD COLUMN IF NOT EXISTS paused_by_name text;
`;

/** Increments the versions of the agents of a workspace or service when one of the columns changes. */
const countUp = (table: 'workspaces' | 'services', trigger: string, names: string[]): string => `
  DROP TRIGGER IF EXISTS ${trigger} ON ${table};
  CREATE TRIGGER ${trigger} AFTER UPDATE ON ${table} FOR EACH ROW
    WHEN ((${names.map((name) => `OLD.${name}`).join(', ')}) IS DISTINCT FROM (${names.map((name) => `NEW.${name}`).join(', ')}))
    EXECUTE FUNCTION count_up_agents_of_${table.slice(0, -1)}();
`;

const WORKSPACE_EVENT = `
  CREATE OR REPLACE FUNCTION emit_workspace_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('agw_events', json_build_object('type', 'workspace.updated', 'workspaceId', NEW.id, 'id', NEW.id)::text);
    RETURN NULL;
  END $$;
  DROP TRIGGER IF EXISTS workspaces_event ON workspaces;
  CREATE TRIGGER workspaces_event AFTER UPDATE ON workspaces FOR EACH ROW EXECUTE FUNCTION emit_workspace_event();
`;

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * Several people can be asked for one action (docs/adr/0051-approvals-in-the-action.md), and an action can be revised.
 * Runs under load. A step that was done is skipped, because a process can be killed between two steps.
 */
export class Approvals1764120000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(RULES, { unless: hasColumn('risk_rules', 'approvals') });
    await step(ACTIONS, { unless: hasColumn('actions', 'approvals') });
    await step(AGENTS, { unless: hasColumn('agents', 'key_rotated_by') });
  }

  async down(runner: QueryRunner): Promise<void> {
    await inSteps(runner).step(`
      ALTER TABLE agents DROP COLUMN key_rotated_by;
      DROP TRIGGER actions_updated_event ON actions;
      CREATE TRIGGER actions_updated_event AFTER UPDATE OF status, times_asked ON actions
        FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.times_asked <> NEW.times_asked) EXECUTE FUNCTION emit_action_event();
      ALTER TABLE actions DROP COLUMN approvals_needed, DROP COLUMN approver_ids, DROP COLUMN approvals, DROP COLUMN revises,
        DROP COLUMN revised_as;
      ALTER TABLE risk_rules DROP COLUMN approvals, DROP COLUMN approver_ids;
    `);
  }
}

const hasColumn = (table: string, column: string): string =>
  `EXISTS (SELECT FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '${table}' AND column_name = '${column}')`;

const RULES = `
  ALTER TABLE risk_rules
    ADD COLUMN approvals integer NOT NULL DEFAULT 1 CHECK (approvals BETWEEN 1 AND 5),
    -- Empty: everyone whose role may.
    ADD COLUMN approver_ids integer[] NOT NULL DEFAULT '{}';
`;

const ACTIONS = `
  ALTER TABLE actions
    ADD COLUMN approvals_needed integer NOT NULL DEFAULT 1,
    -- null: everyone whose role may. Empty: nobody, because several rules name different people.
    ADD COLUMN approver_ids integer[],
    -- [{id, name, at, note, baseUrl}]
    ADD COLUMN approvals jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN revises uuid,
    ADD COLUMN revised_as uuid;
  -- An instance of the release before knows one approval only. It can't approve what needs more.
  ALTER TABLE actions ADD CONSTRAINT actions_approved_by_enough
    CHECK (status NOT IN ('APPROVED', 'EXECUTED') OR approvals_needed = 1 OR jsonb_array_length(approvals) >= approvals_needed) NOT VALID;
  DROP TRIGGER actions_updated_event ON actions;
  CREATE TRIGGER actions_updated_event AFTER UPDATE OF status, times_asked, approvals ON actions FOR EACH ROW
    WHEN (OLD.status <> NEW.status OR OLD.times_asked <> NEW.times_asked OR OLD.approvals <> NEW.approvals)
    EXECUTE FUNCTION emit_action_event();
`;

/** The audit records show who rotated the current keys. */
const AGENTS = `
  ALTER TABLE agents ADD COLUMN key_rotated_by integer REFERENCES users ON DELETE SET NULL;
  UPDATE agents a SET key_rotated_by = r.actor_id
  FROM (SELECT DISTINCT ON (agent_id) agent_id, actor_id FROM audit_records
        WHERE actor_id IS NOT NULL AND kind = 'change' AND reason = 'agent.key_rotated' ORDER BY agent_id, id DESC) r
  WHERE a.id = r.agent_id AND r.actor_id IN (SELECT id FROM users);
`;

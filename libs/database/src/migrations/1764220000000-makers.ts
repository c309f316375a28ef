import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * Services and agents belong to their workspace. They stay when the account of the person who made them is deleted.
 * Only the workspace of the first account may use private targets from the start: if all workspaces were deleted, the
 * next one may be a stranger's.
 */
export class Makers1764220000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    for (const table of ['services', 'agents']) {
      await step(`
        ALTER TABLE ${table}
          ALTER COLUMN user_id DROP NOT NULL,
          DROP CONSTRAINT IF EXISTS ${table}_user_id_fkey,
          ADD CONSTRAINT ${table}_user_id_fkey FOREIGN KEY (user_id) REFERENCES users ON DELETE SET NULL NOT VALID
      `);
      await step(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}_user_id_fkey`);
    }
    await step(createOwnWorkspace('NEW.id = (SELECT min(id) FROM users)'));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['services', 'agents']) {
      await runner.query(`
        UPDATE ${table} t SET user_id = coalesce((SELECT user_id FROM workspace_members m WHERE m.workspace_id = t.workspace_id
          ORDER BY role = 'owner' DESC, joined_at, user_id LIMIT 1), (SELECT min(id) FROM users)) WHERE user_id IS NULL;
        ALTER TABLE ${table}
          ALTER COLUMN user_id SET NOT NULL,
          DROP CONSTRAINT ${table}_user_id_fkey,
          ADD CONSTRAINT ${table}_user_id_fkey FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE;
      `);
    }
    await runner.query(createOwnWorkspace('NOT EXISTS (SELECT FROM workspaces)'));
  }
}

/** @param isFirst SQL condition: the new workspace may use private targets from the start */
const createOwnWorkspace = (isFirst: string): string => `
  CREATE OR REPLACE FUNCTION create_own_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM workspace_members WHERE user_id = NEW.id) OR NOT EXISTS (SELECT FROM users WHERE id = NEW.id) THEN
      RETURN NULL;
    END IF;
    INSERT INTO workspaces (id, name, private_targets, created_by, created_at, updated_at)
    VALUES (NEW.id, NEW.name || '''s workspace', CASE WHEN ${isFirst} THEN true END, NEW.id, NEW.created_at, NEW.created_at);
    INSERT INTO workspace_members VALUES (NEW.id, NEW.id, 'owner', NEW.created_at);
    RETURN NULL;
  END $$;
`;

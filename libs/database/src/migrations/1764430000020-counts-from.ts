import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** From when an approval counts, so that it can be taken back before its agent uses it. Until now it counted at once. */
export class CountsFrom1764430000020 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      ALTER TABLE workspaces ADD COLUMN IF NOT EXISTS undo_seconds integer NOT NULL DEFAULT 0
        CONSTRAINT workspaces_undo_seconds_check CHECK (undo_seconds BETWEEN 0 AND 30)`);
    await step('ALTER TABLE actions ADD COLUMN IF NOT EXISTS counts_from timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE actions DROP COLUMN counts_from');
    await runner.query('ALTER TABLE workspaces DROP COLUMN undo_seconds');
  }
}

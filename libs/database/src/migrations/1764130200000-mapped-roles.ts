import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** Marks the memberships that come from groups at the OpenID provider, and end with them. */
export class MappedRoles1764130200000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await inSteps(runner).step(
      'ALTER TABLE workspace_members ADD COLUMN IF NOT EXISTS by_provider boolean NOT NULL DEFAULT false',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workspace_members DROP COLUMN by_provider');
  }
}

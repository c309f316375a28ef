import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * The origins that stored secrets may be sent to, so that a service that moves does not take them along.
 * `services`: null means the present ones. Sets that were kept before have none, so that a person confirms them.
 */
export class CredentialOrigins1764303000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step('ALTER TABLE services ADD COLUMN IF NOT EXISTS credential_origins text[]');
    await step(`
      ALTER TABLE previous_credential_sets ADD COLUMN IF NOT EXISTS credential_origins text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE previous_credential_sets DROP COLUMN credential_origins');
    await runner.query('ALTER TABLE services DROP COLUMN credential_origins');
  }
}

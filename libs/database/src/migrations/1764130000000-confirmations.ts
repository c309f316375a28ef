import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** Stores when the person of a session last confirmed their identity with a password or passkey. */
export class Confirmations1764130000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await inSteps(runner).step('ALTER TABLE sessions ADD COLUMN IF NOT EXISTS confirmed_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN confirmed_at');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** How request bodies with a `Content-Encoding` are sent. Null: by the auth of the service. */
export class RequestCodings1764301000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await inSteps(runner).step(
      "ALTER TABLE services ADD COLUMN IF NOT EXISTS request_codings text CHECK (request_codings IN ('decode', 'keep'))",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE services DROP COLUMN request_codings');
  }
}

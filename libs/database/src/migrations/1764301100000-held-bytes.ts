import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/** What the request of an action takes, uncompressed. `octet_length` of a body reads its length only. */
const BYTES = (a: string): string =>
  `coalesce(octet_length(${a}.body), 0) + coalesce(octet_length(${a}.body_bytes), 0) + octet_length(${a}.headers::text)`;

const OPEN = `status IN ('PENDING', 'APPROVED')`;

/**
 * The bytes of held requests, so that they can be added up without reading the requests. A trigger writes them, because
 * during an upgrade older instances insert actions too.
 */
export class HeldBytes1764301100000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step, batches } = inSteps(runner);
    await step(`
      ALTER TABLE actions ADD COLUMN IF NOT EXISTS held_bytes integer;
      CREATE OR REPLACE FUNCTION measure_held() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.held_bytes := ${BYTES('NEW')};
        RETURN NEW;
      END $$;
      DROP TRIGGER IF EXISTS actions_measure ON actions;
      CREATE TRIGGER actions_measure BEFORE INSERT ON actions FOR EACH ROW EXECUTE FUNCTION measure_held();`);
    await batches(
      `SELECT quote_literal(id) AS id FROM actions WHERE ${OPEN} AND held_bytes IS NULL LIMIT 200`,
      (ids) => `UPDATE actions a SET held_bytes = ${BYTES('a')} WHERE id IN (${ids})`,
    );
    await step(`
      CREATE INDEX IF NOT EXISTS actions_held_idx ON actions (workspace_id, agent_id) INCLUDE (held_bytes) WHERE ${OPEN}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX actions_held_idx;
      DROP TRIGGER actions_measure ON actions;
      DROP FUNCTION measure_held();
      ALTER TABLE actions DROP COLUMN held_bytes;`);
  }
}

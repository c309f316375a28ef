import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

const TYPES = 'service_documents_type_check';

/** A document may be the list of tools of an MCP server. */
export class ListsOfTools1764312000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      ALTER TABLE service_documents
        DROP CONSTRAINT IF EXISTS ${TYPES},
        ADD CONSTRAINT ${TYPES} CHECK (type IN ('openapi', 'markdown', 'text', 'mcp')) NOT VALID`);
    // Reads the whole table, but lets others write meanwhile.
    await step(`ALTER TABLE service_documents VALIDATE CONSTRAINT ${TYPES}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM service_documents WHERE type = 'mcp';
      ALTER TABLE service_documents
        DROP CONSTRAINT ${TYPES}, ADD CONSTRAINT ${TYPES} CHECK (type IN ('openapi', 'markdown', 'text'))`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * The operations that each agent has had sent to each service, and up to which of the agent's records they were learnt.
 * Only services with a rule about first times have rows.
 */
export class AgentOperations1764400100000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(`
      CREATE TABLE IF NOT EXISTS agent_operations (
        agent_id integer NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
        service_id integer NOT NULL REFERENCES services (id) ON DELETE CASCADE,
        operation text NOT NULL,
        PRIMARY KEY (agent_id, service_id, operation)
      )`);
    await step('CREATE INDEX IF NOT EXISTS agent_operations_service_idx ON agent_operations (service_id)');
    await step(`
      CREATE TABLE IF NOT EXISTS learnt_operations (
        agent_id integer NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
        service_id integer NOT NULL REFERENCES services (id) ON DELETE CASCADE,
        record_id uuid NOT NULL,
        PRIMARY KEY (agent_id, service_id)
      )`);
    await step('CREATE INDEX IF NOT EXISTS learnt_operations_service_idx ON learnt_operations (service_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE agent_operations, learnt_operations');
  }
}

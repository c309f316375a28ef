import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

const trigger = (condition: string): string => `
  DROP TRIGGER services_scopes ON services;
  CREATE TRIGGER services_scopes AFTER UPDATE ON services
    FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION count_up_agents_of_service()`;

/**
 * Which service a request below `/s/<name>` belongs to depends on the names of all services in the agent's scope. So a
 * new name is a change of each agent with the service in its scope, like a new base URL.
 */
export class ServiceNames1764309000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step } = inSteps(runner);
    await step(trigger('OLD.base_url <> NEW.base_url OR OLD.name <> NEW.name'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(trigger('OLD.base_url <> NEW.base_url'));
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Agents and services each get a version, which replaces the one number for the whole installation. So a change affects
 * only requests of its own agent or service. Triggers increment a version in the transaction of the change. A process
 * of an older release still reads `config_epoch`: it fails, and so it forwards nothing.
 */
export class Versions1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(DROP_EPOCH);
    await runner.query(`
      ALTER TABLE agents ADD COLUMN version bigint NOT NULL DEFAULT 1;
      ALTER TABLE services ADD COLUMN version bigint NOT NULL DEFAULT 1;
    `);
    await runner.query(OWN_COLUMNS);
    await runner.query(SCOPES);
    await runner.query(SERVICE_PARTS);
    await runner.query(KEYS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE idempotency_records DROP COLUMN service_id;
      DROP TRIGGER agents_version ON agents;
      DROP TRIGGER services_version ON services;
      DROP TRIGGER services_scopes ON services;
      DROP TRIGGER agent_services_added ON agent_services;
      DROP TRIGGER agent_services_removed ON agent_services;
      DROP TRIGGER agent_services_moved ON agent_services;
      DROP TRIGGER credentials_version ON credentials;
      DROP TRIGGER documents_version ON service_documents;
      DROP TRIGGER risk_rules_version ON risk_rules;
      DROP TRIGGER risk_rules_changed ON risk_rules;
      DROP FUNCTION count_up_version, count_up_agents, count_up_agents_of_service, count_up_service;
      ALTER TABLE agents DROP COLUMN version;
      ALTER TABLE services DROP COLUMN version;
    `);
    await runner.query(RESTORE_EPOCH);
  }
}

const DROP_EPOCH = `
  DROP TRIGGER services_epoch ON services;
  DROP TRIGGER credentials_epoch ON credentials;
  DROP TRIGGER documents_epoch ON service_documents;
  DROP TRIGGER agents_epoch ON agents;
  DROP TRIGGER agent_services_epoch ON agent_services;
  DROP TRIGGER risk_rules_epoch ON risk_rules;
  DROP FUNCTION bump_config_epoch;
  DROP TABLE config_epoch;
`;

/**
 * A change of any column counts, so that columns that are added later count too. Columns that don't affect decisions
 * about requests are exempt: the use of its key must not make an agent stale.
 */
const OWN_COLUMNS = `
  CREATE FUNCTION count_up_version() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.version := OLD.version + 1;
    RETURN NEW;
  END $$;
  CREATE TRIGGER agents_version BEFORE UPDATE ON agents FOR EACH ROW
    WHEN (to_jsonb(OLD) - '{version,last_used_at,updated_at}'::text[]
      IS DISTINCT FROM to_jsonb(NEW) - '{version,last_used_at,updated_at}'::text[])
    EXECUTE FUNCTION count_up_version();
  CREATE TRIGGER services_version BEFORE UPDATE ON services FOR EACH ROW
    WHEN (to_jsonb(OLD) - '{version,updated_at}'::text[] IS DISTINCT FROM to_jsonb(NEW) - '{version,updated_at}'::text[])
    EXECUTE FUNCTION count_up_version();
`;

/**
 * The service that a target belongs to depends on all services in the agent's scope. So a change of the scope, or of a
 * base URL in it, is a change of the agent. Deleting a service removes it from all scopes. Agents are locked in the
 * order of their ids, so that transactions can't deadlock.
 */
const SCOPES = `
  CREATE FUNCTION count_up_agents() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE agents SET version = version + 1 WHERE id IN
      (SELECT id FROM agents WHERE id IN (SELECT agent_id FROM changed) ORDER BY id FOR NO KEY UPDATE);
    RETURN NULL;
  END $$;
  CREATE TRIGGER agent_services_added AFTER INSERT ON agent_services REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_up_agents();
  CREATE TRIGGER agent_services_removed AFTER DELETE ON agent_services REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_up_agents();
  CREATE TRIGGER agent_services_moved AFTER UPDATE ON agent_services REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_up_agents();

  CREATE FUNCTION count_up_agents_of_service() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE agents SET version = version + 1 WHERE id IN
      (SELECT id FROM agents WHERE id IN (SELECT agent_id FROM agent_services WHERE service_id = NEW.id)
       ORDER BY id FOR NO KEY UPDATE);
    RETURN NULL;
  END $$;
  CREATE TRIGGER services_scopes AFTER UPDATE ON services
    FOR EACH ROW WHEN (OLD.base_url <> NEW.base_url) EXECUTE FUNCTION count_up_agents_of_service();
`;

/** Requests count the uses of a rule. That does not count as a change of the rule. */
const SERVICE_PARTS = `
  CREATE FUNCTION count_up_service() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE services SET version = version + 1 WHERE id = coalesce(NEW.service_id, OLD.service_id);
    RETURN NULL;
  END $$;
  CREATE TRIGGER credentials_version AFTER INSERT OR UPDATE OR DELETE ON credentials
    FOR EACH ROW EXECUTE FUNCTION count_up_service();
  CREATE TRIGGER documents_version AFTER INSERT OR UPDATE OR DELETE ON service_documents
    FOR EACH ROW EXECUTE FUNCTION count_up_service();
  CREATE TRIGGER risk_rules_version AFTER INSERT OR DELETE ON risk_rules
    FOR EACH ROW EXECUTE FUNCTION count_up_service();
  CREATE TRIGGER risk_rules_changed AFTER UPDATE ON risk_rules FOR EACH ROW
    WHEN (to_jsonb(OLD) - '{uses,updated_at}'::text[] IS DISTINCT FROM to_jsonb(NEW) - '{uses,updated_at}'::text[])
    EXECUTE FUNCTION count_up_service();
`;

/**
 * Stores which service a key's response came from. The agent gets the response only while that service is in its scope.
 */
const KEYS = `
  ALTER TABLE idempotency_records ADD COLUMN service_id integer;
  UPDATE idempotency_records k SET service_id = r.service_id FROM audit_records r WHERE r.id = k.claim_id;
  UPDATE idempotency_records k SET service_id = a.service_id FROM actions a WHERE a.id = k.action_id;
`;

const RESTORE_EPOCH = `
  CREATE TABLE config_epoch (id integer PRIMARY KEY CHECK (id = 1), epoch bigint NOT NULL);
  INSERT INTO config_epoch VALUES (1, 1);
  CREATE FUNCTION bump_config_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE config_epoch SET epoch = epoch + 1;
    RETURN NULL;
  END $$;
  CREATE TRIGGER services_epoch AFTER INSERT OR UPDATE OR DELETE ON services
    FOR EACH STATEMENT EXECUTE FUNCTION bump_config_epoch();
  CREATE TRIGGER credentials_epoch AFTER INSERT OR UPDATE OR DELETE ON credentials
    FOR EACH STATEMENT EXECUTE FUNCTION bump_config_epoch();
  CREATE TRIGGER documents_epoch AFTER INSERT OR UPDATE OR DELETE ON service_documents
    FOR EACH STATEMENT EXECUTE FUNCTION bump_config_epoch();
  CREATE TRIGGER agents_epoch AFTER INSERT OR UPDATE OF name, key_hash, is_active OR DELETE ON agents
    FOR EACH STATEMENT EXECUTE FUNCTION bump_config_epoch();
  CREATE TRIGGER agent_services_epoch AFTER INSERT OR UPDATE OR DELETE ON agent_services
    FOR EACH STATEMENT EXECUTE FUNCTION bump_config_epoch();
  CREATE TRIGGER risk_rules_epoch
    AFTER INSERT OR UPDATE OF name, effect, methods, path_pattern, instruction, agent_ids, expires_at, max_uses, is_active
      OR DELETE ON risk_rules
    FOR EACH STATEMENT EXECUTE FUNCTION bump_config_epoch();
`;

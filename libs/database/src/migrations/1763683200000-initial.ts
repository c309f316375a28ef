import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The complete first schema. It is plain SQL, because TypeORM has no API for its partial indexes and triggers. */
export class Initial1763683200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await runner.query(EPOCH);
    await runner.query(EVENTS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE audit_records, idempotency_records, actions, agent_services, agents, risk_rules,
        documented_operations, service_documents, credentials, services, login_attempts, sessions, users, config_epoch;
      DROP FUNCTION bump_config_epoch, emit_action_event, emit_agent_event, emit_service_event, emit_service_part_event;
    `);
  }
}

const TABLES = `
  CREATE TABLE users (
    id serial PRIMARY KEY,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX users_email_key ON users (lower(email));

  -- One row per login session. A refresh replaces token_id, so that an old refresh token no longer matches.
  CREATE TABLE sessions (
    id uuid PRIMARY KEY,
    user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
    token_id uuid NOT NULL,
    user_agent text,
    address text,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
  );
  CREATE INDEX sessions_user_idx ON sessions (user_id);
  CREATE INDEX sessions_expiry_idx ON sessions (expires_at);

  CREATE TABLE login_attempts (
    id bigserial PRIMARY KEY,
    email text NOT NULL,
    address text NOT NULL,
    at timestamptz NOT NULL
  );
  CREATE INDEX login_attempts_address_idx ON login_attempts (address, at);

  CREATE TABLE services (
    id serial PRIMARY KEY,
    user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL,
    base_url text NOT NULL,
    auth_type text NOT NULL CHECK (auth_type IN ('api_key', 'bearer', 'basic', 'oauth2')),
    credentials_rotated_at timestamptz,
    credentials_rotated_by integer REFERENCES users ON DELETE SET NULL,
    credentials_rotated_by_name text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE INDEX services_user_idx ON services (user_id, id);

  CREATE TABLE credentials (
    id serial PRIMARY KEY,
    service_id integer NOT NULL REFERENCES services ON DELETE CASCADE,
    name text NOT NULL,
    encrypted_value text NOT NULL,
    UNIQUE (service_id, name)
  );

  CREATE TABLE service_documents (
    id serial PRIMARY KEY,
    service_id integer NOT NULL REFERENCES services ON DELETE CASCADE,
    type text NOT NULL CHECK (type IN ('openapi', 'markdown', 'text')),
    title text NOT NULL,
    content text NOT NULL,
    size_bytes integer NOT NULL,
    operation_count integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE INDEX service_documents_service_idx ON service_documents (service_id);

  -- The operations of an OpenAPI document, extracted once, when the document is stored.
  CREATE TABLE documented_operations (
    id serial PRIMARY KEY,
    document_id integer NOT NULL REFERENCES service_documents ON DELETE CASCADE,
    service_id integer NOT NULL REFERENCES services ON DELETE CASCADE,
    method text NOT NULL,
    path text NOT NULL,
    server_path text NOT NULL,
    operation_id text,
    summary text,
    description text,
    excerpt text NOT NULL
  );
  CREATE INDEX documented_operations_service_idx ON documented_operations (service_id, method);
  CREATE INDEX documented_operations_document_idx ON documented_operations (document_id);

  CREATE TABLE risk_rules (
    id serial PRIMARY KEY,
    service_id integer NOT NULL REFERENCES services ON DELETE CASCADE,
    name text NOT NULL,
    effect text NOT NULL CHECK (effect IN ('deny', 'require_approval', 'allow', 'guidance')),
    methods text[] NOT NULL,
    path_pattern text NOT NULL,
    instruction text NOT NULL,
    agent_ids integer[] NOT NULL,
    expires_at timestamptz,
    max_uses integer CHECK (max_uses > 0),
    uses integer NOT NULL DEFAULT 0,
    is_active boolean NOT NULL,
    created_by integer REFERENCES users ON DELETE SET NULL,
    created_by_name text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE INDEX risk_rules_service_idx ON risk_rules (service_id);

  CREATE TABLE agents (
    id serial PRIMARY KEY,
    user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL,
    key_hash char(64) NOT NULL UNIQUE,
    key_prefix char(12) NOT NULL,
    is_active boolean NOT NULL,
    last_used_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE INDEX agents_user_idx ON agents (user_id, id);
  CREATE INDEX agents_prefix_idx ON agents (key_prefix);

  CREATE TABLE agent_services (
    agent_id integer NOT NULL REFERENCES agents ON DELETE CASCADE,
    service_id integer NOT NULL REFERENCES services ON DELETE CASCADE,
    PRIMARY KEY (agent_id, service_id)
  );
  CREATE INDEX agent_services_service_idx ON agent_services (service_id);

  CREATE TABLE actions (
    id uuid PRIMARY KEY,
    user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
    agent_id integer REFERENCES agents ON DELETE SET NULL,
    agent_name text NOT NULL,
    service_id integer REFERENCES services ON DELETE SET NULL,
    service_name text NOT NULL,
    status text NOT NULL CHECK (status IN ('PENDING', 'APPROVED', 'DENIED', 'EXPIRED', 'EXECUTED')),
    method text NOT NULL,
    target_url text NOT NULL,
    headers json NOT NULL,
    body text,
    -- Set on requests without an idempotency key: at most one of each kind is PENDING.
    dedupe_hash char(64),
    intent text NOT NULL,
    summary text NOT NULL,
    risk_score double precision NOT NULL,
    risk_explanation text NOT NULL,
    risk_source text NOT NULL,
    times_asked integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    resolved_at timestamptz,
    resolved_by integer REFERENCES users ON DELETE SET NULL,
    resolved_by_name text,
    resolution_note text,
    approval_expires_at timestamptz,
    last_polled_at timestamptz,
    -- The claim of a running execution is the id of its audit record.
    claim_id uuid,
    claimed_at timestamptz,
    executed_at timestamptz,
    -- false: the result is the gateway's own 502, 504 or 413.
    result_from_upstream boolean,
    result_status integer,
    result_headers json,
    result_body bytea
  );
  CREATE UNIQUE INDEX actions_pending_dedupe_key ON actions (agent_id, dedupe_hash) WHERE status = 'PENDING';
  CREATE INDEX actions_list_idx ON actions (user_id, created_at DESC, id DESC);
  CREATE INDEX actions_status_idx ON actions (user_id, status, created_at DESC, id DESC);
  CREATE INDEX actions_agent_idx ON actions (agent_id, created_at DESC);
  CREATE INDEX actions_service_idx ON actions (service_id, method, created_at DESC);
  CREATE INDEX actions_pending_expiry_idx ON actions (expires_at) WHERE status = 'PENDING';
  CREATE INDEX actions_approved_expiry_idx ON actions (approval_expires_at) WHERE status = 'APPROVED';

  CREATE TABLE idempotency_records (
    agent_id integer NOT NULL REFERENCES agents ON DELETE CASCADE,
    key text NOT NULL,
    request_hash char(64) NOT NULL,
    method text NOT NULL,
    status text NOT NULL CHECK (status IN ('processing', 'completed', 'failed')),
    -- The id of the audit record of the request that claimed the key.
    claim_id uuid NOT NULL,
    action_id uuid REFERENCES actions ON DELETE CASCADE,
    -- false: the response is the gateway's own 502, 504 or 413.
    response_from_upstream boolean,
    response_status integer,
    response_headers json,
    response_body bytea,
    created_at timestamptz NOT NULL,
    completed_at timestamptz,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (agent_id, key)
  );
  CREATE INDEX idempotency_expiry_idx ON idempotency_records (expires_at);
  CREATE INDEX idempotency_processing_idx ON idempotency_records (created_at) WHERE status = 'processing' AND action_id IS NULL;
  CREATE INDEX idempotency_action_idx ON idempotency_records (action_id) WHERE action_id IS NOT NULL;

  -- No foreign keys: a record outlives the rows that it refers to, and its insert is on the hot path.
  CREATE TABLE audit_records (
    id uuid PRIMARY KEY,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    outcome text NOT NULL,
    user_id integer,
    request_id text,
    agent_id integer,
    agent_name text,
    service_id integer,
    service_name text,
    actor_id integer,
    actor_name text,
    method text,
    url text,
    intent text,
    risk_score double precision,
    risk_explanation text,
    risk_source text,
    reason text,
    details json,
    action_id uuid,
    status integer,
    upstream_status integer,
    duration_ms integer,
    response_bytes integer,
    error text
  );
  CREATE INDEX audit_user_idx ON audit_records (user_id, id);
  CREATE INDEX audit_agent_idx ON audit_records (agent_id, id);
  CREATE INDEX audit_service_idx ON audit_records (service_id, id);
  CREATE INDEX audit_rare_idx ON audit_records (user_id, outcome, id) WHERE outcome <> 'forwarded';
  CREATE INDEX audit_action_idx ON audit_records (action_id) WHERE action_id IS NOT NULL;
`;

/**
 * Everything that decides about requests (agents, scopes, services, credentials, rules, documentation) shares one
 * version number. Every change increments it in its own transaction. Writing an audit record returns it, so that a
 * process detects a stale cache before it forwards anything.
 */
const EPOCH = `
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

/**
 * Triggers emit live events when the transaction of a change commits, regardless of which code made the change
 * (docs/reference/dashboard-api.md#events).
 */
const EVENTS = `
  CREATE FUNCTION emit_action_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('agw_events', json_build_object(
      'type', CASE TG_OP WHEN 'INSERT' THEN 'action.created' ELSE 'action.updated' END,
      'userId', NEW.user_id, 'id', NEW.id, 'status', NEW.status)::text);
    RETURN NULL;
  END $$;
  CREATE TRIGGER actions_created_event AFTER INSERT ON actions
    FOR EACH ROW EXECUTE FUNCTION emit_action_event();
  CREATE TRIGGER actions_updated_event AFTER UPDATE OF status, times_asked ON actions
    FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.times_asked <> NEW.times_asked) EXECUTE FUNCTION emit_action_event();

  CREATE FUNCTION emit_agent_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE agent agents := coalesce(NEW, OLD);
  BEGIN
    PERFORM pg_notify('agw_events', json_build_object('type', 'agent.updated', 'userId', agent.user_id, 'id', agent.id)::text);
    RETURN NULL;
  END $$;
  CREATE TRIGGER agents_changed_event AFTER INSERT OR DELETE OR UPDATE OF name, is_active, key_hash, updated_at ON agents
    FOR EACH ROW EXECUTE FUNCTION emit_agent_event();
  CREATE TRIGGER agents_first_use_event AFTER UPDATE OF last_used_at ON agents
    FOR EACH ROW WHEN (OLD.last_used_at IS NULL AND NEW.last_used_at IS NOT NULL) EXECUTE FUNCTION emit_agent_event();

  CREATE FUNCTION emit_service_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE service services := coalesce(NEW, OLD);
  BEGIN
    PERFORM pg_notify('agw_events', json_build_object('type', 'service.updated', 'userId', service.user_id, 'id', service.id)::text);
    RETURN NULL;
  END $$;
  CREATE TRIGGER services_event AFTER INSERT OR UPDATE OR DELETE ON services
    FOR EACH ROW EXECUTE FUNCTION emit_service_event();

  CREATE FUNCTION emit_service_part_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE owner integer;
  BEGIN
    SELECT user_id INTO owner FROM services WHERE id = coalesce(NEW.service_id, OLD.service_id);
    IF owner IS NOT NULL THEN
      PERFORM pg_notify('agw_events', json_build_object(
        'type', 'service.updated', 'userId', owner, 'id', coalesce(NEW.service_id, OLD.service_id))::text);
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER documents_event AFTER INSERT OR UPDATE OR DELETE ON service_documents
    FOR EACH ROW EXECUTE FUNCTION emit_service_part_event();
  CREATE TRIGGER risk_rules_event AFTER INSERT OR UPDATE OR DELETE ON risk_rules
    FOR EACH ROW EXECUTE FUNCTION emit_service_part_event();
`;

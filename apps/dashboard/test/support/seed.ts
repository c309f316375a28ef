import type { Gateway } from '../../../api/test/support/gateway.js';

async function run(gateway: Gateway, sql: string, values: unknown[]): Promise<void> {
  await gateway.app.database.query(sql, values);
}

/**
 * Creates hundreds of waiting actions and announces them to live streams. The path contains the number of the action.
 */
export async function seedActions(gateway: Gateway, count: number, from = 0): Promise<void> {
  await run(
    gateway,
    `INSERT INTO actions (id, workspace_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers,
       intent, summary, risk_score, risk_explanation, risk_source, created_at, expires_at)
     SELECT gen_random_uuid(), a.workspace_id, a.id, a.name, s.id, s.name, 'PENDING', 'PATCH', s.base_url || '/orders/' || n, '{}',
       'Correct order ' || n, 'PATCH order ' || n, 0.3 + (n % 5) / 10.0, 'Changes an order.', 'model',
       now() - make_interval(secs => ($4 - n)), now() + interval '1 day'
     FROM agents a, services s, generate_series($3::int, $4::int - 1) n
     WHERE a.id = $1 AND s.id = $2`,
    [gateway.agent.id, gateway.service.id, from, from + count],
  );
}

/** Creates numbered agents without services. */
export async function seedAgents(gateway: Gateway, count: number): Promise<void> {
  await run(
    gateway,
    `INSERT INTO agents (user_id, name, key_hash, key_prefix, is_active, created_at, updated_at)
     SELECT a.user_id, 'bot ' || lpad(n::text, 5, '0'), encode(sha256(n::text::bytea), 'hex'), 'agt_' || lpad(to_hex(n), 8, '0'),
       true, now(), now()
     FROM agents a, generate_series(1, $2::int) n WHERE a.id = $1`,
    [gateway.agent.id, count],
  );
}

/** Creates numbered services without credentials. */
export async function seedServices(gateway: Gateway, count: number): Promise<void> {
  await run(
    gateway,
    `INSERT INTO services (user_id, name, base_url, auth_type, created_at, updated_at)
     SELECT s.user_id, 'service ' || lpad(n::text, 5, '0'), 'https://api' || n || '.example.com', 'bearer', now(), now()
     FROM services s, generate_series(1, $2::int) n WHERE s.id = $1`,
    [gateway.service.id, count],
  );
}

/** Creates audited requests, spread over the last thirty days. */
export async function seedAudit(gateway: Gateway, count: number): Promise<void> {
  await run(
    gateway,
    `INSERT INTO audit_records (id, at, kind, outcome, workspace_id, request_id, agent_id, agent_name, service_id, service_name,
       method, url, intent, risk_score, risk_explanation, risk_source, status, upstream_status, duration_ms, response_bytes)
     SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' ||
         substr(md5(n::text), 4, 15))::uuid,
       at, 'request', CASE WHEN n % 20 = 0 THEN 'held' WHEN n % 33 = 0 THEN 'denied' ELSE 'forwarded' END, a.workspace_id,
       gen_random_uuid()::text, a.id, a.name, s.id, s.name, (ARRAY['GET','POST','PUT','DELETE'])[1 + n % 4],
       s.base_url || '/orders/' || n, 'Look after order ' || n, (n % 100) / 100.0, 'Seen before.', 'model', 200, 200,
       20 + n % 300, 500
     FROM agents a, services s,
       LATERAL (SELECT n, now() - make_interval(secs => n * (30 * 86400.0 / $3)) AS at FROM generate_series(1, $3::int) n) rows
     WHERE a.id = $1 AND s.id = $2`,
    [gateway.agent.id, gateway.service.id, count],
  );
  await run(gateway, 'ANALYZE audit_records', []);
}

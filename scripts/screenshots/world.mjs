/**
 * The data in the pictures: three services, four agents, pending requests and a month of history. No request leaves
 * this machine: the history and the pending requests are written into the database.
 */
import { Administrator } from '../demo/gateway-client.mjs';

const STRIPE = {
  openapi: '3.0.0',
  info: { title: 'Stripe API', version: '2026-10-01' },
  servers: [{ url: 'https://api.stripe.com/v1' }],
  paths: {
    '/customers/{customer}': {
      get: { summary: 'Retrieve a customer', responses: {} },
      post: { summary: 'Update a customer', responses: {} },
      delete: {
        summary: 'Delete a customer',
        description: 'Permanently deletes a customer and immediately cancels its subscriptions. This can’t be undone.',
        responses: {},
      },
    },
    '/refunds': {
      post: { summary: 'Create a refund', responses: {} },
      get: { summary: 'List refunds', responses: {} },
    },
    '/invoices': { get: { summary: 'List invoices', responses: {} } },
  },
};

const GITHUB = {
  openapi: '3.0.0',
  info: { title: 'GitHub API', version: '2026-03-10' },
  servers: [{ url: 'https://api.github.com' }],
  paths: {
    '/repos/{owner}/{repo}/issues': { post: { summary: 'Create an issue', responses: {} } },
    '/repos/{owner}/{repo}/pulls/{pull_number}/merge': { put: { summary: 'Merge a pull request', responses: {} } },
  },
};

export const ACCOUNT = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' };

/**
 * @param {string} url
 * @param {import('pg').Client} database
 * @returns {Promise<{stripe: number, github: number, billingBot: number, devBot: number, critical: string}>} ids of the pages to show
 */
export async function makeWorld(url, database) {
  const human = new Administrator(url);
  await human.logIn(ACCOUNT);
  const service = async (/** @type {string} */ name, /** @type {string} */ baseUrl, /** @type {string} */ token) =>
    /** @type {number} */ (
      (await human.send('POST /services', { name, baseUrl, authType: 'bearer', credentials: { token } })).id
    );
  const stripe = await service('Stripe', 'https://api.stripe.com/v1', 'rk_example');
  const github = await service('GitHub', 'https://api.github.com', 'github_pat_example');
  const calendar = await service('Calendar', 'https://www.googleapis.com/calendar/v3', 'ya29.example');
  const describe = (/** @type {number} */ id, /** @type {string} */ title, /** @type {object} */ document) =>
    human.send(`POST /services/${id}/documentation`, { type: 'openapi', title, content: JSON.stringify(document) });
  await describe(stripe, 'Stripe OpenAPI', STRIPE);
  await describe(github, 'GitHub OpenAPI', GITHUB);

  const agent = async (/** @type {string} */ name, /** @type {number[]} */ serviceIds) => {
    const made = await human.send('POST /agents', { name, serviceIds });
    return /** @type {number} */ (made.agent.id);
  };
  const billing = await agent('billing-bot', [stripe]);
  const dev = await agent('dev-bot', [github]);
  const ana = await agent('ana-assistant', [calendar, github]);
  const report = await agent('report-bot', [stripe, github, calendar]);
  const day = new Date(Date.now() + 20 * 3_600_000).toISOString();
  for (const [id, rule] of /** @type {[number, object][]} */ ([
    [stripe, { name: 'Ask before DELETE', effect: 'require_approval', methods: ['DELETE'] }],
    [stripe, { name: 'Reports may read', effect: 'allow', methods: ['GET'], agentIds: [report], expiresAt: day }],
    [stripe, { name: 'No payouts', effect: 'deny', pathPattern: '/payouts/**' }],
    [stripe, { name: 'Large refunds', effect: 'guidance', instruction: 'Refunds above 200 EUR are high risk.' }],
    [github, { name: 'Never delete a repository', effect: 'deny', methods: ['DELETE'], pathPattern: '/repos/*/*' }],
  ])) {
    await human.send(`POST /services/${id}/risk-rules`, rule);
  }
  await writeHistory(database, { stripe, github, calendar });
  await writeCallback(database, billing);

  const json = { 'Content-Type': 'application/json' };
  const waiting = [
    {
      ...{
        agent: ana,
        service: calendar,
        method: 'PUT',
        path: '/calendars/team/events/standup',
        summary: 'PUT event standup of calendar team',
      },
      ...{ headers: json, minutes: 9, score: 0.57, says: 'Moves one meeting of eight people by 30 minutes.' },
      body: JSON.stringify({ summary: 'Stand-up', start: '2026-11-23T09:30:00+01:00', sendUpdates: 'all' }),
      intent: 'Move the stand-up to half past nine, as the team asked',
    },
    {
      ...{
        agent: dev,
        service: github,
        method: 'POST',
        path: '/repos/acme/shop/issues',
        summary: 'Create an issue · repo acme/shop',
      },
      ...{ headers: json, minutes: 6, score: 0.52, says: 'Opens a public issue; the text names an internal host.' },
      body: JSON.stringify({ title: 'Login fails after password reset', labels: ['bug'] }),
      intent: 'File the login bug that three customers reported',
    },
    {
      ...{
        agent: dev,
        service: github,
        method: 'PUT',
        path: '/repos/acme/shop/pulls/218/merge',
        summary: 'Merge a pull request · 218 of repo acme/shop',
      },
      ...{
        headers: json,
        minutes: 4,
        score: 0.73,
        says: 'Merges into main while one required check is still running.',
      },
      body: JSON.stringify({ merge_method: 'squash' }),
      intent: 'Squash and merge the pull request for the checkout page',
    },
    {
      ...{ agent: billing, service: stripe, method: 'POST', path: '/refunds', summary: 'Create a refund' },
      ...{ headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, minutes: 3, score: 0.61 },
      says: 'Money leaves the account: a refund of 420 EUR can’t be taken back.',
      body: 'charge=ch_3Qx81L&amount=42000&reason=duplicate',
      intent: 'Refund the duplicate charge of order 7731',
    },
    {
      ...{
        agent: billing,
        service: stripe,
        method: 'DELETE',
        path: '/customers/cus_42',
        summary: 'Delete a customer · cus_42',
      },
      ...{ headers: {}, body: null, minutes: 1, score: 0.91, intent: 'Clean up the test users' },
      says: 'The intent says “test”, but the customer has live invoices and an active subscription.',
    },
  ];
  let critical = '';
  for (const action of waiting) critical = await hold(database, action);
  return { stripe, github, billingBot: billing, devBot: dev, critical };
}

/** No delivery is due while the pictures are taken, so that nothing is sent. */
async function writeCallback(/** @type {import('pg').Client} */ database, /** @type {number} */ agent) {
  await database.query(`UPDATE agents SET callback_hosts = '{billing.example.com}' WHERE id = $1`, [agent]);
  await database.query(
    `INSERT INTO callbacks (agent_id, url, enabled, encrypted_secret, created_at, updated_at)
     VALUES ($1, 'https://billing.example.com/agent-gateway/callbacks', true, '', now() - interval '9 days', now() - interval '9 days')`,
    [agent],
  );
  await database.query(
    `INSERT INTO callback_deliveries (id, agent_id, type, action_id, occurred_at, state, attempts, last_attempt_at, last_status, last_error,
       next_attempt_at)
     SELECT gen_random_uuid(), $1, type, CASE WHEN type LIKE 'action%' THEN gen_random_uuid() END, now() - ago, state, attempts,
       now() - ago, status, error, CASE WHEN state = 'pending' THEN now() + interval '4 min 30 sec' END
     FROM (VALUES
       ('action.approved', interval '70 sec', 'pending', 2, 503, 'answered 503'),
       ('action.executed', interval '2 hours', 'delivered', 1, 204, NULL),
       ('action.approved', interval '2 hours 1 min', 'delivered', 3, 204, NULL),
       ('action.denied', interval '26 hours', 'failed', 7, NULL, 'connection refused'),
       ('action.expired', interval '3 days', 'delivered', 1, 200, NULL),
       ('callback.test', interval '9 days', 'delivered', 1, 204, NULL)
     ) seen (type, ago, state, attempts, status, error)`,
    [agent],
  );
}

/**
 * Writes a held request as the gateway would. It does not go through the gateway, which would look up the host before
 * it holds the request.
 * @returns {Promise<string>} its id
 */
export async function hold(
  /** @type {import('pg').Client} */ database,
  /** @type {{agent: number, service: number, method: string, path: string, headers: object, body: string | null, intent: string,
   *   summary: string, score: number, says: string, minutes: number}} */ action,
) {
  const { agent, service, method, path, headers, body, intent, summary, score, says, minutes } = action;
  const { rows } = await database.query(
    `INSERT INTO actions (id, workspace_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers, body,
       intent, summary, risk_score, risk_explanation, risk_source, created_at, expires_at, last_polled_at)
     SELECT gen_random_uuid(), a.workspace_id, a.id, a.name, s.id, s.name, 'PENDING', $3, s.base_url || $4, $5, $6, $7, $8, $9, $10, 'model',
       now() - make_interval(mins => $11), now() + make_interval(mins => 60 - $11), now() - interval '4 sec'
     FROM agents a, services s WHERE a.id = $1 AND s.id = $2 RETURNING id`,
    [agent, service, method, path, headers, body, intent, summary, score, says, minutes],
  );
  return rows[0].id;
}

/** A month of history: busier in working hours, one request in twelve needed approval. */
async function writeHistory(
  /** @type {import('pg').Client} */ database,
  /** @type {{stripe: number, github: number, calendar: number}} */ { stripe, github, calendar },
) {
  await database.query(
    `CREATE TEMP TABLE story AS
     SELECT n, at, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' ||
         substr(md5(n::text), 4, 15))::uuid AS id,
       CASE WHEN n % 12 = 0 THEN 'held' WHEN n % 41 = 0 THEN 'refused' ELSE 'forwarded' END AS outcome,
       (ARRAY[$1::int, $1::int, $2::int, $2::int, $3::int])[1 + n % 5] AS service_id,
       CASE WHEN n % 12 = 0 THEN (ARRAY['POST', 'DELETE', 'PATCH', 'PUT'])[1 + (n / 12) % 4]
            ELSE (ARRAY['GET', 'GET', 'GET', 'POST', 'GET', 'PATCH'])[1 + n % 6] END AS method,
       (ARRAY['customers/cus_', 'invoices/in_', 'repos/acme/shop/issues/', 'repos/acme/shop/pulls/', 'calendars/team/events/'])[1 + n % 5]
         || (1000 + n * 7919 % 9000) AS path
     FROM generate_series(1, 2400) n, LATERAL (SELECT now() - make_interval(secs => 30 * 86400.0 * power(n / 2400.0, 1.15)) AS at) t
     WHERE extract(hour FROM at) BETWEEN 7 AND 18 OR n % 5 = 0`,
    [stripe, github, calendar],
  );
  await database.query(`
    INSERT INTO audit_records (id, at, kind, outcome, workspace_id, request_id, agent_id, agent_name, service_id, service_name, method,
      url, intent, risk_score, risk_explanation, risk_source, status, upstream_status, duration_ms, response_bytes)
    SELECT r.id, r.at, 'request', r.outcome, s.workspace_id, gen_random_uuid()::text, a.id, a.name, s.id, s.name, r.method,
      s.base_url || '/' || r.path, (ARRAY['Look up the customer who wrote in', 'Reconcile invoices', 'Triage open issues',
        'Review the pull request', 'Plan the week'])[1 + r.n % 5],
      CASE r.outcome WHEN 'held' THEN 0.45 + (r.n % 50) / 100.0 ELSE 0.04 + (r.n % 37) / 100.0 END, 'As usual for this agent.',
      CASE WHEN r.n % 3 = 0 THEN 'rule' ELSE 'model' END,
      CASE r.outcome WHEN 'held' THEN 428 WHEN 'refused' THEN 403 ELSE 200 END,
      CASE r.outcome WHEN 'forwarded' THEN CASE WHEN r.n % 57 = 0 THEN 404 ELSE 200 END END, 40 + r.n * 31 % 400, 200 + r.n % 3000
    FROM story r JOIN services s ON s.id = r.service_id
    JOIN LATERAL (SELECT a.id, a.name FROM agents a JOIN agent_services x ON x.agent_id = a.id AND x.service_id = s.id
                  ORDER BY (a.id + r.n) % 7, a.id LIMIT 1) a ON true`);
  await database.query(`
    INSERT INTO actions (id, workspace_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers, intent,
      summary, risk_score, risk_explanation, risk_source, created_at, expires_at, resolved_at, resolved_by, resolved_by_name,
      resolution_note, approval_expires_at, executed_at, result_from_upstream, result_status, result_headers, result_body)
    SELECT gen_random_uuid(), workspace_id, agent_id, agent_name, service_id, service_name,
      CASE WHEN rank % 6 = 0 THEN 'DENIED' ELSE 'EXECUTED' END, method, url, '{}',
      CASE method WHEN 'DELETE' THEN 'Remove a record that was created by mistake' WHEN 'POST' THEN 'Add a note about today’s call' ELSE 'Correct the address' END,
      CASE WHEN method = 'DELETE' AND url LIKE '%/customers/%' THEN 'Delete a customer · ' || regexp_replace(url, '^.*/', '')
           WHEN method = 'POST' AND url LIKE '%/customers/%' THEN 'Update a customer · ' || regexp_replace(url, '^.*/', '')
           ELSE method || ' ' || regexp_replace(url, '^.*/([^/]+?)s?/([^/]+)$', '\\1 \\2') END,
      risk_score, risk_explanation, risk_source, at,
      at + interval '1 day', at + make_interval(secs => 20 + rank * 37 % 260), workspace_id, 'Ada',
      CASE WHEN rank % 6 = 0 THEN 'Archive it instead' END, CASE WHEN rank % 6 > 0 THEN at + interval '1 hour' END,
      CASE WHEN rank % 6 > 0 THEN at + interval '6 min' END, CASE WHEN rank % 6 > 0 THEN true END,
      CASE WHEN rank % 6 > 0 THEN 200 END, CASE WHEN rank % 6 > 0 THEN '[]'::json END, CASE WHEN rank % 6 > 0 THEN '\\x7b7d'::bytea END
    FROM (SELECT *, row_number() OVER (ORDER BY at) AS rank FROM audit_records WHERE outcome = 'held') held`);
  await database.query(`
    UPDATE audit_records r SET action_id = a.id, summary = a.summary FROM actions a
    WHERE r.outcome = 'held' AND r.action_id IS NULL AND r.at = a.created_at AND r.url = a.target_url`);
  await database.query(`
    INSERT INTO audit_records (id, at, kind, outcome, workspace_id, request_id, agent_id, agent_name, service_id, service_name, actor_id,
      actor_name, method, url, intent, summary, risk_score, reason, details, action_id)
    SELECT (lpad(to_hex((extract(epoch FROM resolved_at) * 1000)::bigint), 12, '0') || '7' || substr(md5(id::text), 1, 3) || '8' ||
        substr(md5(id::text), 4, 15))::uuid, resolved_at, 'change', 'changed', workspace_id, gen_random_uuid()::text, agent_id, agent_name,
      service_id, service_name, resolved_by, resolved_by_name, method, target_url, intent, summary, risk_score,
      CASE status WHEN 'DENIED' THEN 'action.denied' ELSE 'action.approved' END, json_build_object('note', resolution_note), id
    FROM actions WHERE resolved_at IS NOT NULL`);
  await database.query(
    `UPDATE services SET created_at = now() - interval '90 days',
       credentials_rotated_at = now() - CASE id WHEN $1 THEN interval '41 days' ELSE interval '90 days' END`,
    [github],
  );
  await database.query(
    `UPDATE agents SET created_at = now() - interval '60 days', last_used_at = now() - interval '3 min'`,
  );
}

/**
 * What the pictures show: three services, four agents, requests that wait, and a month of history. No request leaves this
 * machine: what is shown as sent was written into the history, and what waits was only asked for.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Administrator, Agent } from '../demo/gateway-client.mjs';

/** What the model says, by a word of the intent. */
const VERDICTS = [
  ['test users', 1, 'The intent says “test”, but the customer has live invoices and an active subscription.'],
  ['duplicate charge', 0.74, 'Money leaves the account: a refund of 420 EUR can’t be taken back.'],
  ['login bug', 0.62, 'Opens a public issue; the text names an internal host.'],
  ['stand-up', 0.45, 'Moves one meeting of eight people by 30 minutes.'],
  ['merge', 0.83, 'Merges into main while one required check is still running.'],
];

const SPECIFICATION = {
  openapi: '3.0.0',
  info: { title: 'Stripe API', version: '2026-10-01' },
  servers: [{ url: 'https://api.stripe.com/v1' }],
  paths: {
    '/customers/{customer}': {
      get: { summary: 'Retrieve a customer', responses: {} },
      post: { summary: 'Update a customer', responses: {} },
      delete: {
        summary: 'Delete a customer',
        description:
          'Permanently deletes a customer, and cancels its active subscriptions at once. It can’t be undone.',
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

/** @returns {Promise<{url: string, stop: () => void}>} a chat model that knows the stories above */
export async function startModel() {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const [, score, explanation] = VERDICTS.find(([word]) => text.includes(String(word))) ?? [
        '',
        0.1,
        'A plain read.',
      ];
      const content = JSON.stringify({ score, explanation });
      const message = { role: 'assistant', content, refusal: null };
      response.setHeader('Content-Type', 'application/json');
      response.end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 1,
          model: 'fake',
          choices: [{ index: 0, finish_reason: 'stop', message }],
        }),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => server.close() };
}

export const ACCOUNT = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' };

/**
 * @param {string} url
 * @param {import('pg').Client} database
 * @returns {Promise<{stripe: number, billingBot: number, critical: string}>} ids to look at
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
  const content = JSON.stringify(SPECIFICATION);
  await human.send(`POST /services/${stripe}/documentation`, { type: 'openapi', title: 'Stripe OpenAPI', content });

  const agent = async (/** @type {string} */ name, /** @type {number[]} */ serviceIds) => {
    const made = await human.send('POST /agents', { name, serviceIds });
    return { id: /** @type {number} */ (made.agent.id), calls: new Agent(url, name, made.apiKey) };
  };
  const billing = await agent('billing-bot', [stripe]);
  const dev = await agent('dev-bot', [github]);
  const ana = await agent('ana-assistant', [calendar, github]);
  const report = await agent('report-bot', [stripe, github, calendar]);
  const day = new Date(Date.now() + 20 * 3_600_000).toISOString();
  for (const [id, rule] of /** @type {[number, object][]} */ ([
    [stripe, { name: 'Ask before DELETE', effect: 'require_approval', methods: ['DELETE'] }],
    [stripe, { name: 'Reports may read', effect: 'allow', methods: ['GET'], agentIds: [report.id], expiresAt: day }],
    [stripe, { name: 'No payouts', effect: 'deny', pathPattern: '/payouts/**' }],
    [stripe, { name: 'Large refunds', effect: 'guidance', instruction: 'Refunds above 200 EUR are high risk.' }],
    [github, { name: 'Never delete a repository', effect: 'deny', methods: ['DELETE'], pathPattern: '/repos/*/*' }],
  ])) {
    await human.send(`POST /services/${id}/risk-rules`, rule);
  }
  await writeHistory(database, { stripe, github, calendar });

  const ask = async (/** @type {Agent} */ who, /** @type {object} */ request) => {
    const answer = await who.proxy(/** @type {Parameters<Agent['proxy']>[0]} */ (request));
    if (answer.status !== 428) throw new Error(`not held: ${answer.status} ${answer.text}`);
    return /** @type {string} */ (answer.json.action_id);
  };
  const json = { 'Content-Type': 'application/json' };
  await ask(ana.calls, {
    method: 'PUT',
    targetUrl: 'https://www.googleapis.com/calendar/v3/calendars/team/events/standup',
    headers: json,
    body: JSON.stringify({ summary: 'Stand-up', start: '2026-11-23T09:30:00+01:00', sendUpdates: 'all' }),
    intent: 'Move the stand-up to half past nine, as the team asked',
  });
  await ask(dev.calls, {
    method: 'POST',
    targetUrl: 'https://api.github.com/repos/acme/shop/issues',
    headers: json,
    body: JSON.stringify({ title: 'Login fails after password reset', labels: ['bug'] }),
    intent: 'File the login bug that three customers reported',
    idempotencyKey: 'issue-1',
  });
  await ask(dev.calls, {
    method: 'PUT',
    targetUrl: 'https://api.github.com/repos/acme/shop/pulls/218/merge',
    headers: json,
    body: JSON.stringify({ merge_method: 'squash' }),
    intent: 'Squash and merge the pull request for the checkout page',
  });
  await ask(billing.calls, {
    method: 'POST',
    targetUrl: 'https://api.stripe.com/v1/refunds',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'charge=ch_3Qx81L&amount=42000&reason=duplicate',
    intent: 'Refund the duplicate charge of order 7731',
    idempotencyKey: 'refund-7731',
  });
  const critical = await ask(billing.calls, {
    method: 'DELETE',
    targetUrl: 'https://api.stripe.com/v1/customers/cus_42',
    intent: 'Clean up the test users',
  });
  return { stripe, billingBot: billing.id, critical };
}

/** A month of it: busier in working hours, one request in twelve asked for. */
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
    INSERT INTO audit_records (id, at, kind, outcome, user_id, request_id, agent_id, agent_name, service_id, service_name, method,
      url, intent, risk_score, risk_explanation, risk_source, status, upstream_status, duration_ms, response_bytes)
    SELECT r.id, r.at, 'request', r.outcome, s.user_id, gen_random_uuid()::text, a.id, a.name, s.id, s.name, r.method,
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
    INSERT INTO actions (id, user_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers, intent,
      summary, risk_score, risk_explanation, risk_source, created_at, expires_at, resolved_at, resolved_by, resolved_by_name,
      resolution_note, approval_expires_at)
    SELECT gen_random_uuid(), user_id, agent_id, agent_name, service_id, service_name,
      CASE WHEN rank % 6 = 0 THEN 'DENIED' ELSE 'EXPIRED' END, method, url, '{}', intent,
      method || ' ' || regexp_replace(url, '^.*/([^/]+?)s?/([^/]+)$', '\\1 \\2'), risk_score, risk_explanation, risk_source, at,
      at + interval '1 day', at + make_interval(secs => 20 + rank * 37 % 260), user_id, 'Ada',
      CASE WHEN rank % 6 = 0 THEN 'Archive it instead' END, CASE WHEN rank % 6 > 0 THEN at + interval '1 hour' END
    FROM (SELECT *, row_number() OVER (ORDER BY at) AS rank FROM audit_records WHERE outcome = 'held') held`);
  await database.query(`UPDATE services SET credentials_rotated_at = now() - interval '41 days' WHERE id = $1`, [
    github,
  ]);
  await database.query(`UPDATE services SET created_at = now() - interval '90 days'`);
  await database.query(
    `UPDATE agents SET created_at = now() - interval '60 days', last_used_at = now() - interval '3 min'`,
  );
}

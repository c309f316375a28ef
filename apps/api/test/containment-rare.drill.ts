/** Each timer, listener and promise of rarer work in the built gateway fails once, and the process continues. */
import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import type { CreatedAccessToken, CreateAgentResponse, Service } from '#contracts';
import { startNameserver } from '../../../libs/egress/test/nameserver.mjs';
import { call, login, PASSWORD, register } from './support/accounts.js';
import type { ChildGateway } from './support/child-gateway.js';
import { openEvents } from './support/event-stream.js';
import { eventually } from './support/eventually.js';
import { startFakeModel, type FakeModel } from './support/fake-model.js';
import { startFakeUpstream, type FakeUpstream } from './support/fake-upstream.js';
import { RARE } from './support/fault-sites.js';
import { startMailServer, type MailServer } from './support/mail-server.js';
import { McpAgent } from './support/mcp-client.js';
import { drive, startPlantedGateway } from './support/planted-gateway.js';
import { rawRequest } from './support/raw-http.js';
import { createAgent, createRule, createService } from './support/resources.js';

/** More than the sockets between the gateway and a client take. */
const EXPORTED_RECORDS = 30_000;
const LARGE = 200_000;
const STREAMS = 4;
const STREAMED = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } };
const BAD_FORMS = [
  '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nno end',
  `${'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(1001)}--x--\r\n`,
];

let upstream: FakeUpstream;
let model: FakeModel;
let mail: MailServer;
let nameserver: Awaited<ReturnType<typeof startNameserver>>;
let gateway: ChildGateway;
let database: Client;
let workspace: number;
beforeAll(async () => {
  nameserver = await startNameserver({ 'api.test': ['127.0.0.1'], 'silent.test': 'silent' });
  [upstream, model, mail] = await Promise.all([startFakeUpstream(), startFakeModel(), startMailServer()]);
  const { port } = new URL(upstream.url);
  gateway = await startPlantedGateway(
    {
      LLM_BASE_URL: model.url,
      LLM_TIMEOUT_MS: '500',
      RISK_CACHE_SECONDS: '0',
      PRIVATE_TARGET_ALLOWLIST: `${upstream.hostAndPort},api.test:${port}`,
      PRIVATE_CHANNEL_ALLOWLIST: upstream.hostAndPort,
      PUBLIC_URL: 'https://gateway.example.com',
      SMTP_URL: mail.url,
      MAIL_FROM: 'gateway@example.com',
      OIDC_ISSUER: upstream.url,
      OIDC_CLIENT_ID: 'gateway',
      OIDC_CLIENT_SECRET: 'secret',
      OIDC_NAME: 'Example',
      JWT_ACCESS_EXPIRY: '1h',
      PLANTED_NAMESERVER: nameserver.address,
    },
    {
      limitsMs: {
        'client: setTimeout in withinTimeout': 500,
        'delivery-loop: setTimeout in setTimer': 100,
        // So that a probe is often in progress when the connection ends.
        'event-hub: setTimeout in scheduleProbe': 1,
        'event-hub: setTimeout in scheduleListen': 10,
        'events.controller: setTimeout in stream': 500,
        // Requests whose own listener failed never end, and the stop would wait for them.
        'drain: setTimeout in closed': 1000,
        'exchange: setTimeout in constructor': 2000,
        'mailer: setTimeout in send': 500,
        'mailer: setTimeout in takeConnection': 200,
        'name-resolver: setTimeout in search': 1000,
      },
    },
  );
  database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
  workspace = (await register(gateway, 'ada@example.com')).id;
});
afterAll(async () => {
  await database?.end();
  await gateway?.stop();
  await Promise.all([upstream.close(), model.close(), mail.close(), nameserver.close()]);
});

const token = async (): Promise<string> => (await login(gateway, 'ada@example.com')).accessToken;

/** What the API answers, by the end of the path. */
function answerByPath(): void {
  upstream.answer(({ path }, response) => {
    const sse = { 'Content-Type': 'text/event-stream' };
    if (path.endsWith('/hang')) return;
    if (path.endsWith('/token')) {
      const body = JSON.stringify({ access_token: 'a', token_type: 'bearer', expires_in: 1 });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
    } else if (path.endsWith('/hook')) response.writeHead(500).end();
    else if (path.endsWith('/stream')) response.writeHead(200, sse).end('data: 1\n\n');
    else if (path.endsWith('/large')) response.end('x'.repeat(LARGE));
    else if (path.endsWith('/zipped')) response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('{}'));
    else if (path.endsWith('/broken')) response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('not gzip');
    else if (path.endsWith('/upgrade')) {
      response.socket!.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    } else response.end('{}');
  });
}

it('continues to serve after each of its timers, listeners and promises has failed', async () => {
  answerByPath();
  const { port } = new URL(upstream.url);
  const first = await token();
  const made = (fields: object): Promise<Service> => createService(gateway, first, fields);
  const api = await made({ name: 'Api', baseUrl: `${upstream.url}/v1` });
  const named = await made({ name: 'Named', baseUrl: `http://api.test:${port}/v1` });
  const missing = await made({ name: 'Missing', baseUrl: 'https://missing.test' });
  const silent = await made({ name: 'Silent', baseUrl: 'https://silent.test' });
  const oauth = {
    grant: 'client_credentials',
    tokenUrl: `${upstream.url}/token`,
    clientId: 'a',
    scopes: [],
    tokenAuth: 'basic',
  };
  const connected = await made({
    name: 'Connected',
    baseUrl: `${upstream.url}/v2`,
    authType: 'oauth2',
    oauth,
    credentials: { client_secret: 'planted-client-secret' },
  });
  const services = [api, named, missing, silent, connected].map(({ id }) => id);
  for (const id of [api.id, silent.id]) {
    await createRule(gateway, first, id, { name: 'ask', effect: 'require_approval', methods: ['DELETE'] });
  }
  const { apiKey } = await createAgent(gateway, first, services);
  const channel = { type: 'webhook', name: 'Failing', target: `${upstream.url}/hook` };
  expect((await call(gateway, 'POST /channels', { token: first, body: channel })).status).toBe(201);
  const gatewayPort = Number(new URL(gateway.url).port);
  let serial = 0;
  const raw = (...lines: string[]): Promise<unknown> =>
    rawRequest(gatewayPort, [[...lines, '', ''].join('\r\n')], AbortSignal.timeout(2000));
  const below = async (service: string, path: string, init: RequestInit = {}): Promise<string> => {
    const headers = { 'Agent-Key': apiKey, 'X-Intent': 'look', 'Idempotency-Key': `k${++serial}`, ...init.headers };
    return (await fetch(`${gateway.url}/s/${service}${path}`, { ...init, headers })).text();
  };
  const held = async (): Promise<string> => {
    const body = { method: 'DELETE', targetUrl: `${api.baseUrl}/customers/${++serial}`, intent: 'remove' };
    const headers = { 'Agent-Key': apiKey };
    return (await call<{ action_id: string }>(gateway, 'POST /proxy', { headers, body })).body.action_id;
  };
  const EXPORT = '/audit/export?format=ndjson';
  await below('Api', '/seed');
  await database.query(
    `INSERT INTO audit_records SELECT copy.*
     FROM (SELECT r FROM audit_records r LIMIT 1) one (record), generate_series(1, $1::int) n,
     jsonb_populate_record(record, jsonb_build_object('id', md5(n::text)::uuid, 'intent', repeat('x', 1000))) copy`,
    [EXPORTED_RECORDS],
  );
  mail.hang(true);

  await drive(gateway, RARE, [
    () => below('Api', '/large'),
    () => below('Api', '/zipped'),
    () => below('Api', '/broken'),
    () => below('Api', '/upgrade'),
    () => below('Api', '/hang'),
    // Each part of the chain that fails ends one of them.
    ...Array.from({ length: STREAMS }, () => () => below('Api', '/stream', STREAMED)),
    () => below('Named', '/customers'),
    () => below('Missing', '/customers'),
    () => below('Silent', '/customers', { method: 'DELETE' }),
    () => below('Connected', '/customers'),
    ...BAD_FORMS.map(
      (body) => () =>
        below('Api', '/form', { method: 'PUT', body, headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }),
    ),
    async () => {
      model.answer('hang');
      await below('Api', `/scored/${++serial}`, { method: 'PATCH', body: 'x' }).finally(() =>
        model.answer({ score: 0 }),
      );
    },
    () => raw('CONNECT api.test:443 HTTP/1.1', 'Host: api.test:443'),
    () => raw('POST /proxy HTTP/1.1', 'Host: x', 'Expect: something', 'Content-Length: 0'),
    () => raw(...Array<string[]>(3).fill(['GET /health HTTP/1.1', 'Host: x', '']).flat()),
    async () => {
      const actionId = await held();
      const headers = { 'Agent-Key': apiKey, Prefer: 'wait=20' };
      await database.query(`UPDATE actions SET expires_at = now() + interval '2 seconds' WHERE id = $1`, [actionId]);
      await call(gateway, `GET /status/${actionId}`, { headers });
    },
    async () => {
      const agent = await McpAgent.connect(gateway.url, { 'Agent-Key': apiKey });
      const targetUrl = `${api.baseUrl}/customers/mcp`;
      const given = { method: 'DELETE', targetUrl, intent: 'remove', waitSeconds: 3 };
      const gone = new AbortController();
      const asked = { onprogress: () => undefined };
      await agent.call('request', given, asked).catch(() => undefined);
      const other = agent.call(
        'request',
        { ...given, waitSeconds: 20 },
        {
          onprogress: () => gone.abort(),
          signal: gone.signal,
        },
      );
      await other.catch(() => undefined);
      await agent.close();
    },
    async () => {
      const headers = { Authorization: `Bearer ${await token()}` };
      await (await fetch(gateway.url + EXPORT, { headers })).text();
    },
    () => fetch(`${gateway.url}/auth/oidc/start`, { redirect: 'manual' }),
    async () => {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const body = { name: 'ci', workspaceId: workspace, role: 'admin', expiresAt, currentPassword: PASSWORD };
      const { body: made } = await call<CreatedAccessToken>(gateway, 'POST /auth/tokens', {
        token: await token(),
        body,
      });
      await call(gateway, 'GET /services', { token: made.token });
      await call(gateway, `DELETE /auth/tokens/${made.id}`, { token: await token() });
    },
    async () => {
      // More than the connections to the mail server.
      const session = await token();
      const invite = (): Promise<unknown> => {
        const body = { role: 'approver', email: `guest${++serial}@example.com` };
        return call(gateway, `POST /workspaces/${workspace}/invitations`, { token: session, body });
      };
      await Promise.all(Array.from({ length: 8 }, invite));
    },
    async () => (await openEvents(gateway.url, await token())).ended,
    async () => {
      const body = { name: `once ${++serial}`, serviceIds: [api.id] };
      const { body: other } = await call<CreateAgentResponse>(gateway, 'POST /agents', { token: await token(), body });
      const request = { method: 'GET', targetUrl: `${api.baseUrl}/customers`, intent: 'look' };
      await call(gateway, 'POST /proxy', { headers: { 'Agent-Key': other.apiKey }, body: request });
    },
    async () => {
      const session = await token();
      await database.query('BEGIN; LOCK TABLE risk_rules IN ACCESS EXCLUSIVE MODE');
      // It fails, because it waits too long for the table.
      const asked = call(gateway, `GET /services/${api.id}/risk-rules`, { token: session });
      await asked.finally(() => database.query('ROLLBACK'));
    },
    async () => {
      // The pool then opens new ones.
      await database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'agent-gateway' AND datname = current_database()`,
      );
      await token().catch(() => undefined);
    },
    async () => {
      // Several times, because a probe is in progress at one end in four.
      for (let end = 0; end < 10; end++) {
        await eventually(async () => {
          const { rows } = await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name LIKE 'agent-gateway-events %' AND datname = current_database() AND query = 'SELECT 1'`);
          return rows.length > 0;
        });
      }
    },
  ]);

  // Each one has failed once. From here on all of them work.
  model.answer({ score: 0 });
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  await eventually(async () => (await below('Api', '/customers')) === '{}');
  await eventually(async () => (await below('Named', '/customers')) === '{}');
});

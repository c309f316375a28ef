import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { AuthType, CreateAgentResponse, HeldResponse, LoginResponse, Service, TokenPair } from '#contracts';
import { apiRoutes } from '../support/api-routes.js';
import { startChildGateway, type ChildGateway } from '../support/child-gateway.js';
import { dumpDatabase } from '../support/database-dump.js';
import { createDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { startFakeModel, type FakeModel } from '../support/fake-model.js';
import { leaksIn, type Sighting } from '../support/leak-search.js';
import { echo } from './secrets/echo.js';
import { PLANTED } from './secrets/planted.js';
import { Recorder, type Exchange } from './secrets/recorder.js';
import { SPELLINGS } from './secrets/spellings.js';

/**
 * Puts recognisable values in every place that holds a secret, and calls the whole API with valid and invalid requests.
 * Then searches everything that left the gateway for these values: responses, log lines at the finest level, prompts,
 * the database, exports and crash output.
 */

const recorder = new Recorder(() => gateway.url);
const { seen } = recorder;
const exchange = <T = Record<string, unknown>>(route: string, options: Exchange<T> = {}) =>
  recorder.exchange(route, options);
/** Secrets that the test creates later. */
const issued: Record<string, string> = {};

let gateway: ChildGateway;
let model: FakeModel;
let upstream: Server;
let upstreamOrigin: string;
let database: Client;
let directory: string;
let session: LoginResponse;

beforeAll(async () => {
  model = await startFakeModel();
  upstream = createServer(echo).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  upstreamOrigin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  directory = mkdtempSync(join(tmpdir(), 'agw-crash-'));
  gateway = await startChildGateway(environment(await createDatabase()), crashOnSignal());
  database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
});

afterAll(async () => {
  await database?.end();
  await gateway?.stop();
  await model?.close();
  upstream?.closeAllConnections();
  upstream?.close();
  rmSync(directory, { recursive: true, force: true });
});

function environment(databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    JWT_SECRET: PLANTED.jwtSecret,
    ENCRYPTION_SECRET: PLANTED.encryptionSecret,
    ENCRYPTION_SALT: PLANTED.encryptionSalt,
    LLM_BASE_URL: model.url.replace('//', `//user:${PLANTED.llmPassword}@`),
    LLM_API_KEY: PLANTED.llmKey,
    LLM_TIMEOUT_MS: '10000',
    SETUP_TOKEN: PLANTED.setupToken,
    RISK_CACHE_SECONDS: '0',
    LOG_LEVEL: 'trace',
    PRIVATE_TARGET_ALLOWLIST: new URL(upstreamOrigin).host,
  };
}

/** Makes the gateway fail outside of any handler, with an error that carries everything. */
function crashOnSignal(): string {
  const file = join(directory, 'crash.cjs');
  writeFileSync(
    file,
    `process.on('SIGUSR2', () => {
      const error = new Error('forced', { cause: Object.assign(new Error('inner'), { parameters: [process.env.JWT_SECRET] }) });
      Promise.reject(Object.assign(error, { config: process.env, parameters: Object.values(process.env) }));
    });`,
  );
  return file;
}

let keys = 0;
const proxy = (agentKey: string, base: string, query: string, extra: object = {}) =>
  exchange<HeldResponse>('POST /proxy', {
    headers: { 'Agent-Key': agentKey },
    body: {
      targetUrl: `${base}/echo?${query}`,
      method: 'GET',
      intent: `look ${++keys}`,
      idempotencyKey: `key-${keys}`,
      ...extra,
    },
  });

function remember(body: object): string[] {
  const tokens = body as TokenPair;
  if (tokens.refreshToken) issued[`refresh token ${Object.keys(issued).length}`] = tokens.refreshToken;
  if (tokens.accessToken) issued[`access token ${Object.keys(issued).length}`] = tokens.accessToken;
  return [tokens.refreshToken, tokens.accessToken].filter(Boolean);
}

function rememberKey({ apiKey }: Partial<CreateAgentResponse>): string[] {
  if (!apiKey) return [];
  issued[`agent key ${Object.keys(issued).length}`] = apiKey;
  return [apiKey];
}

const leaks = (sighting: Sighting): string[] => leaksIn(sighting, { ...PLANTED, ...issued });

const agentKeys: string[] = [];
const bases: string[] = [];

it('calls the account endpoints: registration, log-in, refusals, changes', async () => {
  const email = 'ada@example.com';
  const account = { email, password: PLANTED.password };
  expect(
    (await exchange('POST /auth/register', { body: { ...account, setupToken: PLANTED.wrongPassword } })).status,
  ).toBe(403);
  expect((await exchange('POST /auth/register', { body: { ...account, setupToken: PLANTED.setupToken } })).status).toBe(
    201,
  );
  expect((await exchange('POST /auth/login', { body: { email, password: PLANTED.wrongPassword } })).status).toBe(401);
  await exchange('POST /auth/login', { body: `{"email":"${email}","password":"${PLANTED.password}"` });
  await exchange('POST /auth/login', { body: { email: PLANTED.password, password: [PLANTED.password] } });
  const mayHold = remember;
  session = (await exchange<LoginResponse>('POST /auth/login', { body: account, mayHold })).body;
  const body = { currentPassword: PLANTED.wrongPassword, newPassword: PLANTED.newPassword };
  const token = session.accessToken;
  expect((await exchange('POST /auth/password', { token, body })).status).toBe(403);
  expect(
    (await exchange('POST /auth/password', { token, body: { ...body, currentPassword: PLANTED.password } })).status,
  ).toBe(200);
  const spent = session.refreshToken;
  session = (
    await exchange<LoginResponse>('POST /auth/login', { body: { email, password: PLANTED.newPassword }, mayHold })
  ).body;
  const other = (
    await exchange<LoginResponse>('POST /auth/login', { body: { email, password: PLANTED.newPassword }, mayHold })
  ).body;
  const { refreshToken } = other;
  expect((await exchange<TokenPair>('POST /auth/refresh', { body: { refreshToken }, mayHold })).status).toBe(200);
  expect((await exchange('POST /auth/refresh', { body: { refreshToken } })).status).toBe(401);
  expect((await exchange('POST /auth/refresh', { body: { refreshToken: `${spent}x` } })).status).toBe(401);
  await exchange('POST /auth/logout', { body: { refreshToken: spent } });
  expect((await exchange('GET /auth/me', { token: `${other.accessToken}x` })).status).toBe(401);
  await exchange('GET /auth/me', { headers: { Authorization: PLANTED.jwtSecret } });
});

it('calls the endpoints of services and agents: create, change, read, refusals', async () => {
  const token = session.accessToken;
  const services: [string, AuthType, Record<string, string>][] = [
    ['bearer', 'bearer', { token: PLANTED.replaced }],
    ['oauth', 'oauth2', { access_token: PLANTED.oauth }],
    ['basic', 'basic', { username: 'planted-user', password: PLANTED.basicPassword }],
    ['keys', 'api_key', { api_key: PLANTED.apiKey, 'X-Custom': PLANTED.customKey }],
  ];
  const ids: number[] = [];
  for (const [name, authType, credentials] of services) {
    bases.push(`${upstreamOrigin}/${name}`);
    const body = { name, baseUrl: bases.at(-1), authType, credentials };
    const made = await exchange<Service>('POST /services', { token, body });
    expect(made.status).toBe(201);
    ids.push(made.body.id);
    // Refused together with the value.
    await exchange('POST /services', { token, body: { ...body, baseUrl: 'nonsense' } });
    const broken = Object.fromEntries(Object.entries(credentials).map(([key, value]) => [key, `${value}\n`]));
    await exchange('POST /services', { token, body: { ...body, credentials: broken } });
    await exchange('POST /services', { token, body: { ...body, credentials: Object.values(credentials) } });
    await exchange('POST /services', { token, body: { ...body, authType: Object.values(credentials)[0] } });
    await exchange(`POST /services/${made.body.id}/test`, { token, body: { path: '/echo?as=raw&headers' } });
  }
  const credentials = { token: PLANTED.bearer };
  expect((await exchange(`POST /services/${ids[0]}/credentials`, { token, body: { credentials } })).status).toBe(200);
  await exchange(`POST /services/999/credentials`, { token, body: { credentials } });
  for (const name of ['first', 'second']) {
    const body = { name: `${name}-bot`, serviceIds: ids };
    const made = await exchange<CreateAgentResponse>('POST /agents', { token, body, mayHold: rememberKey });
    agentKeys.push(made.body.apiKey);
  }
  const rotated = await exchange<CreateAgentResponse>('POST /agents/2/rotate-key', { token, mayHold: rememberKey });
  agentKeys.push(rotated.body.apiKey);
  for (const key of [agentKeys[1], `${agentKeys[0]}0`, agentKeys[0].slice(0, -1), PLANTED.bearer]) {
    expect((await proxy(key, bases[0], '')).status).toBe(401);
  }
});

it('forwards to an upstream that echoes each kind of credential, in each encoding, place and form', async () => {
  const [key] = agentKeys;
  for (const base of bases) {
    for (const as of Object.keys(SPELLINGS)) {
      const spelled = `as=${encodeURIComponent(as)}`;
      for (const form of ['', '&headers', '&chunks']) {
        const answer = await proxy(key, base, spelled + form);
        expect([base, as, answer.status]).toEqual([base, as, 200]);
        expect([base, as, answer.text.includes('[REDACTED]')]).toEqual([base, as, true]);
      }
    }
    for (const coding of ['gzip', 'deflate', 'br']) {
      const answer = await proxy(key, base, `as=raw&coding=${coding}`);
      expect([coding, answer.text.includes('before'), answer.text.includes('[REDACTED]')]).toEqual([
        coding,
        true,
        true,
      ]);
    }
    for (const status of [201, 301, 401, 404, 500, 503]) {
      expect((await proxy(key, base, `as=raw&headers&status=${status}`)).status).toBe(status);
    }
    for (const type of [
      'application/json',
      'text/html',
      'none',
      'application/octet-stream',
      'multipart/mixed; boundary=x',
    ]) {
      await proxy(key, base, `as=raw&type=${encodeURIComponent(type)}`);
    }
    await proxy(key, base, 'as=raw&headers', { method: 'HEAD' });
  }
});

it('holds, decides, executes, replays, lists and exports requests', async () => {
  const [key] = agentKeys;
  const token = session.accessToken;
  const events = new AbortController();
  const stream = await fetch(`${gateway.url}/events`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: events.signal,
  });
  let streamed = '';
  const reading = (async () => {
    for await (const chunk of stream.body!) streamed += Buffer.from(chunk as Uint8Array).toString();
  })().catch(() => undefined);
  model.answer({ score: 1, explanation: 'dangerous' });
  const as = { 'Agent-Key': key };
  for (const base of bases) {
    const write = {
      method: 'POST',
      body: '{"a":1}',
      headers: { Authorization: `Bearer ${key}`, 'Agent-Key': key, Cookie: `k=${key}` },
    };
    const held = await proxy(key, base, 'as=raw&headers', write);
    expect(held.status).toBe(428);
    const id = held.body.action_id;
    await exchange(`GET /approvals/${id}/context`, { token });
    await exchange(`PATCH /approvals/${id}/approve`, { token, body: { note: 'go on' } });
    expect((await exchange(`POST /proxy/execute/${id}`, { headers: as })).text).toContain('[REDACTED]');
    expect((await exchange(`GET /status/${id}`, { headers: as })).text).toContain('[REDACTED]');
    await exchange(`GET /approvals/${id}`, { token });
  }
  model.answer({ score: 0 });
  for (let n = 0; n < 2; n += 1) {
    const body = {
      targetUrl: `${bases[0]}/echo?as=json`,
      method: 'POST',
      body: 'x',
      intent: 'again',
      idempotencyKey: 'same',
    };
    expect((await exchange('POST /proxy', { headers: as, body })).text).toContain('[REDACTED]');
  }
  await eventually(() => streamed.includes('action.updated'));
  events.abort();
  await reading;
  seen.push({ where: 'GET /events', text: streamed });
  for (const format of ['csv', 'ndjson']) await exchange(`GET /audit/export?format=${format}`, { token });
  expect(seen.at(-1)!.text).toContain('forwarded');
});

it('provokes failures: a model that quotes its key, and a database without a table', async () => {
  const token = session.accessToken;
  const [key] = agentKeys;
  model.answer({
    status: 401,
    body: { error: { message: `Incorrect API key provided: ${PLANTED.llmKey}`, type: 'x' } },
  });
  expect((await proxy(key, bases[0], 'as=raw', { method: 'PUT', body: 'x' })).status).toBe(428);
  model.answer({ score: 0 });
  const account = { email: 'ada@example.com', password: PLANTED.newPassword };
  const credentials = { token: PLANTED.bearer };
  const tries = async (): Promise<number[]> => [
    (await exchange('POST /auth/login', { body: account, mayHold: remember })).status,
    (await exchange('POST /auth/refresh', { body: { refreshToken: session.refreshToken } })).status,
    (
      await exchange('POST /services', {
        token,
        body: { name: 'x', baseUrl: bases[0], authType: 'bearer', credentials },
      })
    ).status,
    (await exchange('POST /services/1/credentials', { token, body: { credentials } })).status,
    (await exchange('POST /agents', { token, body: { name: 'third', serviceIds: [1] }, mayHold: rememberKey })).status,
    (await proxy(key, bases[0], 'as=raw')).status,
    (await proxy(key, bases[1], 'as=raw', { method: 'POST', body: 'x' })).status,
  ];
  const failures = [];
  for (const table of [
    'credentials',
    'sessions',
    'agents',
    'agent_services',
    'audit_records',
    'idempotency_records',
    'users',
  ]) {
    await database.query(`ALTER TABLE ${table} RENAME TO ${table}_away`);
    failures.push(...(await tries()));
    await database.query(`ALTER TABLE ${table}_away RENAME TO ${table}`);
  }
  expect(failures.filter((status) => status === 500).length).toBeGreaterThan(10);
});

it('calls every endpoint without changes', async () => {
  const login = { email: 'ada@example.com', password: PLANTED.newPassword };
  session = (await exchange<LoginResponse>('POST /auth/login', { body: login, mayHold: remember })).body;
  for (const { method, path, guard, params } of await apiRoutes(gateway)) {
    if (path === '/events' || method === 'DELETE' || path.endsWith('rotate-key')) continue;
    const filled = params.reduce((url, name) => url.replace(`{${name}}`, '1'), path);
    const headers: Record<string, string> = guard === 'agentKey' ? { 'Agent-Key': agentKeys[0] } : {};
    const token = guard === 'bearer' ? session.accessToken : undefined;
    // Node sends a request body without either of these headers.
    const body = /^(GET|HEAD)$/.test(method) ? undefined : {};
    await exchange(`${method} ${filled}`, { token, headers, body });
  }
  const status = await exchange('GET /admin/status', { token: session.accessToken });
  expect(status.body).toMatchObject({ config: expect.arrayContaining([expect.objectContaining({ value: 'set' })]) });
  for (const path of ['/docs', '/openapi.json', '/dashboard', '/nowhere']) await exchange(`GET ${path}`);
});

it('starts a process that fails, and causes an error that nothing catches', async () => {
  const away = environment('postgres://someone:planted-database-password@127.0.0.1:9/none');
  issued['database password'] = 'planted-database-password';
  for (const settings of [
    away,
    { ...away, PORT: PLANTED.jwtSecret, NODE_ENV: PLANTED.llmKey, TRUST_PROXY: PLANTED.apiKey },
  ]) {
    const failed = await startChildGateway(settings);
    expect([failed.url, await failed.exited]).toEqual(['', 1]);
    expect(failed.output().length).toBeGreaterThan(20);
    seen.push({ where: 'failed start', text: failed.output() });
  }
  gateway.kill('SIGUSR2');
  await eventually(() => gateway.output().includes('forced'));
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
});

it('finds none of the secrets anywhere', async () => {
  seen.push({ where: 'log', text: gateway.output() });
  seen.push(...model.calls.map(({ body }) => ({ where: 'prompt', text: JSON.stringify(body) })));
  const dump = await dumpDatabase(async (sql) => (await database.query<Record<string, unknown>>(sql)).rows);
  for (const [table, rows] of Object.entries(dump)) seen.push({ where: `table ${table}`, text: rows.join('\n') });
  expect(Object.values(dump).flat().length).toBeGreaterThan(100);
  expect(seen.length).toBeGreaterThan(400);
  expect(Object.keys(issued).length).toBeGreaterThan(10);
  expect(seen.flatMap((sighting) => leaks(sighting).map((name) => `${name} in ${sighting.where}`))).toEqual([]);
  // The search works: it finds the prefix of a key, which the gateway may show.
  const prefix = agentKeys[0].slice(0, 12);
  expect(seen.some(({ text }) => text.includes(prefix))).toBe(true);
  expect(seen.some(({ text }) => text.includes(agentKeys[0].slice(0, 13)))).toBe(false);
  for (const spell of Object.values(SPELLINGS))
    expect(leaks({ where: '', text: spell(PLANTED.customKey) })).toEqual(['customKey']);
});

/** A gateway as in production, on a real, durable PostgreSQL, with a user, a service and an agent. */
import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import pg from 'pg';
import { freePort } from '../../scripts/lib/free-port.mjs';
import { startPostgres } from '../../scripts/lib/postgres.mjs';
import { RECOMMENDED_EFFECTS } from '../../dist/libs/contracts/src/effects.js';
import { ENVIRONMENT, START } from '../../scripts/lib/production.mjs';

/** @param dataDir a directory for a database that is kept and reused; without it: a new database */
export async function startGateway({ upstreamPort, modelPort, environment = {}, dataDir }) {
  const directory = dataDir ?? mkdtempSync(join(tmpdir(), 'agw-bench-'));
  const kept = join(directory, 'kept.json');
  const known = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : null;
  const password = known?.password ?? randomUUID();
  const encryptionSecret = known?.encryptionSecret ?? randomUUID();
  const postgres = await startPostgres({ dataDir: directory, durable: true });
  const port = await freePort();
  const child = spawn(process.execPath, [...(process.env.BENCH_NODE_FLAGS?.split(' ') ?? []), ...START], {
    env: {
      ...process.env,
      ...ENVIRONMENT,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: postgres.url,
      JWT_SECRET: randomUUID(),
      ENCRYPTION_SECRET: encryptionSecret,
      LLM_BASE_URL: `http://127.0.0.1:${modelPort}/v1`,
      LLM_API_KEY: 'none',
      PRIVATE_TARGET_ALLOWLIST: `127.0.0.1:${upstreamPort}`,
      ...environment,
    },
    stdio: ['ignore', process.env.BENCH_LOG ? 'inherit' : 'ignore', 'inherit'],
  });
  const origin = `http://127.0.0.1:${port}`;
  await ready(origin, child);
  const call = async (method, path, body, token) => {
    const response = await fetch(origin + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  if (!known) await call('POST', '/auth/register', { email: 'bench@example.com', password });
  const { accessToken } = await call('POST', '/auth/login', { email: 'bench@example.com', password });
  const baseUrl = (name) => `http://127.0.0.1:${upstreamPort}/${name}`;
  const service = async (name) => {
    const credentials = { token: 'upstream-token-0123456789' };
    const { id } = await call(
      'POST',
      '/services',
      { name, baseUrl: baseUrl(name), authType: 'bearer', credentials },
      accessToken,
    );
    return id;
  };
  let apiKey = known?.apiKey;
  if (known) {
    for (const [name, id] of Object.entries(known.services)) {
      await call('PUT', `/services/${id}`, { baseUrl: baseUrl(name) }, accessToken);
    }
  } else {
    const services = {
      ruled: await service('ruled'),
      unruled: await service('unruled'),
      judged: await service('judged'),
    };
    for (const [name, id] of Object.entries(services)) {
      if (name === 'unruled') continue;
      await call('POST', `/services/${id}/risk-rules`, { name: 'allow', effect: 'allow' }, accessToken);
    }
    await judge(services.judged, (method, path, body) => call(method, path, body, accessToken));
    const agent = { name: 'bench', serviceIds: Object.values(services) };
    ({ apiKey } = await call('POST', '/agents', agent, accessToken));
    if (dataDir) writeFileSync(kept, JSON.stringify({ password, encryptionSecret, apiKey, services }), { mode: 0o600 });
  }
  return {
    origin,
    apiKey,
    accessToken,
    password,
    known: known !== null,
    postgresLog: join(directory, 'postgres.log'),
    pid: child.pid,
    postgresPid: await postmasterPid(postgres.url),
    databaseUrl: postgres.url,
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
      await postgres.stop();
      // A gigabyte or two after some runs.
      if (!dataDir) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Gives a service what a careful team has: a description, the recommended `askFor`, and 20 rules in all, 5 of them with
 * conditions that read the request. The benchmark's requests match only the rule that allows.
 */
async function judge(id, call) {
  const responses = { 200: { description: 'Done' } };
  const content = JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Shop', version: '1' },
    paths: {
      '/customers/{id}': { get: { summary: 'Get a customer', responses } },
      '/customers/{id}/notes': { post: { summary: 'Add a note to a customer', responses } },
    },
  });
  await call('POST', `/services/${id}/documentation`, { type: 'openapi', title: 'Shop', content });
  await call('PUT', `/services/${id}`, { askFor: RECOMMENDED_EFFECTS });
  const conditions = [
    'has(request.body.amount) && int(request.body.amount) > 500',
    'request.body.orders.exists(o, o.quantity > 100)',
    'request.method != "GET" && has(request.body.force) && request.body.force != false',
    'effects.exists(e, e in ["money", "permissions"])',
    'graphql != null && graphql.type == "mutation"',
  ];
  const rules = [
    ...conditions.map((when) => ({ effect: 'require_approval', methods: ['POST'], when })),
    ...Array.from({ length: 14 }, (_, index) => ({ effect: 'deny', pathPattern: `/resource${index}/**` })),
  ];
  for (const [index, rule] of rules.entries()) {
    await call('POST', `/services/${id}/risk-rules`, { name: `rule ${index}`, ...rule });
  }
}

async function ready(origin, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error('the gateway did not start; see BENCH_LOG=1');
    const ok = await fetch(`${origin}/ready`).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The postmaster: the parent of every connection's process. */
export async function postmasterPid(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const stat = readFileSync(`/proc/${rows[0].pid}/stat`, 'utf8');
  await client.end();
  return Number(stat.replace(/^.*\) /, '').split(' ')[1]);
}

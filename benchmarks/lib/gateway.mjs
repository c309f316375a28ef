/** A gateway as in production, on a real, durable PostgreSQL, with a user, a service and an agent. */
import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import pg from 'pg';
import { startPostgres } from '../../scripts/lib/postgres.mjs';

const PASSWORD = randomUUID();

export async function startGateway({ upstreamPort, modelPort, environment = {} }) {
  const postgres = await startPostgres({ dataDir: mkdtempSync(join(tmpdir(), 'agw-bench-')), durable: true });
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [...(process.env.BENCH_NODE_FLAGS?.split(' ') ?? []), 'dist/apps/api/src/main.js'],
    {
      env: {
        ...process.env,
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        DATABASE_URL: postgres.url,
        JWT_SECRET: randomUUID(),
        ENCRYPTION_SECRET: randomUUID(),
        LLM_BASE_URL: `http://127.0.0.1:${modelPort}/v1`,
        LLM_API_KEY: 'none',
        PRIVATE_TARGET_ALLOWLIST: `127.0.0.1:${upstreamPort}`,
        ...environment,
      },
      stdio: ['ignore', process.env.BENCH_LOG ? 'inherit' : 'ignore', 'inherit'],
    },
  );
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
  await call('POST', '/auth/register', { email: 'bench@example.com', password: PASSWORD });
  const { accessToken } = await call('POST', '/auth/login', { email: 'bench@example.com', password: PASSWORD });
  const service = async (name) => {
    const { id } = await call(
      'POST',
      '/services',
      {
        name,
        baseUrl: `http://127.0.0.1:${upstreamPort}/${name}`,
        authType: 'bearer',
        credentials: { token: 'upstream-token-0123456789' },
      },
      accessToken,
    );
    return id;
  };
  const ruled = await service('ruled');
  const judged = await service('judged');
  await call('POST', `/services/${ruled}/risk-rules`, { name: 'let pass', effect: 'allow' }, accessToken);
  const { apiKey } = await call('POST', '/agents', { name: 'bench', serviceIds: [ruled, judged] }, accessToken);
  return {
    origin,
    apiKey,
    accessToken,
    password: PASSWORD,
    pid: child.pid,
    postgresPid: await postmasterPid(postgres.url),
    databaseUrl: postgres.url,
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
      await postgres.stop();
    },
  };
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

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** The postmaster: the parent of every connection's process. */
async function postmasterPid(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const stat = readFileSync(`/proc/${rows[0].pid}/stat`, 'utf8');
  await client.end();
  return Number(stat.replace(/^.*\) /, '').split(' ')[1]);
}

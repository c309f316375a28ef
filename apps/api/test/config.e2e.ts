import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { call, login, register } from './support/accounts.js';
import { openEvents } from './support/event-stream.js';
import { eventually } from './support/eventually.js';
import { startFakeModel, type FakeModel } from './support/fake-model.js';
import { startFakeUpstream, type FakeUpstream } from './support/fake-upstream.js';
import { createDatabase } from './support/databases.js';
import { testEnvironment } from './support/start-app.js';

/** The output of `npm run build:api` as it runs in production: ES modules, on plain Node. */
const MAIN = join(process.cwd(), 'dist', 'apps', 'api', 'src', 'main.js');

interface Gateway {
  process: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  exitCode: Promise<number | null>;
  /** The URL, as soon as it listens. */
  url: Promise<string>;
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
});

/** Starts the gateway with these variables only. */
function start(environment: Record<string, string>): Gateway {
  const child = spawn(process.execPath, [MAIN], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  const url = eventually(() => {
    if (child.exitCode !== null) throw new Error(`exited: ${child.exitCode}\n${stdout}${stderr}`);
    const line = stdout.split('\n').find((text) => text.includes('"listening"'));
    return line && (JSON.parse(line) as { address: string }).address;
  });
  url.catch(() => undefined);
  return { process: child, stdout: () => stdout, stderr: () => stderr, exitCode, url };
}

describe('the built gateway with a bad environment', () => {
  it('exits with 1 and lists every fault together, but never a value', async () => {
    const gateway = start({
      DATABASE_URL: 'mysql://planted-user:planted-password@db/x',
      ENCRYPTION_SECRET: 'planted-short',
      LLM_BASE_URL: 'planted-nonsense',
      PORT: 'planted-port',
      JWT_ACCESS_EXPIRY: 'planted-expiry',
      RISK_THRESHOLD: '7.77',
      NODE_ENV: 'planted-env',
      ADMIN_PASSWORD: 'planted',
    });
    expect(await gateway.exitCode).toBe(1);
    const [title, ...faults] = gateway.stderr().trimEnd().split('\n');
    expect(title).toBe('Invalid configuration:');
    expect(faults.map((fault) => fault.replace('  - ', '')).sort()).toEqual([
      'ADMIN_EMAIL and ADMIN_PASSWORD must be set together',
      'ADMIN_PASSWORD must have 12 to 128 characters',
      'DATABASE_URL must be a PostgreSQL connection string (postgres://…)',
      'ENCRYPTION_SECRET must have at least 32 characters',
      'JWT_ACCESS_EXPIRY must be a number with a unit s, m, h or d, like 15m',
      'JWT_SECRET is required',
      'LLM_API_KEY is required',
      'LLM_BASE_URL must be an http or https URL',
      'NODE_ENV must be one of development, production, test',
      'PORT must be an integer from 0 to 65535',
      'RISK_THRESHOLD must be a number from 0.0 to 1.0',
    ]);
    expect(gateway.stdout() + gateway.stderr()).not.toMatch(/planted|7\.77/);
  });

  it('exits with 1 when the database can’t be reached, and does not show its password', async () => {
    const gateway = start({
      ...testEnvironment('postgres://someone:planted-password@127.0.0.1:9/none'),
      LOG_LEVEL: 'info',
    });
    expect(await gateway.exitCode).toBe(1);
    expect(gateway.stdout()).toContain('could not start');
    expect(gateway.stdout() + gateway.stderr()).not.toContain('planted');
  });
});

describe('the built gateway with a good environment', () => {
  let upstream: FakeUpstream;
  let model: FakeModel;
  let environment: Record<string, string>;
  beforeAll(async () => {
    [upstream, model] = await Promise.all([startFakeUpstream(), startFakeModel()]);
    environment = {
      ...testEnvironment(await createDatabase()),
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'info',
      LLM_BASE_URL: model.url,
      PRIVATE_TARGET_ALLOWLIST: upstream.hostAndPort,
    };
  });
  afterAll(() => Promise.all([upstream.close(), model.close()]));

  let token: string;
  let agentKey: string;
  const proxy = (url: string) =>
    fetch(`${url}/proxy`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Agent-Key': agentKey },
      body: JSON.stringify({ targetUrl: `${upstream.url}/v1/x`, method: 'GET', intent: 'look' }),
    });

  it('migrates the database, serves, and forwards a request', async () => {
    const gateway = start(environment);
    const app = { url: await gateway.url };
    await register(app, 'ada@example.com');
    token = (await login(app, 'ada@example.com')).accessToken;
    const service = await call<{ id: number }>(app, 'POST /services', {
      token,
      body: {
        name: 'Shop',
        baseUrl: `${upstream.url}/v1`,
        authType: 'bearer',
        credentials: { token: 'planted-upstream-token' },
      },
    });
    const agent = await call<{ apiKey: string }>(app, 'POST /agents', {
      token,
      body: { name: 'bot', serviceIds: [service.body.id] },
    });
    agentKey = agent.body.apiKey;
    const answer = await proxy(app.url);
    expect([answer.status, answer.headers.get('x-proxy-status')]).toEqual([200, 'forwarded']);
    await answer.arrayBuffer();
    expect(upstream.calls.at(-1)!.headers.authorization).toBe('Bearer planted-upstream-token');
    expect((await call(app, 'GET /ready')).status).toBe(200);
    expect((await call(app, 'GET /openapi.json')).status).toBe(200);

    gateway.process.kill('SIGTERM');
    expect(await gateway.exitCode).toBe(0);
    const log = gateway.stdout() + gateway.stderr();
    for (const secret of ['planted', agentKey.slice(12), token, 'correct horse', environment.JWT_SECRET]) {
      expect(log).not.toContain(secret);
    }
    const lines = gateway
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', decision: 'forwarded', status: 200 }));
  });

  it('on SIGTERM refuses new requests, finishes those in progress, ends streams and idle connections, and exits with 0', async () => {
    const gateway = start(environment);
    const url = await gateway.url;
    const finish: (() => void)[] = [];
    upstream.answer((_call, response) => {
      finish.push(() => response.end('finished'));
    });
    // Clients keep connections open as long as the server allows.
    const keptAlive = new Agent({ keepAlive: true });
    const open = (body?: string): Promise<Socket> =>
      new Promise((resolve) =>
        request(
          `${url}/${body ? 'proxy' : 'health'}`,
          {
            agent: keptAlive,
            ...(body && { method: 'POST', headers: { 'Content-Type': 'application/json', 'Agent-Key': agentKey } }),
          },
          (response) => {
            // The response loses its socket when it ends.
            const { socket } = response;
            response.resume().on('end', () => resolve(socket));
          },
        ).end(body),
      );
    const first = open(JSON.stringify({ targetUrl: `${upstream.url}/v1/x`, method: 'GET', intent: 'look' }));
    await eventually(() => finish.length === 1);
    const last = proxy(url);
    await eventually(() => finish.length === 2);
    const idleClosed = once(await open(), 'close');
    const events = await openEvents(url, token);

    gateway.process.kill('SIGTERM');
    await Promise.all([events.ended, idleClosed]);
    await eventually(() =>
      fetch(`${url}/health`).then(
        () => false,
        () => true,
      ),
    );
    expect(gateway.process.exitCode).toBeNull();
    // This connection must end while another request is in progress. At the end of the drain time, both would be cut.
    finish[0]();
    const socket = await first;
    if (!socket.destroyed) await once(socket, 'close');
    finish[1]();
    const answer = await last;
    expect([answer.status, await answer.text()]).toEqual([200, 'finished']);
    expect(await gateway.exitCode).toBe(0);
    keptAlive.destroy();
  });

  it('stores the outcomes of forwarded requests before it exits', async () => {
    const gateway = start(environment);
    const url = await gateway.url;
    const { body } = await call<{ items: { outcome: string; status: number | null }[] }>(
      { url },
      'GET /audit?outcome=forwarded',
      { token },
    );
    expect(body.items.map(({ status }) => status)).toEqual([200, 200, 200]);
    gateway.process.kill('SIGINT');
    expect(await gateway.exitCode).toBe(0);
  });
});

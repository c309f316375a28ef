import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CreatedAccessToken, LoginResponse } from '#contracts';
import { eventually } from './support/eventually.js';

/** The things that a stranger has: the package, an empty directory, Node and npm. */
const place = mkdtempSync(join(tmpdir(), 'agent-gateway-package-'));
const empty = join(place, 'empty');
const cache = join(place, 'cache');
let trial: ChildProcess;
let output = '';

beforeAll(() => {
  for (const directory of [empty, cache]) mkdirSync(directory);
  // PostgreSQL's user must be able to reach its data.
  for (const directory of [place, empty]) chmodSync(directory, 0o711);
  // npx stores installed packages beside the downloads of npm. The test removes its own at the end.
  const downloads = join(execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim(), '_cacache');
  if (existsSync(downloads)) symlinkSync(downloads, join(cache, '_cacache'));
  // `npm test` has built dist/. Without --ignore-scripts npm would build it again, under the other tests.
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', place], { stdio: 'ignore' });
});
afterAll(() => {
  if (trial.exitCode === null && trial.signalCode === null) process.kill(-trial.pid!, 'SIGKILL');
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
});

/** Starts the command of the package with npx. */
function command(...args: string[]) {
  const [tarball] = readdirSync(place).filter((name) => name.endsWith('.tgz'));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_cache: cache, NO_COLOR: '1' };
  return { args: ['--yes', '--prefer-offline', `../${tarball}`, ...args], env };
}

async function ask<T>(url: string, method: string, path: string, body: object, token?: string): Promise<T> {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  expect([path, response.ok, await response.clone().text()]).toEqual([path, true, expect.any(String)]);
  return (await response.json()) as T;
}

/** Applies a file to the first workspace, as a pipeline does. */
async function applyFile(url: string): Promise<string> {
  const person = { email: 'ada@example.com', password: 'correct horse battery' };
  const [, setupToken] = /setup token: +(\S+)/.exec(output) ?? [];
  await ask(url, 'POST', '/auth/register', { ...person, setupToken });
  const { accessToken } = await ask<LoginResponse>(url, 'POST', '/auth/login', person);
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const { token } = await ask<CreatedAccessToken>(
    url,
    'POST',
    '/auth/tokens',
    { name: 'ci', workspaceId: 1, role: 'admin', expiresAt },
    accessToken,
  );
  const pipeline = join(place, 'pipeline');
  mkdirSync(pipeline);
  writeFileSync(
    join(pipeline, 'config.yaml'),
    'version: 1\nservices:\n  - name: Shop\n    baseUrl: https://shop.example.com\n    authType: none\n',
  );
  const { args, env } = command('apply', 'config.yaml', '--workspace', '1', '--url', url);
  const options = { cwd: pipeline, env: { ...env, AGENT_GATEWAY_TOKEN: token } };
  return (await promisify(execFile)('npx', args, options)).stdout;
}

it('starts the trial in an empty directory by one command, serves the dashboard, applies a file, and stops cleanly', async () => {
  const { args, env } = command();
  trial = spawn('npx', args, {
    cwd: empty,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, as in a terminal.
    detached: true,
  });
  const closed = once(trial, 'close');
  for (const stream of [trial.stdout!, trial.stderr!]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  const [, url] = await eventually(() => {
    if (trial.exitCode !== null) throw new Error(output);
    return output.includes('Ctrl-C stops everything') && /Dashboard +(http:\S+)\/dashboard/.exec(output);
  });

  expect((await fetch(`${url}/ready`)).status).toBe(200);
  // Passkeys need a host name.
  expect(new URL(url).hostname).toBe('localhost');
  expect(await (await fetch(`${url}/auth/methods`)).json()).toEqual({ password: true, oidc: null, passkeys: true });
  const page = await fetch(`${url}/dashboard/login`);
  const [, script] = /<script type="module"[^>]* src="([^"]+)"/.exec(await page.text())!;
  expect([page.status, (await fetch(url + script)).status]).toEqual([200, 200]);
  expect(readdirSync(empty)).toEqual(['.data']);
  expect(await applyFile(url)).toBe('+ service Shop\n1 created, 0 changed, 0 deleted\n');

  process.kill(-trial.pid!, 'SIGINT');
  // npm ends with the signal itself; its output closes when the gateway and PostgreSQL have ended. The port proves
  // nothing, because another test may take it immediately.
  await closed;
  expect(output).toContain('Stopped.');
  expect(existsSync(join(empty, '.data/postgres/cluster/postmaster.pid'))).toBe(false);
});

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../scripts/lib/free-port.mjs';
import { eventually } from './support/eventually.js';

/** `npm run dev` in a copy of this checkout, so that the test can change its files. */
const checkout = mkdtempSync(join(tmpdir(), 'agent-gateway-dev-'));
const COPIED = ['apps', 'dist', 'libs', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.base.json'];
const MAIN = join(checkout, 'apps/api/src/main.ts');
let dev: ChildProcess;
let output = '';

beforeAll(async () => {
  // PostgreSQL's user must be able to reach its data.
  chmodSync(checkout, 0o711);
  for (const name of COPIED) cpSync(name, join(checkout, name), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(checkout, 'node_modules'));
  // Older than node_modules, so that nothing is installed through the link.
  utimesSync(join(checkout, 'package-lock.json'), 0, 0);
  // Other tests start a gateway on the first free port from 3000 on, too.
  const PORT = String(await freePort());
  dev = spawn(process.execPath, ['scripts/dev.mjs'], {
    cwd: checkout,
    env: { PATH: process.env.PATH, NO_COLOR: '1', PORT },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, as in a terminal.
    detached: true,
  });
  for (const stream of [dev.stdout!, dev.stderr!]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
});
afterAll(() => {
  if (dev.exitCode === null) dev.kill('SIGKILL');
  rmSync(checkout, { recursive: true, force: true });
});

it('serves API and dashboard, applies a change, survives a type error, and stops on one Ctrl-C', async () => {
  const [, dashboard] = await eventually(() => {
    if (dev.exitCode !== null) throw new Error(output);
    return /Open (http:\/\/\S+)/.exec(output);
  });
  const text = async (path: string) => {
    const response = await fetch(new URL(path, dashboard));
    return { status: response.status, body: await response.text() };
  };
  const page = await text('/dashboard/approvals');
  expect(page.body).toContain('src="/dashboard/src/main.tsx"');
  expect((await text('/dashboard/src/main.tsx')).status).toBe(200);
  expect((await text(`/dashboard/@fs${join(checkout, 'libs/contracts/src/index.ts')}`)).status).toBe(200);
  // Through Vite's proxy. The compiler may build twice at first, and the gateway restarts after each build.
  const ready = () => eventually(async () => (await text('/ready')).status === 200);
  await ready();
  const setup = await eventually(async () => {
    const answer = await text('/auth/setup');
    return answer.status === 200 && answer;
  });
  expect(JSON.parse(setup.body)).toMatchObject({ setupRequired: true });

  appendFileSync(MAIN, "\nprocess.stdout.write('the change runs\\n');\n");
  await eventually(() => output.includes('the change runs'));
  await ready();

  appendFileSync(MAIN, "\nexport const wrong: number = 'text';\n");
  await eventually(() => /main\.ts.*error TS2322[^]*✗ 1 to fix/.test(output));
  await ready();

  process.kill(-dev.pid!, 'SIGINT');
  await once(dev, 'close');
  expect({ code: dev.exitCode, output }).toMatchObject({ code: 0 });
  await expect(text('/ready')).rejects.toThrow();
  expect(existsSync(join(checkout, '.data/postgres/cluster/postmaster.pid'))).toBe(false);
});

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSampleApi } from '../../../scripts/demo/sample-api.mjs';
import { prepareSetting } from '../../../scripts/demo/setting.mjs';
import { eventually } from './support/eventually.js';
import { startApp, type TestApp } from './support/start-app.js';

/** Runs the programs in examples/ as processes against the demo's setting. The test plays the human. */
type Setting = Awaited<ReturnType<typeof prepareSetting>>;
let api: Awaited<ReturnType<typeof startSampleApi>>;
let app: TestApp;
let setting: Setting;
const dataDir = mkdtempSync(join(tmpdir(), 'agent-gateway-examples-'));

beforeAll(async () => {
  api = await startSampleApi();
  app = await startApp({ PRIVATE_TARGET_ALLOWLIST: api.hostAndPort });
  setting = await prepareSetting({ url: app.url, dataDir, api });
});
afterAll(async () => {
  await app.close();
  await api.stop();
  rmSync(dataDir, { recursive: true });
});

/** Runs an example, and decides as soon as its request is held. */
async function run(file: string, decision: 'approve' | 'deny', note?: string) {
  const child = spawn(process.execPath, [join('examples', file)], {
    env: { PATH: process.env.PATH, GATEWAY_URL: app.url, AGENT_KEY: setting.supportBot.key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const actionId = await eventually(() => {
    if (child.exitCode !== null) throw new Error(output);
    return /dashboard\/approvals\/([0-9a-f-]{36})/.exec(output)?.[1];
  });
  const before = output;
  await setting.human.send(`PATCH /approvals/${actionId}/${decision}`, { note });
  return { code: await ended, output, before };
}

it('plain-fetch.mjs: forwarded, held, approved, executed', async () => {
  const denied = await run('plain-fetch.mjs', 'deny', 'Ask them first');
  expect(denied).toMatchObject({ code: 1, output: expect.stringContaining('DENIED Ask them first') });
  const { code, output, before } = await run('plain-fetch.mjs', 'approve');
  expect(before).toMatch(
    /200 \(forwarded\) .*Edsger Dijkstra[^]*428 held, nothing was sent: Risk rule "Ask before DELETE"/,
  );
  expect(before).not.toContain('Execute it');
  expect(output).toMatch(/APPROVED[^]*204 \(executed-approved\)[^]*404 \(forwarded\)/);
  expect(code).toBe(0);
});

it('octokit.mjs: forwarded, held, approved, executed', async () => {
  const denied = await run('octokit.mjs', 'deny', 'We need it');
  expect(denied).toMatchObject({ code: 1, output: expect.stringContaining('Denied: We need it') });
  const { code, output, before } = await run('octokit.mjs', 'approve');
  expect(before).toMatch(/Branches: main, release, old-experiment\nHeld: DELETE .*\/repos\/acme\/shop\/git\/refs/);
  expect(output).toMatch(/Deleted: 204\nBranches: main, release\n$/);
  expect(code).toBe(0);
});

it('mcp-client.mjs: forwarded, held, approved, executed', async () => {
  const denied = await run('mcp-client.mjs', 'deny', 'Ask them first');
  expect(denied).toMatchObject({ code: 1, output: expect.stringContaining('DENIED Ask them first') });
  const { code, output, before } = await run('mcp-client.mjs', 'approve');
  expect(before).toMatch(
    /^Tools: list_services, [^]*DELETE requests: held until a human approves[^]*FORWARDED 200 .*"id":41[^]*Held\. Decide here/,
  );
  expect(before).not.toContain('EXECUTED');
  expect(output).toMatch(/EXECUTED 204 \nRead the customer again:\n {2}FORWARDED 404 /);
  expect(code).toBe(0);
});

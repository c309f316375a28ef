import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import type { SavedCallback } from '#contracts';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';

/** The receivers of docs/agents.md ("Callbacks"), registered as it describes and run unchanged. */
const SNIPPETS = new Map(
  [...readFileSync('docs/agents.md', 'utf8').matchAll(/^```(\w+) receiver\n([^]*?)^```$/gm)].map(
    ([, language, code]): [string, string] => [language, code],
  ),
);
const run = promisify(execFile);
const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

let gateway: Gateway;
let port: number;
let directory: string;
let child: ChildProcess | undefined;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'agw-receivers-'));
  port = await freePort();
  gateway = await startGateway({ CALLBACK_PRIVATE_HOSTS: `127.0.0.1:${port}` });
  await gateway.admin(`PUT /agents/${gateway.agent.id}`, { callbackHosts: [`127.0.0.1:${port}`] });
});
afterAll(async () => {
  await gateway.close();
  rmSync(directory, { recursive: true, force: true });
});
afterEach(async () => {
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child!.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as AddressInfo;
      server.close(() => resolve(free));
    });
  });
}

/**
 * Registers as the shell snippet describes.
 * @returns the new callback's secret
 */
async function register(): Promise<string> {
  const command = SNIPPETS.get('bash')!
    .replaceAll('http://127.0.0.1:3000', gateway.url)
    .replaceAll('https://agent.example.com/callbacks', `http://127.0.0.1:${port}/callbacks`);
  const environment = { ...process.env, AGENT_KEY: gateway.agentKey };
  // Not spawnSync: the gateway runs in this process and must answer.
  const { stdout } = await run('bash', ['-c', command.replace('curl', 'curl -sS')], { env: environment });
  return (JSON.parse(stdout) as SavedCallback).secret!;
}

function start(language: string, secret: string): () => string {
  const file = join(directory, language === 'python' ? 'receiver.py' : 'receiver.mjs');
  const code = SNIPPETS.get(language)!;
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
  writeFileSync(file, language === 'python' ? code : transpileModule(code, { compilerOptions }).outputText);
  const program = language === 'python' ? 'python3' : process.execPath;
  child = spawn(program, [file], { env: { ...process.env, PORT: String(port), CALLBACK_SECRET: secret } });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += String(chunk)));
  return () => output;
}

const post = (headers: Record<string, string>): Promise<number | null> =>
  fetch(`http://127.0.0.1:${port}/callbacks`, { method: 'POST', headers, body: '{"type":"forged"}' }).then(
    ({ status }) => status,
    () => null,
  );

for (const language of ['typescript', 'python']) {
  (language === 'python' && !isInstalled('python3') ? it.skip : it)(
    `the receiver in ${language} accepts genuine events and refuses others`,
    async () => {
      await gateway.agentCall('DELETE', '/agent/callback', undefined, {});
      const output = start(language, await register());
      const forged = { 'webhook-id': 'x', 'webhook-signature': 'v1,Zm9yZ2Vk' };
      expect(await eventually(() => post({}))).toBe(401);
      expect(await post({ ...forged, 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) })).toBe(401);
      expect(await post({ ...forged, 'webhook-timestamp': 'x' })).toBe(401);

      const { action_id: id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/${language}` });
      await gateway.approve(id);
      await eventually(() => output().includes(`action.approved ${id}`));
      // During a rotation it still accepts the previous secret.
      await gateway.agentCall('POST', '/agent/callback/rotate-secret', undefined, {});
      await gateway.agentCall('POST', '/agent/callback/test', undefined, {});
      await eventually(() => output().includes('callback.test'));
      expect(output()).not.toContain('forged');
    },
  );
}

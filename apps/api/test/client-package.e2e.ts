import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startGateway, type Gateway } from './support/gateway.js';

const run = promisify(execFile);
/** The steps of libs/client/README.md that install the client from the repository. */
const [pack, install] = [...readFileSync('libs/client/README.md', 'utf8').matchAll(/^```bash\n([^]*?)^```$/gm)].map(
  ([, commands]) => commands.trim().split('\n'),
);

let gateway: Gateway;
let project: string;
beforeAll(async () => {
  gateway = await startGateway();
  project = mkdtempSync(join(tmpdir(), 'client-package-'));
});
afterAll(async () => {
  rmSync(project, { recursive: true, force: true });
  await gateway.close();
});

it('is packed, installed and used as its README says', async () => {
  // `npm test` has already installed and built the package.
  expect(pack.slice(0, 2)).toEqual(['npm ci', 'npm run build:client']);
  const [npm, ...args] = pack[2].split(' ');
  await run(npm, [...args, '--pack-destination', project]);

  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'of-a-user', type: 'module' }));
  const file = install[0].replace('npm install ../agent-gateway/', '');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${file}`], { cwd: project });
  writeFileSync(
    join(project, 'program.mjs'),
    `import { createGatewayFetch } from '@agent-gateway/client';
     import { createGatewayAdapter } from '@agent-gateway/client/axios';
     const fetch = createGatewayFetch({ gatewayUrl: ${JSON.stringify(gateway.url)}, agentKey: process.env.AGENT_KEY, intent: 'Try it' });
     const answer = await fetch(${JSON.stringify(`${gateway.upstream.url}/v1/x`)});
     console.log(answer.status, typeof createGatewayAdapter);`,
  );
  const env = { ...process.env, AGENT_KEY: gateway.agentKey, NODE_OPTIONS: '' };
  const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: project, env });
  expect(stdout.trim()).toBe('200 function');
});

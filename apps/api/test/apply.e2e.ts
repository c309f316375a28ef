import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { AuditPage, Configuration, CreatedAccessToken, Service, Workspace } from '#contracts';
import { call } from './support/accounts.js';
import { startGateway, type Gateway } from './support/gateway.js';

const directory = mkdtempSync(join(tmpdir(), 'agent-gateway-apply-'));
const file = join(directory, 'config.yaml');
const CONFIG: Configuration = {
  version: 1,
  services: [
    {
      name: 'Shop',
      baseUrl: 'https://shop.example.com',
      authType: 'bearer',
      rules: [{ name: 'Ask before DELETE', effect: 'require_approval', methods: ['DELETE'] }],
    },
  ],
  agents: [{ name: 'support-bot', services: ['Shop'] }],
};

let gateway: Gateway;
let workspace: string;
let token: string;
beforeAll(async () => {
  gateway = await startGateway();
  const { id } = await gateway.admin<Workspace>('POST /workspaces', { name: 'CI' });
  workspace = String(id);
  const expiresAt = new Date(gateway.app.clock.nowMs() + 3_600_000).toISOString();
  const body = { name: 'ci', workspaceId: id, role: 'admin', expiresAt };
  token = (await gateway.admin<CreatedAccessToken>('POST /auth/tokens', body)).token;
  writeFileSync(file, stringify(CONFIG));
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await gateway?.close();
});

/** Runs the command as a process of its own. */
function run(args: string[], environment: Record<string, string> = { AGENT_GATEWAY_TOKEN: token }) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const env = { PATH: process.env.PATH, NO_COLOR: '1', ...environment };
    execFile(process.execPath, ['scripts/start.mjs', 'apply', ...args], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

const applied = (...extra: string[]) => run([file, '--workspace', workspace, '--url', gateway.url, ...extra]);
const services = async () =>
  (await call<Service[]>(gateway.app, 'GET /services', { token })).body.map(({ name }) => name);

it('reports the planned changes, makes them, and then has nothing to do', async () => {
  const lines = ['+ service Shop', '+ agent support-bot', '+ rule Shop / Ask before DELETE'];
  const dry = await applied('--dry-run');
  expect(dry).toMatchObject({ code: 0, err: '' });
  expect(dry.out.split('\n')).toEqual([...lines, 'Dry run, nothing was changed: 3 created, 0 changed, 0 deleted', '']);
  expect(await services()).toEqual([]);
  expect(await applied('--dry-run', '--exit-code')).toEqual({ ...dry, code: 3 });
  expect((await applied()).out.split('\n')).toEqual([...lines, '3 created, 0 changed, 0 deleted', '']);
  expect(await services()).toEqual(['Shop']);
  expect(await applied()).toEqual({ code: 0, out: 'Nothing to change\n', err: '' });
  expect(await applied('--dry-run', '--exit-code')).toEqual({ code: 0, out: 'Nothing to change\n', err: '' });
  const { body } = await call<AuditPage>(gateway.app, 'GET /audit?kind=change', { token });
  expect(body.items[0].details).toMatchObject({ token: 'ci' });
});

it('accepts JSON, and reports its changes and deletions', async () => {
  const json = join(directory, 'config.json');
  const [shop] = CONFIG.services!;
  writeFileSync(json, JSON.stringify({ ...CONFIG, services: [{ ...shop, rules: [], rotateEveryDays: 9 }] }));
  const { code, out } = await run([json, '--workspace', workspace, '--url', `${gateway.url}/`]);
  expect([code, out.split('\n')]).toEqual([
    0,
    ['~ service Shop', '- rule Shop / Ask before DELETE', '0 created, 1 changed, 1 deleted', ''],
  ]);
});

it('says what goes with a service that has another name in the file, and leaves it in a dry run', async () => {
  const { body } = await call<Service[]>(gateway.app, 'GET /services', { token });
  const credentials = { token: 'secret-1' };
  await call(gateway.app, `PUT /services/${body[0].id}/credentials`, { token, body: { credentials } });
  const renamed = join(directory, 'renamed.yaml');
  const service = { ...CONFIG.services![0], name: 'Store' };
  writeFileSync(renamed, stringify({ version: 1, services: [service], agents: [] }));
  const { out } = await run([renamed, '--workspace', workspace, '--url', gateway.url, '--dry-run']);
  expect(out.split('\n')).toEqual([
    '+ service Store',
    '+ rule Store / Ask before DELETE',
    '- service Shop',
    '    goes with it: 1 credential (token), the access of 1 agent (support-bot)',
    '    if this service is now called Store: rename it in the dashboard first, and nothing is lost',
    '- agent support-bot',
    '    goes with it: its keys',
    'Dry run, nothing was changed: 2 created, 0 changed, 2 deleted',
    '',
  ]);
  expect(await services()).toEqual(['Shop']);
});

it('takes a file with a byte order mark and a token with a line end, and says what is wrong with UTF-16', async () => {
  for (const name of ['marked.yaml', 'marked.json']) {
    const marked = join(directory, name);
    writeFileSync(marked, `\ufeff${name.endsWith('.json') ? JSON.stringify(CONFIG) : stringify(CONFIG)}`);
    const { code } = await run([marked, '--workspace', workspace, '--url', gateway.url, '--dry-run'], {
      AGENT_GATEWAY_TOKEN: `${token}\n`,
    });
    expect([name, code]).toEqual([name, 0]);
  }
  const wide = join(directory, 'wide.yaml');
  writeFileSync(wide, Buffer.from(stringify(CONFIG), 'utf16le'));
  expect(await run([wide, '--workspace', workspace, '--url', gateway.url])).toMatchObject({
    code: 1,
    err: expect.stringContaining('is in UTF-16: save it as UTF-8'),
  });
});

it('fails with the error text of the gateway and its place in the file', async () => {
  const bad = join(directory, 'bad.yaml');
  const ask = (text: string) => {
    writeFileSync(bad, text);
    return run([bad, '--workspace', workspace, '--url', gateway.url]);
  };
  expect(await ask('version: 1\nservices:\n  - name: x\n')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('400 services.0.baseUrl'),
  });
  expect(await ask('version: [\n')).toMatchObject({ code: 1, err: expect.stringContaining('Fix the YAML') });
  const settings = await ask('version: 1\nsettings:\n  approverRuleMaxHours: 3\n');
  expect(settings).toMatchObject({ code: 1, err: expect.stringContaining('403 Your role (admin)') });
  const elsewhere = await run([file, '--workspace', '1', '--url', gateway.url]);
  expect(elsewhere).toMatchObject({ code: 1, err: expect.stringContaining('404 Resource not found') });
  const stranger = await run([file, '--workspace', workspace, '--url', gateway.url], {
    AGENT_GATEWAY_TOKEN: `agw_${'0'.repeat(64)}`,
  });
  expect(stranger).toMatchObject({ code: 1, err: expect.stringContaining('401') });
});

it('fails when the gateway cannot be reached or the server is not a gateway, and follows no redirect', async () => {
  const other = createServer((request, response) => {
    if (request.url?.startsWith('/moved')) response.writeHead(307, { Location: gateway.url }).end();
    else response.end('hello');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const ask = (at: string) => run([file, '--workspace', workspace, '--url', at]);
  expect(await ask(url)).toMatchObject({ code: 1, err: expect.stringContaining('without JSON') });
  expect(await ask(`${url}/moved`)).toMatchObject({ code: 1, err: expect.stringContaining('could not be reached') });
  await new Promise((resolve) => other.close(resolve));
  expect(await ask(url)).toMatchObject({ code: 1, err: expect.stringContaining('could not be reached') });
  const missing = await run([join(directory, 'none.yaml'), '--workspace', workspace, '--url', gateway.url]);
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('ENOENT') });
});

it.each<[string, string[], Record<string, string>, string]>([
  ['no file', ['--workspace', '1'], {}, 'Name one file'],
  ['two files', ['a', 'b', '--workspace', '1'], {}, 'Name one file'],
  ['no workspace', ['a'], {}, '--workspace must be'],
  ['a bad workspace', ['a', '--workspace', 'x'], {}, '--workspace must be'],
  ['a bad URL', ['a', '--workspace', '1', '--url', 'ftp://x'], {}, '--url must be'],
  ['an unknown option', ['a', '--force'], {}, 'force'],
  ['an exit code without a dry run', ['a', '--workspace', '1', '--exit-code'], {}, '--exit-code needs --dry-run'],
  ['no token', ['a', '--workspace', '1'], {}, 'AGENT_GATEWAY_TOKEN must'],
])('refuses to run with %s', async (_what, args, environment, error) => {
  const { code, out, err } = await run(args, environment);
  expect([code, out, err]).toEqual([2, '', expect.stringContaining(error)]);
  expect(err).toContain('Usage: agent-gateway apply FILE');
});

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { RiskRule } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';

const directory = mkdtempSync(join(tmpdir(), 'agent-gateway-policy-'));

/** Runs the command as a process of its own, in the directory of the test. */
function run(args: string[], environment: Record<string, string> = {}) {
  return new Promise<{ code: number; out: string; err: string }>((done) => {
    const options = { cwd: directory, env: { PATH: process.env.PATH, ...environment } };
    execFile(process.execPath, [resolve('scripts/start.mjs'), 'test', ...args], options, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

const AWS = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI' };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  const rules = [
    { name: 'Ask before "orders"', effect: 'require_approval', methods: ['POST'], pathPattern: '/orders' },
    { name: 'Never admin', effect: 'deny', pathPattern: '/admin/**' },
    { name: 'Allow drafts', effect: 'allow', pathPattern: '/drafts/**' },
    {
      name: 'At most 500',
      effect: 'limit',
      methods: ['POST'],
      pathPattern: '/refunds',
      limit: { count: 500, per: 'day', then: 'deny', sum: 'request.body.amount' },
    },
  ];
  for (const rule of rules) await gateway.admin<RiskRule>(`POST /services/${gateway.service.id}/risk-rules`, rule);
  await gateway.admin(`PUT /services/${gateway.service.id}`, { askFor: ['delete'] });
  // Each object that a configuration may have.
  const tokenUrl = 'https://login.example.com/token';
  const oauth = { grant: 'client_credentials', tokenUrl, clientId: 'c', scopes: [], tokenAuth: 'basic' };
  for (const service of [
    {
      name: 'Templates',
      authType: 'custom',
      auth: { headers: { 'X-Key': '{{key}}' } },
      credentials: { key: 'k-1234' },
    },
    { name: 'Bucket', authType: 'custom', auth: { aws: { region: 'eu-central-1', service: 's3' } }, credentials: AWS },
    { name: 'Tokens', authType: 'oauth2', oauth, baseUrlDefaults: { idempotency: 'none', wait: 5 } },
  ]) {
    const baseUrl = `https://${service.name.toLowerCase()}.example.com`;
    await gateway.admin('POST /services', { ...service, baseUrl });
  }
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await gateway?.close();
});

/** The text of an answer. */
async function text(path: string): Promise<string> {
  const response = await fetch(gateway.url + path, { headers: { Authorization: `Bearer ${gateway.token}` } });
  expect(response.status).toBe(200);
  return response.text();
}

it('exports requests of the history as cases that the exported configuration decides in the same way', async () => {
  const requests: [method: string, path: string, extra?: object][] = [
    ['GET', '/customers?a=1&api_key=s3cr3t'],
    ['POST', '/orders', { body: '{"amount":12.50,"password":"hunter2"}', headers: { 'X-Api-Token': 't0p' } }],
    ['POST', '/drafts/1', { body: 'a draft' }],
    ['DELETE', '/customers/1'],
    ['GET', '/admin/users'],
  ];
  const texts: string[] = [];
  for (const [method, path, extra] of requests) {
    const targetUrl = `${gateway.service.baseUrl}${path}`;
    await gateway.proxy({ method, targetUrl, intent: 'Help a customer', idempotencyKey: path, ...extra });
    const [record] = await gateway.audit('&kind=request');
    texts.push(await text(`/audit/${record.id}/case`));
    const [exported] = await gateway.audit('&kind=change');
    expect(exported).toMatchObject({ reason: 'audit.exported', details: { case: record.id } });
  }
  const all = texts.join('');
  expect(all).not.toMatch(/s3cr3t|hunter2|t0p/);
  expect(texts[1]).toContain('"amount":12.50,"password":"[REDACTED]"');
  expect(texts[2]).toContain('# Headers and body of this request are not kept: add them, if a rule reads them.\n');
  writeFileSync(join(directory, 'cases.yaml'), all);
  writeFileSync(join(directory, 'config.yaml'), await text(`/workspaces/${gateway.agent.userId}/export`));
  expect(await run(['--config', 'config.yaml', 'cases.yaml'])).toEqual({
    code: 0,
    out: '5 cases, 0 differ\n',
    err: '',
  });
  writeFileSync(join(directory, 'cases.yaml'), all.replace('decision: deny', 'decision: forward'));
  const { code, out } = await run(['--config', 'config.yaml', 'cases.yaml']);
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(
      /^cases\.yaml:\d+ {2}GET \S+\/admin\/users: want forward by "Never admin", got deny by "Never admin"\n5 cases, 1 differs\n$/,
    ),
  ]);
});

it('decides by the limits of the exported configuration, as if nothing was used', async () => {
  const { name: service } = gateway.service;
  const cases = [
    { amount: 500, expect: { decision: 'model', rule: null } },
    { amount: 500.01, expect: { decision: 'deny', rule: 'At most 500' } },
    { amount: '5', expect: { decision: 'deny', rule: 'At most 500' } },
  ].map(({ amount, expect: expected }) => {
    const request = { method: 'POST', path: '/refunds', body: { amount } };
    return { service, agent: gateway.agent.name, request, expect: expected };
  });
  writeFileSync(join(directory, 'limits.yaml'), JSON.stringify(cases));
  const out = '3 cases, 0 differ\n';
  expect(await run(['--config', 'config.yaml', 'limits.yaml'])).toEqual({ code: 0, out, err: '' });
});

it('makes no case of a change, and none of another workspace', async () => {
  const [change] = await gateway.audit('&kind=change');
  expect(await gateway.tryAdmin(`GET /audit/${change.id}/case`)).toMatchObject({
    status: 400,
    body: { error: 'Only the request of an agent to a service can be a case' },
  });
  const unknown = '00000000-0000-7000-8000-000000000000';
  expect(await gateway.tryAdmin(`GET /audit/${unknown}/case`)).toMatchObject({ status: 404 });
});

it('says how it is called', async () => {
  expect(await run(['--help'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('Usage: agent-gateway test') as string,
    err: '',
  });
  for (const [args, why] of [
    [['cases.yaml'], '--config must name the configuration file'],
    [['--config', 'config.yaml'], 'Name at least one file with cases'],
    [['--configg', 'config.yaml'], "Unknown option '--configg'"],
  ] as const) {
    const { code, out, err } = await run([...args]);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(why)]);
  }
});

it('needs no colours, no database and no network', async () => {
  // Neither exists.
  const environment = {
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    LLM_BASE_URL: 'http://127.0.0.1:1',
    NO_COLOR: '1',
  };
  const { out, err } = await run(['--config', 'config.yaml', 'none.yaml'], environment);
  expect([out, err]).toEqual(['', '✗ none.yaml: there is no such file\n']);
  expect(readFileSync(join(directory, 'cases.yaml'), 'utf8')).not.toContain('\u001b');
});

it('prints what docs/rules.md says for the examples without one of their rules', async () => {
  const [, command, output] = /^```\n\$ npx \S+ test (.*)\n([^]*?)^```/m.exec(readFileSync('docs/rules.md', 'utf8'))!;
  const config = readFileSync('examples/policy/config.yaml', 'utf8');
  const without = config.replace(/ {6}- name: Ask two people for payouts[^]*?(?= {2}- name: GitHub)/, '');
  expect(without.length).toBeLessThan(config.length);
  writeFileSync(join(directory, 'config.yaml'), without);
  writeFileSync(join(directory, 'cases.yaml'), readFileSync('examples/policy/cases.yaml', 'utf8'));
  expect(await run(command.split(' '))).toEqual({ code: 1, out: output, err: '' });
});

it('passes with the command of the workflow in docs/rules.md', async () => {
  const [, command] = /^ *- run: npx \S+ test (.*)$/m.exec(readFileSync('docs/rules.md', 'utf8'))!;
  mkdirSync(join(directory, 'documents'), { recursive: true });
  for (const name of ['config.yaml', 'cases.yaml']) {
    writeFileSync(join(directory, name), readFileSync(join('examples/policy', name), 'utf8'));
  }
  expect(await run(command.split(' '))).toMatchObject({ code: 0, err: '' });
});

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import ts from 'typescript';
import { eventually } from '../../api/test/support/eventually.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { McpAgent } from '../../api/test/support/mcp-client.js';
import { logIn, useChromium } from './support/browser.js';
import { traces } from './support/traces.js';

const chromium = useChromium();
const run = promisify(execFile);
let gateway: Gateway;
let directory: string;

beforeAll(async () => {
  gateway = await startGateway();
  directory = await mkdtemp(join(tmpdir(), 'agw-snippets-'));
});
afterAll(async () => {
  await gateway.close();
  await rm(directory, { recursive: true });
});

/** @returns the page with the new agent's key */
async function create(name: string): Promise<{ page: Page; key: string }> {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/agents/new');
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create agent and show key' }).click();
  const key = await page.getByLabel('Agent key').inputValue();
  expect(key).toMatch(/^agt_/);
  return { page, key };
}

it('shows a new key once, and forgets it when the user has stored it', async () => {
  const { page, key } = await create('billing-bot');
  expect(await traces(page)).toContain(key);
  await page.getByRole('button', { name: 'I stored the key' }).click();
  await page.getByText('<AGENT_KEY>').first().waitFor();
  expect(await traces(page)).not.toContain(key);
  await page.getByRole('link', { name: 'Open agent' }).click();
  await page.getByText(key.slice(0, 12)).first().waitFor();
  expect(await traces(page)).not.toContain(key);
  await page.goBack();
  expect(await traces(page)).not.toContain(key);
});

it('asks before the user leaves a page with an unstored key', async () => {
  const { page } = await create('careless-bot');
  const asked = page.waitForEvent('dialog');
  await page.evaluate('setTimeout(() => location.reload())');
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  expect(await page.getByLabel('Agent key').count()).toBe(1);
});

/** Runs each snippet as a user would. */
const LANGUAGES: Record<string, (code: string) => Promise<string>> = {
  curl: async (code) => (await run('sh', ['-c', code], { cwd: directory })).stdout,
  TypeScript: async (code) => {
    const file = join(directory, 'snippet.mjs');
    const { module, target } = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    await writeFile(file, ts.transpileModule(code, { compilerOptions: { module, target } }).outputText);
    return (await run(process.execPath, [file])).stdout;
  },
  Python: async (code) => (await run('python3', ['-c', code])).stdout,
  MCP: async (code) => {
    const { mcpServers } = JSON.parse(code) as {
      mcpServers: Record<string, { url: string; headers: Record<string, string> }>;
    };
    const { url, headers } = mcpServers['agent-gateway'];
    const agent = await McpAgent.connect(url.replace(/\/mcp$/, ''), headers);
    const targetUrl = gateway.service.baseUrl;
    const { response } = await agent.ask('request', {
      method: 'GET',
      targetUrl,
      intent: 'Check that the gateway works',
    });
    await agent.close();
    return response.body;
  },
};

it.each(['forwarded', 'held and approved'])(
  'shows snippets that run as they are: a request that is %s',
  async (fate) => {
    const held = fate !== 'forwarded';
    const { page, key } = await create(`snippet-${held ? 'held' : 'forwarded'}`);
    gateway.model.answer({ score: held ? 0.9 : 0.1 });
    const names = await page.getByRole('radiogroup', { name: 'Call the gateway with' }).getByRole('radio').all();
    expect(names).toHaveLength(Object.keys(LANGUAGES).length + 2);
    for (const [language, start] of Object.entries(LANGUAGES)) {
      await page.getByRole('radio', { name: language }).check();
      const code = (await page.locator('pre').textContent())!;
      expect(code).toContain(key);
      const calls = gateway.upstream.calls.length;
      const output = start(code);
      if (held) await gateway.approve(await eventually(() => firstPending()));
      expect(await output).toContain('"path":"/v1"');
      expect(gateway.upstream.calls).toHaveLength(calls + 1);
    }
    await page.getByRole('radio', { name: 'SKILL.md' }).check();
    await run('sh', ['-c', (await page.locator('pre').textContent())!], { cwd: directory });
    const guide = await readFile(join(directory, '.claude/skills/agent-gateway/SKILL.md'), 'utf8');
    expect(guide).toContain(`${gateway.url}/proxy`);
    expect(guide).toContain(gateway.service.baseUrl);
    expect(guide).not.toContain(key);
    await page.getByRole('radio', { name: '.env' }).check();
    expect(await page.locator('pre').textContent()).toBe(`GATEWAY_URL=${gateway.url}\nAGENT_KEY=${key}\n`);
    await page.getByText('The first request arrived.').first().waitFor();
  },
);

async function firstPending(): Promise<string | null> {
  const { items } = await gateway.admin<{ items: { action_id: string }[] }>('GET /approvals?status=PENDING');
  return items[0]?.action_id ?? null;
}

/** 404 if the key works. */
const ask = async (agentKey: string): Promise<number> =>
  (
    await gateway.agentCall('GET', '/status/00000000-0000-4000-8000-000000000000', undefined, {
      'Agent-Key': agentKey,
    })
  ).status;

it('rotates a key and revokes an agent from the next request', async () => {
  const { page, key } = await create('rotating-bot');
  await page.getByRole('button', { name: 'I stored the key' }).click();
  await page.getByRole('link', { name: 'Open agent' }).click();
  await page.getByRole('button', { name: 'Rotate key' }).click();
  await page.getByRole('button', { name: 'Rotate now' }).click();
  const next = await page.getByLabel('Agent key').inputValue();
  expect(next).not.toBe(key);
  expect(await ask(key)).toBe(401);
  expect(await ask(next)).toBe(404);
  await page.getByRole('button', { name: 'I stored the key' }).click();
  expect(await traces(page)).not.toContain(next);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('rotating-bot is revoked. Its next request gets 401').first().waitFor();
  expect(await ask(next)).toBe(401);
});

it('undoes a revocation in the list, whose switches stand where a phone is scrolled', async () => {
  const { page, key } = await create('scrolled-bot');
  await page.getByRole('button', { name: 'I stored the key' }).click();
  await page.goto(`${gateway.url}/dashboard/agents`);
  await page.getByRole('switch', { name: /scrolled-bot/ }).click({ force: true });
  await page.getByText('scrolled-bot is revoked. Its next request gets 401').first().waitFor();
  expect(await ask(key)).toBe(401);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('scrolled-bot is active').first().waitFor();
  expect(await ask(key)).toBe(404);
});

it('lets the old key work for a time, shows whether it is used, and ends it', async () => {
  const { page, key } = await create('patient-bot');
  await page.getByRole('button', { name: 'I stored the key' }).click();
  await page.getByRole('link', { name: 'Open agent' }).click();
  await page.getByRole('button', { name: 'Rotate key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: '1 hour' }).check();
  await dialog.getByRole('button', { name: 'Rotate now' }).click();
  const next = await page.getByLabel('Agent key').inputValue();
  await page.getByRole('button', { name: 'I stored the key' }).click();
  await page.getByText(`The old key ${key.slice(0, 12)}… works for another`).waitFor();
  await page.getByText('It was never used.').waitFor();
  expect([await ask(key), await ask(next)]).toEqual([404, 404]);
  await gateway.app.settled();
  await page.reload();
  await page.getByText(/It was last used (just now|\d+ sec ago)/).waitFor();
  await page.getByRole('button', { name: 'Revoke it now' }).click();
  await dialog.getByRole('button', { name: 'Revoke old keys' }).click();
  await page.getByRole('button', { name: 'Revoke it now' }).waitFor({ state: 'detached' });
  expect([await ask(key), await ask(next)]).toEqual([401, 404]);
});

it('limits how long a key lives and where it may come from', async () => {
  const { page, key } = await create('bounded-bot');
  await page.getByRole('button', { name: 'I stored the key' }).click();
  await page.getByRole('link', { name: 'Open agent' }).click();
  const limits = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Key limits' }) });
  await limits.getByRole('button', { name: 'Change' }).click();
  await limits.getByLabel('Keys expire').selectOption('After 30 days');
  await limits.getByText('The current key stops working on').waitFor();
  const addresses = limits.getByRole('combobox', { name: 'Allowed IP addresses' });
  await addresses.fill('everywhere');
  await addresses.press('Enter');
  await limits.getByRole('button', { name: 'Save limits' }).click();
  chromium.tolerate(/400/);
  await limits.getByText('addresses.0: must be an IP address or a range like 192.0.2.0/24').waitFor();
  await addresses.press('Backspace');
  await addresses.fill('192.0.2.0/24');
  await addresses.press('Enter');
  await limits.getByRole('button', { name: 'Save limits' }).click();
  await page.getByText('Limits saved.').first().waitFor();
  await limits.getByText('192.0.2.0/24', { exact: true }).waitFor();
  expect(await ask(key)).toBe(403);

  // Makes the key 25 and then 31 days old.
  const created = (daysAgo: number) =>
    gateway.app.database.query(
      `UPDATE agents SET key_created_at = now() - $2 * interval '24 hours' WHERE key_prefix = $1`,
      [key.slice(0, 12), daysAgo],
    );
  await created(25);
  await page.reload();
  await page.getByText(/^key expires in [45] days$/).waitFor();
  await created(31);
  await page.goto(`${gateway.url}/dashboard/agents`);
  await page.getByRole('row', { name: 'bounded-bot' }).getByText('key expired').waitFor();
});

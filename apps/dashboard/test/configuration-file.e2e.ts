import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Configuration, Service } from '#contracts';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../../api/test/support/accounts.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, violations } from './support/axe.js';
import { logIn, useChromium, type Device } from './support/browser.js';
import { addGuest } from './support/people.js';

const chromium = useChromium();
const directory = mkdtempSync(join(tmpdir(), 'agent-gateway-file-'));
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await gateway.close();
});

const services = async () => (await gateway.admin<Service[]>('GET /services')).map(({ name }) => name);

async function open(device: Device = 'desktop'): Promise<Page> {
  const page = await pageWithAxe(chromium, device);
  await logIn(page, gateway.url, '/settings/file');
  return page;
}

async function downloaded(page: Page): Promise<Configuration> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the file' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('agent-gateway-1.yaml');
  const file = join(directory, 'exported.yaml');
  await download.saveAs(file);
  return parse(readFileSync(file, 'utf8')) as Configuration;
}

const show = async (page: Page, text: string) => {
  await page.getByLabel('Configuration, as YAML or JSON').fill(text);
  await page.getByRole('button', { name: 'Show the difference' }).click();
};

it('says what a new name in the file takes away, and deletes after a second press', async () => {
  const page = await open();
  const file = await downloaded(page);
  file.services![0].name = 'Store';
  file.agents![0].services = ['Store'];
  await show(page, stringify(file));
  const difference = page.getByRole('group', { name: 'Difference' });
  await difference.getByRole('heading', { name: 'Deleted (1)' }).waitFor();
  await difference.getByText('1 credential is deleted: token.').waitFor();
  await difference.getByText('1 agent loses access to it: support-bot.').waitFor();
  await difference.getByText('If this service is now called “Store”').waitFor();
  const change = await difference.getByRole('listitem').filter({ hasText: 'services:' }).last().innerText();
  expect(change.replace(/\s+/g, ' ')).toBe('services: before: Shop → after: Store');
  await difference.getByRole('button', { name: 'Import…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import the file' });
  await dialog.getByText('1 credential is deleted: token.').waitFor();
  expect(await services()).toEqual(['Shop']);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Import…' }).click();
  await dialog.getByRole('button', { name: 'Delete 1 thing and import' }).click();
  const done = page.getByRole('group', { name: 'What was done' });
  await done.getByText('A new service has no credentials').waitFor();
  expect(await services()).toEqual(['Store']);
  await done.getByRole('button', { name: 'Import another file' }).click();
  await show(page, stringify(await downloaded(page)));
  await page.getByText('The workspace is already the same as the file.').waitFor();
});

it('imports nothing if the workspace has changed since, and shows the new difference', async () => {
  chromium.tolerate(/409/);
  const page = await open('phone');
  const file = await downloaded(page);
  file.agents![0].keyLifetimeDays = 30;
  const path = join(directory, 'given.json');
  writeFileSync(path, `\ufeff${JSON.stringify(file)}`);
  await page.locator('input[type=file]').setInputFiles(path);
  await page.getByRole('button', { name: 'Show the difference' }).tap();
  await page.getByText('keyLifetimeDays:').waitFor();
  await gateway.createService({ name: 'Bank', baseUrl: 'https://bank.example.com' });
  await page.getByRole('button', { name: 'Import', exact: true }).tap();
  await page.getByText('The workspace has changed since you saw the difference.').waitFor();
  await page.getByRole('heading', { name: 'Deleted (1)' }).waitFor();
  expect((await services()).sort()).toEqual(['Bank', 'Store']);
});

it('names the place of each fault, and what to do', async () => {
  chromium.tolerate(/400/);
  const page = await open();
  const alert = page.getByRole('alert');
  await show(page, 'version: 1\nservices:\n  - name: [');
  await alert.getByText(/^Fix the YAML: .*line 3/).waitFor();
  const service = { name: 'Shop', baseUrl: 'https://shop.example.com', authType: 'bearer' };
  const rules = [
    { name: 'a', effect: 'allow' },
    { name: 'b', effect: 'maybe' },
  ];
  await show(
    page,
    JSON.stringify({ version: 1, services: [{ ...service, rules }], agents: [{ name: 'bot', keys: 1 }] }),
  );
  await alert.getByText('service 1, rule 2, effect:').waitFor();
  await alert.getByText('agent 1, keys:').waitFor();
  await alert.getByText('Change the file, and show the difference again.').waitFor();
});

it('asks for the confirmation that a weaker protection needs', async () => {
  await gateway.admin('POST /auth/confirm', { password: PASSWORD });
  await gateway.admin('PUT /workspaces/1', { settings: { confirmFromRisk: 0.5 } });
  chromium.tolerate(/403/);
  const page = await open();
  const file = await downloaded(page);
  file.services!.find(({ name }) => name === 'Store')!.rules = [{ name: 'Allow all', effect: 'allow' }];
  await show(page, stringify(file));
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  await dialog.getByText('Import a configuration').waitFor();
  await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { name: 'Added (1)' }).waitFor();
  expect(await violations(page, 'difference')).toEqual([]);
});

it('is only for people who may import', async () => {
  await addGuest(gateway, 'Aud', 'auditor');
  const page = await chromium.page();
  const ada = (await gateway.admin<{ id: number }[]>('GET /workspaces'))[0].id;
  await logIn(page, gateway.url, `/settings/file?workspace=${ada}`, 'aud@example.com');
  await page.waitForURL('**/settings/profile*');
  expect(await page.getByRole('link', { name: 'Export and import' }).count()).toBe(0);
});

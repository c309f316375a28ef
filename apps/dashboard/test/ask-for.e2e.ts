import type { Service } from '#contracts';
import { RECOMMENDED_EFFECTS } from '#contracts/effects';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../../api/test/support/accounts.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const word = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });
const asked = async (id: number) => (await gateway.admin<Service>(`GET /services/${id}`)).askFor;

it('offers the recommended words for a new service, each with a sentence and an example', async () => {
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, '/services/new?api=other');
  await page.getByLabel('Name', { exact: true }).first().fill('Bank');
  await page.getByLabel('Base URL').fill(`${gateway.upstream.url}/bank`);
  await page.getByRole('radio', { name: /^None/ }).click();
  await page.getByText('Moves, promises or prices money.').waitFor();
  await page.getByText('POST /refunds', { exact: true }).waitFor();
  expect(await word(page, 'Money').isChecked()).toBe(true);
  expect(await word(page, 'Personal data').isChecked()).toBe(false);
  await word(page, 'Unclear').uncheck();
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByRole('heading', { name: 'Bank is saved' }).waitFor();
  const { askFor } = (await gateway.admin<Service[]>('GET /services')).at(-1)!;
  expect(new Set(askFor)).toEqual(new Set(RECOMMENDED_EFFECTS.filter((effect) => effect !== 'unclear')));
});

it('shows the recommended words of a catalogue entry in one line, which opens', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/services/new?api=github');
  await page.getByText('Runs code').waitFor();
  expect(await word(page, 'Money').count()).toBe(0);
  await page.getByRole('button', { name: 'Change: What people are asked about' }).click();
  expect(await word(page, 'Money').isChecked()).toBe(true);
});

it('tries a change on the latest requests before it can be saved, and asks for a confirmation where it weakens', async () => {
  const { id } = gateway.service;
  gateway.model.answer({ score: 0, explanation: 'harmless' });
  await gateway.proxy({ method: 'DELETE', targetUrl: `${gateway.upstream.url}/v1/drafts/1` });
  await gateway.proxy();
  await gateway.app.settled();
  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${id}/rules`);
  await page.getByText('Nothing. Where no rule matches, the risk score decides.').waitFor();
  await page.getByRole('button', { name: 'Edit what people are asked about' }).click();
  const save = page.getByRole('button', { name: 'Save', exact: true });
  expect(await save.isDisabled()).toBe(true);
  await word(page, 'Deletes').check();
  await page.getByText('It would ask about 1 of the last 2 requests.').waitFor();
  await page.getByText('1 request would be treated differently.').waitFor();
  await page.getByText('forwarded → asked').waitFor();
  await save.click();
  await page.getByText('Saved. It applies from the next request.').first().waitFor();
  expect(await asked(id)).toEqual(['delete']);

  chromium.tolerate(/403/);
  await gateway.admin('PUT /workspaces/1', { settings: { confirmFromRisk: 0.5 } });
  await page.getByRole('button', { name: 'Edit what people are asked about' }).click();
  await word(page, 'Deletes').uncheck();
  await page.getByText('It would ask about 0 of the last 2 requests.').waitFor();
  await save.click();
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  await dialog.getByText('· Change the service').waitFor();
  await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Nothing. Where no rule matches, the risk score decides.').waitFor();
  expect(await asked(id)).toEqual([]);
});

import type { RiskRule } from '#contracts';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, violations } from './support/axe.js';
import { logIn, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;
let rule: RiskRule;
const path = () => `/services/${gateway.service.id}/risk-rules`;
const stored = async () => (await gateway.admin<RiskRule[]>(`GET ${path()}`)).find(({ id }) => id === rule.id)!;

beforeAll(async () => {
  gateway = await startGateway();
  const request = { name: 'Refunds', effect: 'require_approval', pathPattern: '/refunds' };
  rule = await gateway.admin<RiskRule>(`POST ${path()}`, request);
});
afterAll(() => gateway.close());

it('lists what a rule was, who changed what, and restores an earlier version', async () => {
  await gateway.admin(`PUT ${path()}/${rule.id}`, { when: 'request.body.amount > 100', methods: ['POST'] });
  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, `/services/${gateway.service.id}/rules`);
  await page.getByRole('button', { name: 'Edit: Refunds' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Earlier versions' }).click();
  await dialog.getByText(/changed: methods, condition$/).waitFor();
  await dialog.getByText(/Ada · first version$/).waitFor();
  const compared = dialog.getByRole('group', { name: 'Compare two versions' });
  const differences = async () => (await compared.getByRole('listitem').allTextContents()).map((each) => each.trim());
  expect(await differences()).toEqual([
    'methods: Before: all → After: POST',
    'condition: Before: none → After: amount > 100',
  ]);
  await compared.getByLabel('Earlier').selectOption({ index: 0 });
  await compared.getByText('These versions are the same.').waitFor();
  await compared.getByLabel('Later').selectOption({ index: 1 });
  expect(await differences()).toContain('methods: Before: POST → After: all');
  expect(await violations(page, 'versions')).toEqual([]);
  await dialog.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByText('Version 1 is restored.').first().waitFor();
  expect(await stored()).toMatchObject({ when: '', methods: [], pathPattern: '/refunds' });
});

it('observes a rule until one press enforces it', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${gateway.service.id}/rules`);
  await page.getByRole('button', { name: 'Edit: Refunds' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('switch', { name: 'Only observe' }).check();
  await dialog.getByRole('button', { name: 'Save rule' }).click();
  await page.getByText('only observed').waitFor();
  expect((await stored()).mode).toBe('observe');
  gateway.model.answer({ score: 0, explanation: 'harmless' });
  await gateway.proxy({
    method: 'POST',
    idempotencyKey: 'seen',
    body: '{}',
    targetUrl: `${gateway.upstream.url}/v1/refunds`,
  });
  await gateway.proxy();
  await gateway.app.settled();
  await page.getByRole('link', { name: 'What it would have done' }).click();
  await page.getByText('/v1/refunds').first().click();
  await page.getByText('Refunds would have held it.').waitFor();
  await page.goto(`${gateway.url}/dashboard/services/${gateway.service.id}/rules`);
  await page.getByRole('button', { name: 'Enforce Refunds' }).click();
  await page.getByText('only observed').waitFor({ state: 'detached' });
  expect((await stored()).mode).toBe('enforce');
});

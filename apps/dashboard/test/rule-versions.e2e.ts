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
  expect(await violations(page, 'versions')).toEqual([]);
  await dialog.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByText('Version 1 is restored.').first().waitFor();
  expect(await stored()).toMatchObject({ when: '', methods: [], pathPattern: '/refunds' });
});

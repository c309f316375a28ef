import type { RiskRule } from '#contracts';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, violations } from './support/axe.js';
import { logIn, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const rules = () => gateway.admin<RiskRule[]>(`GET /services/${gateway.service.id}/risk-rules`);

it('makes a limit of a sum from a field of recent requests, and opens it as it was', async () => {
  await gateway.hold({ method: 'POST', body: '{"id":7,"amount":50}' }, { 'Idempotency-Key': 'seen' });
  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, `/services/${gateway.service.id}/rules`);
  await page.getByRole('button', { name: 'New rule' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Limit', { exact: true }).click();
  const sum = dialog.getByLabel('What is summed');
  await dialog.locator('datalist option[value="request.body.amount"]').waitFor({ state: 'attached' });
  const count = dialog.getByLabel('Requests of each agent');
  await count.fill('499.5');
  const save = dialog.getByRole('button', { name: 'Save rule' });
  expect(await save.isDisabled()).toBe(true);
  await sum.fill('request.body.amount');
  expect(await dialog.getByLabel('Total of each agent').inputValue()).toBe('499.5');
  await dialog.getByLabel('Per').selectOption('day (UTC)');
  await dialog.getByRole('group', { name: 'Summary' }).getByText('to 499.5 per day, then refuse').waitFor();
  expect(await violations(page, 'a limit')).toEqual([]);
  await save.click();
  await dialog.waitFor({ state: 'detached' });
  const saved = (await rules()).at(-1)!;
  expect(saved.limit).toEqual({ count: 499.5, per: 'day', then: 'deny', sum: 'request.body.amount' });

  await page.getByText('the total of request.body.amount to 499.5 per day, then refuse').waitFor();
  await page.getByRole('button', { name: `Edit: ${saved.name}` }).click();
  expect([await sum.inputValue(), await dialog.getByLabel('Total of each agent').inputValue()]).toEqual([
    'request.body.amount',
    '499.5',
  ]);
});

it('shows the gateway’s error about a sum in its field', async () => {
  chromium.tolerate(/400/);
  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${gateway.service.id}/rules`);
  await page.getByRole('button', { name: 'New rule' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Limit', { exact: true }).click();
  const sum = dialog.getByLabel('What is summed');
  await sum.fill('request.body.amount > 5');
  await dialog.getByText('line 1, column 1: it must be a number, and is bool').waitFor();
  expect(await sum.getAttribute('aria-invalid')).toBe('true');
  await sum.fill('request.size');
  await dialog.getByText('line 1, column 1').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Save rule' }).click();
  await dialog.waitFor({ state: 'detached' });
});

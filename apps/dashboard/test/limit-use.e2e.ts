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

const limit = (name: string, pathPattern: string, count: number) =>
  gateway.admin<RiskRule>(`POST /services/${gateway.service.id}/risk-rules`, {
    name,
    effect: 'limit',
    pathPattern,
    limit: { count, per: 'day', then: 'deny' },
  });
const send = (path: string, headers = {}) => gateway.proxy({ targetUrl: `${gateway.upstream.url}/v1${path}` }, headers);

it('shows what each agent has used of a limit, what is left, and when it starts again', async () => {
  gateway.model.answer({ score: 0, explanation: 'harmless' });
  await limit('Few orders', '/orders/**', 4);
  await limit('Few refunds', '/refunds/**', 10);
  const other = await gateway.createAgent('order-bot', [gateway.service.id]);
  for (const id of [1, 2, 3]) expect((await send(`/orders/${id}`)).status).toBe(200);
  for (const id of [1, 2, 3, 4]) await send(`/orders/${id}`, { 'Agent-Key': other.apiKey });
  await gateway.app.settled();

  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, `/services/${gateway.service.id}/rules`);
  const row = page.getByRole('listitem').filter({ hasText: 'Few orders' });
  await row.getByText('Used today (UTC)').waitFor();
  await row.getByText(/^starts again in /).waitFor();
  const uses = row.getByRole('listitem');
  expect(await uses.allInnerTexts()).toEqual([
    expect.stringMatching(/^order-bot\s+4 of 4, used up$/),
    expect.stringMatching(/^support-bot\s+3 of 4, 1 left$/),
  ]);
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Few refunds' })
    .getByText('No agent has used it today (UTC).')
    .waitFor();
  expect(await violations(page, 'limits')).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);

  // The playground shows the same for the agent that is tried.
  const trial = `service=${gateway.service.id}&agent=${gateway.agent.id}&path=/orders/1&intent=look`;
  await page.goto(`${gateway.url}/dashboard/playground#${trial}`);
  await page.getByRole('button', { name: 'Check risk' }).click();
  await page.getByText('3 of 4, 1 left').waitFor();
});

it('limits a sum by the form, shows what is left of it, and says beside the field what is wrong with a sum', async () => {
  // The preview refuses a sum that is not finished.
  chromium.tolerate(/400/);
  await gateway.logInAgain();
  gateway.model.answer({ score: 0, explanation: 'harmless' });
  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, `/services/${gateway.service.id}/rules`);
  await page.getByRole('button', { name: 'New rule' }).first().tap();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Limit', exact: true }).check();
  const sum = dialog.getByRole('combobox', { name: 'What is summed' });
  await sum.fill('request.body.amount +');
  await dialog.getByText(/^line 1, column \d+: /).waitFor();
  expect(await sum.getAttribute('aria-invalid')).toBe('true');
  expect(await violations(page, 'phone, bad sum')).toEqual([]);
  await sum.fill('request.body.amount');
  const total = dialog.getByLabel('Total of each agent');
  await total.fill('0,5');
  await dialog.getByText('Enter a number above 0 as the limit, with a point and at most 6 decimals.').waitFor();
  await total.fill('500');
  await dialog.getByLabel('Per').selectOption('day (UTC)');
  await dialog.getByLabel('Path under the base URL').fill('/payments');
  await dialog.getByLabel('Name', { exact: true }).fill('At most 500 EUR a day');
  await dialog.getByText('Limit the total of request.body.amount to 500 per day, then refuse').waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await violations(page, 'desktop, sum')).toEqual([]);
  await dialog.getByRole('button', { name: 'Save rule' }).click();
  await dialog.waitFor({ state: 'detached' });

  const pay = async (amount: number) => {
    const body = JSON.stringify({ amount });
    const headers = { 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body, idempotencyKey: `pay-${amount}` };
    return (await gateway.proxy({ ...request, targetUrl: `${gateway.upstream.url}/v1/payments` })).status;
  };
  expect([await pay(120.5), await pay(360), await pay(20)]).toEqual([200, 200, 429]);
  await page.reload();
  const row = page.getByRole('listitem').filter({ hasText: 'At most 500 EUR a day' });
  await row.getByText('480.5 of 500, 19.5 left').waitFor();
  expect(await violations(page, 'desktop, use of a sum')).toEqual([]);
});

import type { Service } from '#contracts';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const post = (): Promise<Response> =>
  fetch(`${gateway.url}/s/Shop/orders`, { method: 'POST', headers: { 'Agent-Key': gateway.agentKey }, body: 'x' });

it('changes the base URL settings of a service from the next request', async () => {
  expect((await post()).status).toBe(400);
  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${gateway.service.id}/overview`);
  await page.getByText(`${gateway.url}/s/Shop`).waitFor();
  const save = page.getByRole('button', { name: 'Save base URL settings' });
  expect(await save.isDisabled()).toBe(true);
  await page.getByRole('switch', { name: 'Rewrite links in response bodies' }).check({ force: true });
  await page.getByRole('switch', { name: 'Accept writes without an idempotency key' }).check({ force: true });
  await page.getByRole('switch', { name: 'Send compressed request bodies as they come' }).check({ force: true });
  await page.getByRole('textbox', { name: 'Seconds to wait for a decision' }).fill('30');
  await save.click();
  await page.getByText('Saved.').first().waitFor();
  expect(await gateway.admin<Service>(`GET /services/${gateway.service.id}`)).toMatchObject({
    rewriteLinks: 'bodies',
    requestCodings: 'keep',
    baseUrlDefaults: { idempotency: 'none', wait: 30 },
  });
  expect((await post()).status).toBe(200);

  await page.reload();
  expect(await page.getByRole('switch', { name: 'Rewrite links in response bodies' }).isChecked()).toBe(true);
  expect(await page.getByRole('textbox', { name: 'Seconds to wait for a decision' }).inputValue()).toBe('30');
});

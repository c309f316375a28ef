import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, settled, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

it('says beside a button that sends a form why it can’t be pressed, until it can', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url);
  for (const [path, why] of [
    ['/agents/new', /^The name needs \d+ characters or more\.$/],
    ['/services/new', /^Enter a name\.$/],
    ['/settings/profile', /^Nothing has changed\.$/],
    ['/settings/security', /^Enter your password\.$/],
  ] as const) {
    await page.goto(`${gateway.url}/dashboard${path}`);
    await settled(page);
    const submit = page.locator('main form button[type=submit]');
    expect(await submit.isDisabled()).toBe(true);
    const reason = page.locator(`[id="${await submit.getAttribute('aria-describedby')}"]`);
    expect(await reason.textContent()).toMatch(why);
    expect(await reason.isVisible()).toBe(true);
  }
  await page.goto(`${gateway.url}/dashboard/agents/new`);
  await page.getByLabel('Name').fill('invoice-bot');
  await page.getByRole('checkbox', { name: /Shop/ }).uncheck();
  await page.getByText('Choose at least one service.').waitFor();
  await page.getByRole('checkbox', { name: /Shop/ }).check();
  await page.getByText('Choose at least one service.').waitFor({ state: 'detached' });
  expect(await page.locator('main form button[type=submit]').isEnabled()).toBe(true);
});

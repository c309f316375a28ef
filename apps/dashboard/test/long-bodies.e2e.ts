import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, logIn, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

it('shows a long body of the list only when all of it is there, and offers no decision before', async () => {
  const { action_id } = await gateway.hold({ method: 'PUT', body: 'beginning '.repeat(10_000) });
  const page = await chromium.page();
  const asked = new Promise<() => void>((resolve) => {
    void page.route(`${gateway.url}/approvals/${action_id}`, (route) => resolve(() => void route.continue()));
  });
  await logIn(page, gateway.url);
  await page.locator(`a[data-action-id="${action_id}"]`).click();
  const answer = await asked;
  expect(await page.getByText('beginning beginning').count()).toBe(0);
  expect(await decision(page).approve.count()).toBe(0);
  answer();
  await page.getByText('beginning beginning').first().waitFor();
  await decision(page).approve.waitFor();
});

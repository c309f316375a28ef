/** Two tabs share a session whose access tokens live for seconds. */
import { eventually } from '../../api/test/support/eventually.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, useChromium } from './support/browser.js';

const chromium = useChromium();

let gateway: Gateway;
beforeEach(async () => {
  gateway = await startGateway({ JWT_ACCESS_EXPIRY: '5s' });
});
afterEach(() => gateway.close());

/** A five-second token can expire before the tab uses it. The tab then renews it, which must not fail. */
const EXPIRED = /401 (?!.*\/auth\/refresh\))/;

it('keeps two tabs logged in and live while their access tokens expire', async () => {
  const context = await chromium.context();
  chromium.tolerate(EXPIRED);
  const tabs = [await context.newPage(), await context.newPage()];
  const refreshes: number[] = [];
  let opened = 0;
  context.on('response', (response) => {
    if (response.url().endsWith('/auth/refresh')) refreshes.push(response.status());
    if (response.url().endsWith('/events') && response.status() === 200) opened += 1;
  });
  await logIn(tabs[0], gateway.url);
  await tabs[1].goto(`${gateway.url}/dashboard/approvals`);
  await tabs[1].getByText('Nothing needs your decision.').waitFor();
  // Each stream ends with its token, so three streams mean two expiries.
  await eventually(() => opened >= 3);
  await gateway.hold({}, {});
  for (const tab of tabs)
    await tab
      .getByRole('link', { name: /DELETE customer 42/ })
      .or(tab.getByText('1 new'))
      .first()
      .waitFor();
  await Promise.all(tabs.map((tab) => tab.reload()));
  for (const tab of tabs) await tab.getByRole('link', { name: /DELETE customer 42/ }).waitFor();
  expect(refreshes.length).toBeGreaterThan(2);
  expect(refreshes.every((status) => status === 200)).toBe(true);
});

it('stays logged in when two tabs are reloaded at each refresh', async () => {
  const context = await chromium.context();
  chromium.tolerate(EXPIRED);
  const tabs = [await context.newPage(), await context.newPage()];
  await logIn(tabs[0], gateway.url);
  await Promise.all(
    tabs.map(async (tab) => {
      for (let round = 0; round < 25; round++) {
        const asked = tab.waitForRequest('**/auth/refresh');
        await tab.goto(`${gateway.url}/dashboard/approvals`, { waitUntil: 'commit' });
        // A tab that receives the other tab's token does not request one.
        await Promise.any([asked, tab.getByText('Nothing needs your decision.').waitFor()]);
      }
      await tab.getByText('Nothing needs your decision.').waitFor();
    }),
  );
});

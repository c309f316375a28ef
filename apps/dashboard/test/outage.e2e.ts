import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, logIn, read, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const NO_CONNECTION = /ERR_INTERNET_DISCONNECTED|Failed to fetch dynamically|page not loaded|Unable to preload|404/;

it.each(['desktop', 'phone'] as const)(
  'says on a %s that a page is not loaded because it is offline, and opens it later',
  async (device) => {
    chromium.tolerate(NO_CONNECTION);
    const context = await chromium.context({ device });
    const page = await context.newPage();
    await logIn(page, gateway.url);
    await page.getByText('Nothing needs your decision.').waitFor();
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Services' }).click();
    await page.getByRole('heading', { name: 'You are offline' }).waitFor();
    await page.getByText('It opens when the gateway is reachable again.').waitFor();
    // A loaded page appears and says which data it can't show.
    await page.getByRole('link', { name: 'Approvals' }).click();
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    await page.getByRole('alert').getByText('You are offline').waitFor();
    await page.getByRole('link', { name: 'Services' }).click();
    await page.getByRole('heading', { name: 'You are offline' }).waitFor();
    await context.setOffline(false);
    await page.getByRole('heading', { name: 'Services' }).waitFor();
    await page.getByText('Shop').first().waitFor();
  },
);

it.each(['desktop', 'phone'] as const)(
  'does not cover fields on a %s with the outage message, and removes it afterwards',
  async (device) => {
    chromium.tolerate(NO_CONNECTION);
    const { action_id } = await gateway.hold();
    const context = await chromium.context({ device, movableClock: true });
    const page = await context.newPage();
    await logIn(page, gateway.url, `/approvals/${action_id}`);
    await decision(page).denyWithNote.click();
    const note = page.getByLabel('Tell the agent why');
    await note.fill('Ask the customer first');
    await read(page);
    await context.setOffline(true);
    await decision(page).deny.click();
    const dismiss = page.getByRole('button', { name: 'Dismiss' });
    await dismiss.waitFor();
    const said = (await page.getByText('Could not reach the gateway.').first().boundingBox())!;
    const bar = (await decision(page).bar.boundingBox())!;
    expect(said.y + said.height).toBeLessThanOrEqual(bar.y);
    await context.setOffline(false);
    await dismiss.waitFor({ state: 'detached' });
    expect(await note.inputValue()).toBe('Ask the customer first');
    await decision(page).deny.click();
    await page
      .getByText(/^Denied: /)
      .first()
      .waitFor();
    expect((await gateway.status(action_id)).json()).toMatchObject({ status: 'DENIED' });
  },
);

it('says on a phone why a dialog of the frame does not open', async () => {
  chromium.tolerate(NO_CONNECTION);
  const context = await chromium.context({ device: 'phone' });
  const page = await context.newPage();
  await logIn(page, gateway.url);
  await page.getByText('Nothing needs your decision.').waitFor();
  const more = page.getByRole('button', { name: 'More' });
  await context.setOffline(true);
  await more.tap();
  await page.getByText('Could not reach the gateway. Check your connection and try again.').first().waitFor();
  await context.setOffline(false);
  // A new version of the gateway does not have the old file.
  await page.route(/more-sheet/, (route) => route.fulfill({ status: 404, body: '' }));
  await more.tap();
  await page.getByText('Could not load this part of the page. The dashboard may have been updated.').first().waitFor();
  await page.unroute(/more-sheet/);
  await page.reload();
  await more.tap();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
});

it('opens by itself when a gateway that could not restore the session answers again', async () => {
  chromium.tolerate(/503/);
  const page = await chromium.page();
  await logIn(page, gateway.url);
  await page.getByText('Nothing needs your decision.').waitFor();
  const refresh = '**/auth/refresh';
  const body = { statusCode: 503, message: 'The gateway is starting', requestId: 'test' };
  await page.route(refresh, (route) => route.fulfill({ status: 503, json: body }));
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.unroute(refresh);
  await page.getByText('Nothing needs your decision.').waitFor();
});

it('shows in the status that the risk model is failing, and that it works again', async () => {
  gateway.model.answer({ status: 500, body: '' });
  await gateway.proxy({ method: 'GET', targetUrl: `${gateway.upstream.url}/v1/customers/1` });
  const page = await chromium.page();
  await logIn(page, gateway.url);
  const status = page.getByRole('link', { name: /^Status/ });
  await page.getByRole('link', { name: 'Status The risk model is failing' }).waitFor();
  gateway.model.answer({ score: 0.1 });
  await gateway.proxy({ method: 'GET', targetUrl: `${gateway.upstream.url}/v1/customers/2` });
  await page.reload();
  await page.getByRole('link', { name: 'Status Live' }).waitFor();
  expect(await status.count()).toBe(1);
});

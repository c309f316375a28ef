import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe } from './support/axe.js';
import { logIn, settled, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const NO_CONNECTION = /ERR_INTERNET_DISCONNECTED|status of 503/;

it('can be installed: the manifest names its pages, and its icons have the sizes that it says', async () => {
  const page = await chromium.page();
  await page.goto(`${gateway.url}/dashboard/login`);
  const session = await page.context().newCDPSession(page);
  const { errors, url, data } = await session.send('Page.getAppManifest');
  expect({ errors, url }).toEqual({ errors: [], url: `${gateway.url}/dashboard/manifest.webmanifest` });
  const manifest = JSON.parse(data!) as {
    scope: string;
    start_url: string;
    icons: { src: string; sizes: string; purpose?: string }[];
  };
  expect(manifest).toMatchObject({ scope: '/dashboard/', start_url: '/dashboard/approvals', display: 'standalone' });
  expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true);
  const sizes = await page.evaluate<string[]>(`Promise.all(${JSON.stringify(manifest.icons)}.map(async ({ src }) => {
    const image = new Image();
    image.src = '/dashboard/' + src;
    await image.decode();
    return image.naturalWidth + 'x' + image.naturalHeight;
  }))`);
  expect(sizes).toEqual(manifest.icons.map((icon) => icon.sizes));
});

/** Reloads without a connection. */
async function goOffline(page: Page): Promise<void> {
  await page.evaluate('navigator.serviceWorker.ready.then(() => null)');
  await page.context().setOffline(true);
  await page.reload();
  await page.getByRole('heading', { name: 'You are offline' }).waitFor();
}

it.each(['desktop', 'phone'] as const)(
  'says on a %s that it is offline, shows nothing else, and opens the page when it is online',
  async (device) => {
    chromium.tolerate(NO_CONNECTION);
    await gateway.hold();
    const page = await chromium.page({ device });
    await logIn(page, gateway.url);
    const action = page.getByText('DELETE customer 42').first();
    await action.waitFor();
    await goOffline(page);
    expect(await page.getByText('customer').count()).toBe(0);
    expect(await page.evaluate('caches.keys()')).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.context().setOffline(false);
    await action.waitFor();
  },
);

it('has no accessibility problems while it is offline', async () => {
  chromium.tolerate(NO_CONNECTION);
  const page = await pageWithAxe(chromium, 'phone');
  await page.goto(`${gateway.url}/dashboard/login`);
  await goOffline(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations, passes } = await page.evaluate<AxeResults>('axe.run()');
    expect(violations.map(({ id }) => id)).toEqual([]);
    expect(passes.map(({ id }) => id)).toContain('color-contrast');
  }
});

it('loads the new version when the code of a page is gone', async () => {
  chromium.tolerate(/status of 404|Failed to fetch dynamically|page not loaded|Unable to preload/);
  const page = await chromium.page();
  // Before it is connected, the page takes a missing file for a missing connection.
  const connected = page.waitForResponse(`${gateway.url}/events`);
  await logIn(page, gateway.url);
  await connected;
  await settled(page);
  await page.evaluate('window.old = true');
  // The gateway's answer after another version is installed.
  await page.route('**/dashboard/assets/*.js', (route) => route.fulfill({ status: 404 }));
  await page.route('**/dashboard/', async (route) => {
    await route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/dashboard/assets/new.js">' });
    await page.unrouteAll();
  });
  await page.getByRole('link', { name: 'Playground' }).click();
  await page.getByRole('heading', { name: 'Playground' }).waitFor();
  expect(await page.evaluate(`'old' in window`)).toBe(false);
});

import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { follow, logIn, useChromium } from './support/browser.js';
import { furnish, routes } from './support/routes.js';

const chromium = useChromium();
let gateway: Gateway;
let actionId: string;

beforeAll(async () => {
  gateway = await startGateway();
  actionId = await furnish(gateway);
});
afterAll(() => gateway.close());

// A window of 1280 px at 400 % zoom is 320 px wide (WCAG 1.4.10).
it.each([320, 390, 1440])('needs no horizontal scrolling at %i px on any page', async (size) => {
  chromium.tolerate(/404/);
  const page = await chromium.page({ device: { width: size, height: 640 } });
  await logIn(page, gateway.url);
  const tooWide: Record<string, number> = {};
  for (const path of routes(gateway, actionId)) {
    await follow(page, path);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (width > size) tooWide[path] = width;
  }
  expect(tooWide).toEqual({});
});

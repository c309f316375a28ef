import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, settled, useChromium } from './support/browser.js';
import { furnish, routes } from './support/routes.js';

const chromium = useChromium();
let gateway: Gateway;
let actionId: string;

beforeAll(async () => {
  gateway = await startGateway();
  actionId = await furnish(gateway);
});
afterAll(() => gateway.close());

// 320 px is also what 1280 px leave at 400 % zoom (WCAG 1.4.10).
it('needs no sideways scrolling at 320 px on any page', async () => {
  chromium.tolerate(/404/);
  const page = await chromium.page({ device: { width: 320, height: 640 } });
  await logIn(page, gateway.url);
  const tooWide: Record<string, number> = {};
  for (const path of routes(gateway, actionId)) {
    await page.goto(`${gateway.url}/dashboard${path}`);
    await settled(page);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (width > 320) tooWide[path] = width;
  }
  expect(tooWide).toEqual({});
});

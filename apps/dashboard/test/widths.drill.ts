import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { follow, logIn, settled, useChromium } from './support/browser.js';
import { furnish, routes, ruleStates } from './support/routes.js';

const chromium = useChromium();
let gateway: Gateway;
let actionId: string;

beforeAll(async () => {
  gateway = await startGateway();
  actionId = await furnish(gateway);
});
afterAll(() => gateway.close());

/** Also of a dialog, which scrolls by itself. */
const WIDTH = `Math.max(...[document.documentElement, ...document.querySelectorAll('.mantine-Modal-content, main')]
  .map((each) => each.getBoundingClientRect().left + each.scrollWidth))`;

// A window of 1280 px at 400 % zoom is 320 px wide (WCAG 1.4.10).
it.each([320, 390, 1440])('needs no horizontal scrolling at %i px on any page', async (size) => {
  chromium.tolerate(/404|400/);
  const page = await chromium.page({ device: { width: size, height: 640 } });
  await logIn(page, gateway.url);
  const tooWide: Record<string, number> = {};
  const measure = async (what: string) => {
    const width = await page.evaluate<number>(WIDTH);
    if (width > size) tooWide[what] = width;
  };
  for (const path of routes(gateway, actionId)) {
    await follow(page, path);
    await measure(path);
  }
  for (const [what, open] of Object.entries(ruleStates(gateway))) {
    await open(page);
    await settled(page);
    await measure(what);
  }
  expect(tooWide).toEqual({});
});

import type { Page } from 'playwright-core';
import { eventually } from '../../api/test/support/eventually.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, settled, useChromium } from './support/browser.js';
import { seedActions, seedAgents, seedAudit, seedServices } from './support/seed.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  await seedActions(gateway, 500);
  await seedAudit(gateway, 100_000);
});
afterAll(() => gateway.close());

interface LongestTasks {
  loadingMs: number;
  /** The median of the longest ones while each page of the list loads. A busy machine pauses single ones. */
  scrollingMs: number;
}

/** A page that keeps the length of its longest task. */
async function watchedPage(): Promise<Page> {
  const page = await chromium.page();
  await page.addInitScript(`
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask' });
  `);
  return page;
}

/** Scrolls until this many further pages are loaded. */
async function scrollThrough(page: Page, rows: string, api: string, pages: number): Promise<LongestTasks> {
  const longestMs = () => page.evaluate<number>('[window.longest, (window.longest = 0)][0]');
  const loadingMs = await longestMs();
  await page.locator(rows).first().hover();
  let loaded = 0;
  page.on(
    'response',
    (response) => (loaded += response.url().includes(api) && response.url().includes('cursor=') ? 1 : 0),
  );
  const scrolling: number[] = [];
  for (let count = 1; count <= pages; count++) {
    await eventually(async () => {
      // Scroll the list itself, independent of the mouse position.
      await page.locator(rows).last().scrollIntoViewIfNeeded();
      await page.mouse.wheel(0, 1200);
      return loaded >= count;
    });
    scrolling.push(await longestMs());
  }
  await settled(page);
  return { loadingMs, scrollingMs: scrolling.sort((a, b) => a - b)[Math.floor(pages / 2)] };
}

/**
 * While scrolling, tasks take at most five times as long as the longest one during loading. The browser reports tasks
 * from 50 ms on.
 */
function expectSmooth({ loadingMs, scrollingMs }: LongestTasks): void {
  expect(scrollingMs).toBeLessThanOrEqual(5 * Math.max(loadingMs, 50));
}

it('lists 500 waiting actions and scrolls smoothly', async () => {
  const page = await watchedPage();
  await logIn(page, gateway.url);
  await page.getByText('500 waiting').waitFor();
  await page.locator('a[data-action-id]').first().waitFor();
  const tasks = await scrollThrough(page, 'a[data-action-id]', '/approvals?', 9);
  expect(await page.locator('a[data-action-id]').count()).toBe(500);
  expectSmooth(tasks);
});

it('lists 100,000 audited requests and scrolls smoothly through pages', async () => {
  const page = await watchedPage();
  await logIn(page, gateway.url, '/history?range=30d');
  await page.locator('[data-record]').first().waitFor();
  await settled(page);
  const tasks = await scrollThrough(page, '[data-record]', '/audit?', 10);
  expectSmooth(tasks);
});

it('lists 10,000 agents in pages with their activity, and finds one of them', async () => {
  await seedAgents(gateway, 10_000);
  const page = await chromium.page();
  await logIn(page, gateway.url, '/agents');
  const rows = page.getByRole('table').getByRole('row');
  await page.getByText('1 to 100 of 10,001').waitFor();
  expect(await rows.count()).toBe(101);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('101 to 200 of 10,001').waitFor();
  await page.getByRole('link', { name: 'bot 00150' }).waitFor();
  await page.getByRole('row', { name: 'bot 00150' }).getByText('0 · 0 · 0').waitFor();
  await page.goBack();
  await page.getByText('1 to 100 of 10,001').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('searchbox').fill(gateway.agent.name);
  const found = page.getByRole('row', { name: gateway.agent.name });
  await found.getByText(/^[\d,]{5,} · [\d,]+ · 0$/).waitFor();
  expect(await page.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
});

it('offers the first hundred of 10,000 services, and finds others by name', async () => {
  await seedServices(gateway, 10_000);
  const page = await chromium.page();
  await logIn(page, gateway.url, '/agents/new');
  await page.getByText('9,901 more services').waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(100);
  await page.getByLabel('Name').fill('far-reaching');
  await page.getByRole('searchbox').fill('service 09876');
  await page.getByRole('checkbox', { name: 'service 09876' }).check();
  await page.getByRole('button', { name: 'Create agent and show key' }).click();
  await page.getByLabel('Agent key').waitFor();
});

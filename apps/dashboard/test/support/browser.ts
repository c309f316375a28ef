import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  type Request,
} from 'playwright-core';
import { eventually } from '../../../api/test/support/eventually.js';
import { PASSWORD } from '../../../api/test/support/accounts.js';
import { findChromium } from '../../../../scripts/lib/chromium.mjs';

/**
 * A real Chromium for one test file. Every test gets contexts of its own, and fails on anything that the browser complains about: an
 * error of a script, a refusal of the Content-Security-Policy, an answer that the test did not expect to fail.
 */
export interface Chromium {
  /** A browser of its own, with its own cookies. Pages of one context are tabs of one browser. */
  context(options?: ContextOptions): Promise<BrowserContext>;
  /** A page in a context of its own. */
  page(options?: ContextOptions): Promise<Page>;
  /** Complaints that this test provokes on purpose. */
  tolerate(complaint: RegExp): void;
}

export interface ContextOptions extends Pick<BrowserContextOptions, 'bypassCSP' | 'colorScheme'> {
  device?: Device | { width: number; height: number };
}

export type Device = 'phone' | 'desktop';

const DEVICES: Record<Device, BrowserContextOptions> = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
  desktop: { viewport: { width: 1440, height: 900 } },
};

/** Nothing that a page of ours does takes as long as this, even on a busy machine. */
const PATIENCE_MS = 30_000;
/** Decisions so soon after an action came up, and after a change of the same one, are refused (features/approvals/steady.ts). */
const UNREAD_MS = 1200;
const STEADY_MS = 400;

const requests = new WeakMap<BrowserContext, Set<Request>>();

/** Call at the top of a test file. */
export function useChromium(): Chromium {
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];
  let tolerated: RegExp[] = [];
  jest.setTimeout(180_000);

  beforeAll(async () => {
    const found = await findChromium();
    if (!found) throw new Error('No Chromium: run `npx playwright install chromium`, or set CHROMIUM_PATH');
    browser = await chromium.launch(found);
  });
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    const unexpected = complaints.filter((complaint) => !tolerated.some((pattern) => pattern.test(complaint)));
    contexts = [];
    complaints = [];
    tolerated = [];
    expect(unexpected).toEqual([]);
  });
  afterAll(() => browser.close());

  async function context({ device = 'desktop', ...options }: ContextOptions = {}): Promise<BrowserContext> {
    const known = typeof device === 'string' ? DEVICES[device] : { viewport: device };
    const opened = await browser.newContext({ ...known, ...options, reducedMotion: 'reduce' });
    opened.setDefaultTimeout(PATIENCE_MS);
    contexts.push(opened);
    const underWay = new Set<Request>();
    requests.set(opened, underWay);
    // The event stream never ends.
    opened.on('request', (request) => request.url().endsWith('/events') || underWay.add(request));
    opened.on('requestfinished', (request) => underWay.delete(request));
    opened.on('requestfailed', (request) => underWay.delete(request));
    opened.on('weberror', (error) => complaints.push(`uncaught: ${error.error().message}`));
    opened.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${message.text()} (${message.location().url})`);
    });
    return opened;
  }
  return {
    context,
    page: async (options) => (await context(options)).newPage(),
    tolerate: (complaint) => tolerated.push(complaint),
  };
}

/** Opens a page of the dashboard, through the login. */
export async function logIn(page: Page, url: string, path = '/approvals'): Promise<void> {
  await page.goto(`${url}/dashboard${path}`);
  await enterPassword(page);
}

/** On the login page. */
export async function enterPassword(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL((at) => !at.pathname.endsWith('/login'));
}

/** Until the page has loaded all it wants, and shows it. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1:visible, [role=alert]:visible').first().waitFor();
  let quiet = 0;
  await eventually(async () => {
    const busy = requests.get(page.context())!.size > 0 || (await page.locator('[aria-busy=true]').count()) > 0;
    // What has just arrived may ask for more.
    quiet = busy ? 0 : quiet + 1;
    return quiet === 5;
  }, PATIENCE_MS);
}

/** Waits as long as the page refuses decisions on an action that has just appeared: a human needs longer to read it. */
export const read = (page: Page): Promise<void> => page.waitForTimeout(UNREAD_MS + 50);
/** Waits as long as the page takes a second press for part of the first. */
export const pause = (page: Page): Promise<void> => page.waitForTimeout(STEADY_MS + 50);

/** The dashboard's buttons for one action. */
export const decision = (page: Page) => {
  const bar = page.getByRole('region', { name: 'Decision' });
  return {
    bar,
    approve: bar.getByRole('button', { name: 'Approve', exact: true }),
    confirm: bar.getByRole('button', { name: /^Confirm: / }),
    deny: bar.getByRole('button', { name: 'Deny', exact: true }),
    denyWithNote: bar.getByRole('button', { name: 'Deny with a note' }),
    allowSimilar: bar.getByRole('button', { name: 'Approve and allow similar' }),
  };
};

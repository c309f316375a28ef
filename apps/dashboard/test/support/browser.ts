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
 * A real Chromium for one test file. Each test has its own contexts, and fails when the browser reports a problem: a
 * script error, a Content-Security-Policy violation, or an unexpected failed response.
 */
export interface Chromium {
  /** A context with separate cookies, like a separate browser. Its pages are like tabs. */
  context(options?: ContextOptions): Promise<BrowserContext>;
  /** A page in a new context. */
  page(options?: ContextOptions): Promise<Page>;
  /** Problems that the test causes on purpose. */
  tolerate(complaint: RegExp): void;
}

export interface ContextOptions extends Pick<BrowserContextOptions, 'bypassCSP' | 'colorScheme' | 'timezoneId'> {
  device?: Device | { width: number; height: number };
  /** Lets the test move the clock of the pages (`read`, `atOneMoment`). Until then it runs as usual. */
  movableClock?: boolean;
}

export type Device = 'phone' | 'desktop';

const DEVICES: Record<Device, BrowserContextOptions> = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
  desktop: { viewport: { width: 1440, height: 900 } },
};

/** Every page is faster than this, even on a busy machine. */
const PATIENCE_MS = 300_000;
/** The page refuses decisions this soon after an action appears or changes (features/approvals/steady.ts). */
export const UNREAD_MS = 1200;
export const STEADY_MS = 400;
const MINUTE_MS = 60_000;

const requests = new WeakMap<BrowserContext, Set<Request>>();
const movable = new WeakSet<BrowserContext>();

/** Call at the top of a test file. */
export function useChromium(): Chromium {
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];
  let tolerated: RegExp[] = [];
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

  async function context({
    device = 'desktop',
    movableClock = false,
    ...options
  }: ContextOptions = {}): Promise<BrowserContext> {
    const known = typeof device === 'string' ? DEVICES[device] : { viewport: device };
    const opened = await browser.newContext({ ...known, ...options, reducedMotion: 'reduce' });
    opened.setDefaultTimeout(PATIENCE_MS);
    contexts.push(opened);
    if (movableClock) {
      await opened.clock.install();
      movable.add(opened);
    }
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
export async function logIn(page: Page, url: string, path = '/approvals', email?: string): Promise<void> {
  await page.goto(`${url}/dashboard${path}`);
  await enterPassword(page, email);
}

/** Enters the password on the login page. */
export async function enterPassword(page: Page, email = 'ada@example.com'): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL((at) => !at.pathname.endsWith('/login'));
}

/**
 * Opens a page through the router, without loading the dashboard again, and waits until the page is rendered. Loading
 * the dashboard again for each page would take most of the time of a walk through all pages.
 */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    history.pushState(null, '', '/dashboard${path}');
    dispatchEvent(new PopStateEvent('popstate'));
    requestIdleCallback(() => requestIdleCallback(resolve));
  })`);
  // The router has finished rendering. The new page may still load its code and its data.
  await settled(page);
}

/** Waits until the page has loaded and rendered everything. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1:visible, [role=alert]:visible').first().waitFor();
  let quiet = 0;
  await eventually(async () => {
    const busy = requests.get(page.context())!.size > 0 || (await page.locator('[aria-busy=true]').count()) > 0;
    // A response can trigger further requests.
    quiet = busy ? 0 : quiet + 1;
    return quiet === 5;
  }, PATIENCE_MS);
}

async function skip(page: Page, ms: number): Promise<void> {
  if (!movable.has(page.context())) throw new Error('the page needs the option movableClock');
  await page.clock.fastForward(ms);
}

/** Moves the clock until the page accepts decisions on an action that it shows. People need longer to read it. */
export const read = (page: Page): Promise<void> => skip(page, UNREAD_MS + 1);

/**
 * Stops the clock of the page while the work runs, so that the page waits for the next press however slow the machine
 * is. What needs a timer does not load meanwhile.
 */
export async function atOneMoment(page: Page, work: () => Promise<unknown>): Promise<void> {
  // The page may reach its present time before the clock stops, so it stops at a later one.
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + MINUTE_MS);
  await work();
  await page.clock.resume();
}

/** Reads the open action, arms the button with the first press, and decides with the second. */
export const pressTwice = (page: Page, first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<void> =>
  atOneMoment(page, async () => {
    await first();
    // Otherwise the second press would count as part of a double click.
    await skip(page, STEADY_MS + 1);
    await second();
  });

/** The buttons that decide the open action. */
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

/** The tabs of a browser without a secure context: locks are missing there, and six connections are all that it opens. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { findChromium } from '../../../scripts/lib/chromium.mjs';
import { EventHub } from '../../api/src/events/event-hub.js';
import { eventually } from '../../api/test/support/eventually.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn } from './support/browser.js';

let gateway: Gateway;

beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

/** Browsers slow the timers of hidden tabs down, and ten tabs share the processors. It only finds tabs that hang. */
const TABS_MS = 300_000;

/** The page is in the background, and its clock stands still, so that no lease ends by itself. */
const HIDE = `Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
  const now = Date.now();
  Date.now = () => now;`;

const readPageText = (page: Page) => page.evaluate<string>('document.body.innerText.slice(0, 200)').catch(String);

/** A browser with its own arguments. If the work fails, the error tells what each tab shows. */
async function openBrowser(args: string[], work: (page: () => Promise<Page>) => Promise<void>) {
  const found = await findChromium();
  const directory = mkdtempSync(join(tmpdir(), 'agw-browser-'));
  const context = await chromium.launchPersistentContext(directory, { ...found!, args: [...found!.args, ...args] });
  const faults: string[] = [];
  context.on('weberror', (error) => faults.push(error.error().message));
  context.setDefaultTimeout(TABS_MS);
  try {
    await work(() => context.newPage()).catch(async (error: Error) => {
      const shown = await Promise.all(
        context.pages().map(async (page) => `${page.url()}: ${await readPageText(page)}`),
      );
      throw new Error(`${error.message}\n${shown.join('\n')}`);
    });
    expect(faults).toEqual([]);
  } finally {
    await context.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

it('shows its page in ten tabs over plain http in a LAN, with one event stream', async () => {
  const lan = gateway.url.replace('127.0.0.1', 'gateway.lan');
  await openBrowser(['--host-resolver-rules=MAP gateway.lan 127.0.0.1'], async (open) => {
    const first = await open();
    await logIn(first, lan);
    expect(await first.evaluate('isSecureContext')).toBe(false);
    const others = await Promise.all(
      Array.from({ length: 9 }, async () => {
        const page = await open();
        await page.goto(`${lan}/dashboard/approvals`);
        return page;
      }),
    );
    const tabs = [first, ...others];
    for (const page of tabs) await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    const hub = gateway.app.app.get(EventHub);
    await eventually(() => hub.subscriberCount === 1, TABS_MS);
    // A browser that restores its tabs has none with a token, so all ask for one. A lost race ends the session.
    // Only a visible tab takes the lead of a silent one. These must get it from the tab that leaves.
    for (const page of tabs) await page.addInitScript(HIDE);
    for (let round = 0; round < 2; round++) {
      await Promise.all(tabs.map((page) => page.reload()));
      for (const page of tabs) await page.getByRole('heading', { name: 'Approvals' }).waitFor();
      await eventually(() => hub.subscriberCount === 1, TABS_MS);
    }
    await gateway.hold();
    for (const page of tabs) await page.getByText('1 waiting').first().waitFor();
    // The leading tab closes, and another one leads.
    await first.close();
    await eventually(() => hub.subscriberCount === 1, TABS_MS);
    await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/43` });
    for (const page of others) await page.getByText('2 waiting').first().waitFor();
    // On a busy machine, a leader may come too late to keep its lead, and two streams overlap for a moment.
    await eventually(() => hub.subscriberCount === 1, TABS_MS);
  });
});

/** A database that cannot be opened, as long as the page has `isBroken`. */
const BREAK_DATABASE = `{
  window.isBroken = true;
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (...terms) {
    if (!window.isBroken) return open.apply(this, terms);
    const request = { error: new DOMException('Internal error.', 'UnknownError') };
    setTimeout(() => request.onerror());
    return request;
  };
}`;

it('shares one event stream again when the database of the browser works again', async () => {
  const lan = gateway.url.replace('127.0.0.1', 'gateway.lan');
  await openBrowser(['--host-resolver-rules=MAP gateway.lan 127.0.0.1'], async (open) => {
    const tabs = await Promise.all([open(), open(), open()]);
    for (const page of tabs) await page.addInitScript(BREAK_DATABASE);
    await logIn(tabs[0], lan);
    for (const page of tabs.slice(1)) {
      await page.goto(`${lan}/dashboard/approvals`);
      await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    }
    const hub = gateway.app.app.get(EventHub);
    await eventually(() => hub.subscriberCount === tabs.length, TABS_MS);
    for (const page of tabs) await page.evaluate('window.isBroken = false');
    await eventually(() => hub.subscriberCount === 1, TABS_MS);
    await gateway.hold();
    for (const page of tabs) await page.getByText('1 waiting').first().waitFor();
  });
});

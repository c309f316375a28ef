/**
 * `npm run pageweight`: how long a phone waits. Opens the login and the inbox with an empty cache, at a quarter of this
 * machine's speed and on a slow 4G line (Lighthouse's mobile setting), and checks both against a budget.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import pg from 'pg';
import { chromium } from 'playwright-core';
import { findChromium } from './lib/chromium.mjs';
import { fail, say, step } from './lib/lines.mjs';
import { startPostgres } from './lib/postgres.mjs';
import { buildIfNeeded } from './lib/toolchain.mjs';
import { startTrial } from './lib/trial.mjs';
import { ACCOUNT, makeWorld } from './screenshots/world.mjs';

const CPU_SLOWDOWN = 4;
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: (1.6e6 / 8) * 0.9, uploadThroughput: 750e3 / 8 };
/** Lighthouse rates these as good; the paint is that of a first visit. */
const BUDGET = { kilobytes: 260, requests: 40, lcp: 4000, cls: 0.1, tbt: 300 };

/** Largest contentful paint, layout shift and blocking time, as Lighthouse counts them. */
const OBSERVERS = `
  window.vitals = { lcp: 0, cls: 0, tbt: 0 };
  const observe = (type, each) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true });
  observe('largest-contentful-paint', ({ startTime }) => (window.vitals.lcp = startTime));
  observe('layout-shift', ({ value, hadRecentInput }) => (window.vitals.cls += hadRecentInput ? 0 : value));
  observe('longtask', ({ duration }) => (window.vitals.tbt += Math.max(0, duration - 50)));
`;

/** @typedef {{kilobytes: number, requests: number, lcp: number, cls: number, tbt: number}} Figures */

const found = await findChromium();
if (!found) fail('No Chromium: run `npx playwright install chromium`, or set CHROMIUM_PATH.');
await buildIfNeeded(step);
const dataDir = mkdtempSync(join(tmpdir(), 'agw-weight-'));
const postgres = await startPostgres({ durable: false });
const { PATH, HOME } = process.env;
const trial = await startTrial({
  dataDir,
  env: { PATH, HOME, DATABASE_URL: postgres.url, LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_API_KEY: 'none' },
});
const browser = await chromium.launch(found);
try {
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  await makeWorld(trial.url, database).finally(() => database.end());
  const login = await measure('/login', 'Log in', false);
  const inbox = await measure('/approvals', 'Approvals', true);
  for (const [name, figures] of Object.entries({ login, inbox })) {
    say(
      `${name}: ${figures.kilobytes.toFixed(0)} kB in ${figures.requests} requests, LCP ${(figures.lcp / 1000).toFixed(2)} s, ` +
        `CLS ${figures.cls.toFixed(3)}, TBT ${figures.tbt.toFixed(0)} ms`,
    );
    for (const [key, limit] of Object.entries(BUDGET)) {
      const value = figures[/** @type {keyof Figures} */ (key)];
      if (value > limit) {
        say(`  over budget: ${key} ${value.toFixed(2)}, at most ${limit}`);
        process.exitCode = 1;
      }
    }
  }
} finally {
  await browser.close();
  await trial.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true });
}

/** @param {string} path @param {string} heading @param {boolean} loggedIn @returns {Promise<Figures>} */
async function measure(path, heading, loggedIn) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  const page = await context.newPage();
  if (loggedIn) {
    await page.goto(`${trial.url}/dashboard/login`);
    await page.getByLabel('E-mail').fill(ACCOUNT.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(ACCOUNT.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL('**/approvals');
  }
  await page.addInitScript({ content: OBSERVERS });
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Network.emulateNetworkConditions', SLOW_4G);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  let bytes = 0;
  let requests = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  session.on('Network.requestWillBeSent', () => (requests += 1));
  await page.goto(`${trial.url}/dashboard${path}`);
  await page.getByRole('heading', { name: heading }).waitFor();
  if (loggedIn) await page.locator('a[data-action-id]').nth(4).waitFor();
  // Also measures what follows the first paint, such as late layout shifts.
  await page.waitForTimeout(2000);
  const { lcp, cls, tbt } = await page.evaluate('window.vitals');
  await context.close();
  return { kilobytes: bytes / 1000, requests, lcp, cls, tbt };
}

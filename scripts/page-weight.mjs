/**
 * `npm run pageweight`: how long a phone waits, and what it loads. Opens the login and the inbox with an empty cache, at
 * a quarter of this machine's speed and on a slow 4G line (Lighthouse's mobile setting). Then logs in and approves a
 * request, as a person does, and adds up the bytes on the wire. Last, opens an inbox with long bodies. Checks all against
 * a budget.
 */
import { randomBytes } from 'node:crypto';
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
import { ACCOUNT, hold, makeWorld } from './screenshots/world.mjs';

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const CPU_SLOWDOWN = 4;
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: (1.6e6 / 8) * 0.9, uploadThroughput: 750e3 / 8 };
/** Lighthouse rates these as good; the paint is that of a first visit. */
const BUDGET = { requests: 40, lcp: 4000, cls: 0.1, tbt: 300 };
/** In ms. With 40 held requests, one of 10 MB: until the rows of the inbox are there, and until the page of the largest is. */
const LARGE_BUDGET = { list: 4000, detail: 2000 };
/** From the login to the first decision, with Brotli. */
const WALK_KILOBYTES = 230;
/** A person reads a page for longer. What a page loads later by itself counts too. */
const READING_MS = 5000;

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
const database = new pg.Client({ connectionString: postgres.url });
const { PATH, HOME } = process.env;
const trial = await startTrial({
  dataDir,
  env: { PATH, HOME, DATABASE_URL: postgres.url, LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_API_KEY: 'none' },
});
const browser = await chromium.launch(found);
try {
  await database.connect();
  const world = await makeWorld(trial.url, database);
  report('login', await measure('/login', 'Log in', false));
  report('inbox', await measure('/approvals', 'Approvals', true));
  const brotli = await walk('br', 'Create a refund');
  const gzip = await walk('gzip', 'Merge a pull request');
  say(
    `login to first decision: ${total(brotli).toFixed(1)} kB with Brotli (at most ${WALK_KILOBYTES}), ` +
      `${total(gzip).toFixed(1)} kB with gzip, ${brotli.length} requests`,
  );
  for (const kind of ['Script', 'Stylesheet']) {
    const [small, large] = [brotli, gzip].map((loads) => total(loads.filter(({ type }) => type === kind)).toFixed(1));
    say(`  ${kind.toLowerCase()}s: ${small} kB with Brotli, ${large} kB with gzip`);
  }
  if (total(brotli) > WALK_KILOBYTES) {
    process.exitCode = 1;
    say(`  over budget: ${total(brotli).toFixed(1)} kB, at most ${WALK_KILOBYTES}`);
    for (const { url, bytes } of brotli) say(`    ${(bytes / 1000).toFixed(1).padStart(6)}  ${url}`);
  }
  reportLarge(await openLarge(await holdLarge(world)));
} finally {
  await browser.close();
  await database.end();
  await trial.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true });
}

/** @param {string} name @param {Figures} figures */
function report(name, figures) {
  say(
    `${name}: ${figures.kilobytes.toFixed(0)} kB in ${figures.requests} requests, LCP ${(figures.lcp / 1000).toFixed(2)} s, ` +
      `CLS ${figures.cls.toFixed(3)}, TBT ${figures.tbt.toFixed(0)} ms`,
  );
  for (const [key, limit] of Object.entries(BUDGET)) {
    const value = figures[/** @type {keyof Figures} */ (key)];
    if (value <= limit) continue;
    say(`  over budget: ${key} ${value.toFixed(2)}, at most ${limit}`);
    process.exitCode = 1;
  }
}

/** @param {string} path @param {string} heading @param {boolean} loggedIn @returns {Promise<Figures>} */
async function measure(path, heading, loggedIn) {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  if (loggedIn) await visit(page);
  await page.addInitScript({ content: OBSERVERS });
  const session = await slowDown(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  let requests = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  session.on('Network.requestWillBeSent', () => (requests += 1));
  await page.goto(`${trial.url}/dashboard${path}`);
  await page.getByRole('heading', { name: heading }).waitFor();
  if (loggedIn) await page.locator('a[data-action-id]').nth(2).waitFor();
  // Also measures what follows the first paint, such as late layout shifts.
  await page.waitForTimeout(2000);
  const { lcp, cls, tbt } = await page.evaluate('window.vitals');
  await context.close();
  return { kilobytes: bytes / 1000, requests, lcp, cls, tbt };
}

/**
 * Logs in with an empty cache, opens a held request and approves it. Chromium asks for Brotli over https only, and on
 * localhost, where this gateway is. A phone behind a proxy without TLS gets gzip.
 * @param {'br' | 'gzip'} encoding
 * @param {string} request the summary of the request to approve
 * @returns {Promise<{url: string, type: string, bytes: number}[]>}
 */
async function walk(encoding, request) {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setExtraHTTPHeaders', { headers: { 'Accept-Encoding': encoding } });
  /** @type {Map<string, {url: string, type: string, bytes: number}>} */
  const loads = new Map();
  session.on('Network.responseReceived', ({ requestId, type, response: { url, headers } }) => {
    const used = headers['content-encoding'] ?? headers['Content-Encoding'];
    if (/\.(js|css)$/.test(url) && url.includes('/assets/') && used !== encoding) fail(`${url} came as ${used}`);
    loads.set(requestId, { url: url.replace(trial.url, ''), type, bytes: 0 });
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const load = loads.get(requestId);
    if (load) load.bytes = encodedDataLength;
  });
  await page.goto(`${trial.url}/dashboard/login`);
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  await page.waitForTimeout(READING_MS);
  await logIn(page);
  await page.getByRole('link', { name: request }).waitFor();
  await page.waitForTimeout(READING_MS);
  await page.getByRole('link', { name: request }).click();
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  await page.waitForTimeout(READING_MS);
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText(`Approved by ${ACCOUNT.name}.`).waitFor();
  await page.waitForTimeout(READING_MS);
  await context.close();
  return [...loads.values()];
}

/** Writes 40 held requests with bodies of 60 kB, and one of them with 10 MB. Returns the id of that. */
async function holdLarge(/** @type {Awaited<ReturnType<typeof makeWorld>>} */ { github, devBot }) {
  const common = { agent: devBot, service: github, method: 'PUT', headers: { 'Content-Type': 'application/json' } };
  const told = { intent: 'Write the note', summary: 'PUT note', score: 0.6, says: 'Writes a note.', minutes: 2 };
  let largest = '';
  for (let serial = 1; serial <= 40; serial++) {
    // Random text, because the line compresses the answers.
    const text = randomBytes(serial === 40 ? 5_000_000 : 30_000).toString('hex');
    const body = JSON.stringify({ serial, text });
    largest = await hold(database, { ...common, ...told, path: `/notes/${serial}`, body });
  }
  return largest;
}

/** Opens the inbox with the code in the cache, as on every day but the first, and then a request. Returns the ms. */
async function openLarge(/** @type {string} */ id) {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  await visit(page);
  await slowDown(page);
  let began = performance.now();
  await page.goto(`${trial.url}/dashboard/approvals`);
  await page.locator('a[data-action-id]').nth(39).waitFor();
  const list = performance.now() - began;
  // What the inbox loads ahead comes before the press of a person.
  await page.waitForTimeout(READING_MS);
  began = performance.now();
  await page.locator(`a[data-action-id="${id}"]`).click();
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  await page.getByText(/^This is the beginning of /).waitFor();
  const detail = performance.now() - began;
  await context.close();
  return { list, detail };
}

function reportLarge(/** @type {typeof LARGE_BUDGET} */ { list, detail }) {
  const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(2)} s`;
  say(`40 held requests, one of 10 MB: the list after ${seconds(list)}, the largest request after ${seconds(detail)}`);
  if (list <= LARGE_BUDGET.list && detail <= LARGE_BUDGET.detail) return;
  process.exitCode = 1;
  say(`  over budget: at most ${seconds(LARGE_BUDGET.list)} and ${seconds(LARGE_BUDGET.detail)}`);
}

/** Logs in, which also fills the cache. */
async function visit(/** @type {import('playwright-core').Page} */ page) {
  await page.goto(`${trial.url}/dashboard/login`);
  await logIn(page);
  // Ends what the inbox still loads.
  await page.goto('about:blank');
}

async function slowDown(/** @type {import('playwright-core').Page} */ page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW_4G);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  return session;
}

async function logIn(/** @type {import('playwright-core').Page} */ page) {
  await page.getByLabel('E-mail').fill(ACCOUNT.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(ACCOUNT.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/approvals');
}

/** In kB. @param {{bytes: number}[]} loads */
function total(loads) {
  return loads.reduce((sum, { bytes }) => sum + bytes, 0) / 1000;
}

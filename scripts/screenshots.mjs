/**
 * `npm run screenshots`: starts a temporary gateway with the data of screenshots/world.mjs, and takes the README's
 * pictures into docs/images. `-- --all` also takes every page, at 390 and 1440 px, light and dark, into
 * .tmp/screenshots.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import pg from 'pg';
import { chromium } from 'playwright-core';
import { findChromium } from './lib/chromium.mjs';
import { fail, say, step } from './lib/lines.mjs';
import { startPostgres } from './lib/postgres.mjs';
import { ROOT, buildIfNeeded } from './lib/toolchain.mjs';
import { startTrial } from './lib/trial.mjs';
import { ACCOUNT, makeWorld } from './screenshots/world.mjs';

const IMAGES = join(ROOT, 'docs/images');
const ALL = join(ROOT, '.tmp/screenshots');
const MAX_BYTES = 250_000;
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } };

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{device: keyof typeof SIZES, scheme: 'light' | 'dark'}} Look */

const found = await findChromium();
if (!found) fail('No Chromium: run `npx playwright install chromium`, or set CHROMIUM_PATH.');
await buildIfNeeded(step);
const dataDir = mkdtempSync(join(tmpdir(), 'agw-screenshots-'));
const postgres = await startPostgres({ durable: false });
const { PATH, HOME } = process.env;
const trial = await startTrial({
  dataDir,
  // The pictures need neither the model nor an upstream.
  env: { PATH, HOME, DATABASE_URL: postgres.url, LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_API_KEY: 'none' },
});
const browser = await chromium.launch(found);
try {
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  const world = await makeWorld(trial.url, database).finally(() => database.end());
  await takeReadmePictures(world);
  if (process.argv.includes('--all')) await takeAll(world);
} finally {
  await browser.close();
  await trial.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true });
}

/** @param {Look} look @param {(page: Page, open: (path: string) => Promise<void>) => Promise<void>} work */
async function withPage({ device, scheme }, work) {
  const context = await browser.newContext({
    viewport: SIZES[device],
    colorScheme: scheme,
    reducedMotion: 'reduce',
    ...(device === 'phone' ? { isMobile: true, hasTouch: true, deviceScaleFactor: 2 } : {}),
  });
  const page = await context.newPage();
  let underWay = 0;
  const count = (/** @type {number} */ by) => (/** @type {import('playwright-core').Request} */ request) => {
    // The event stream never ends.
    if (!request.url().endsWith('/events')) underWay += by;
  };
  page.on('request', count(1));
  page.on('requestfinished', count(-1));
  page.on('requestfailed', count(-1));
  const open = async (/** @type {string} */ path) => {
    await page.goto(`${trial.url}/dashboard${path}`);
    await page.locator('h1:visible').first().waitFor();
    for (let quiet = 0; quiet < 5; quiet = underWay === 0 ? quiet + 1 : 0) await page.waitForTimeout(50);
  };
  await open('/login');
  await page.getByLabel('E-mail').fill(ACCOUNT.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(ACCOUNT.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/approvals**');
  await work(page, open);
  await context.close();
}

/** @param {Awaited<ReturnType<typeof makeWorld>>} world */
async function takeReadmePictures({ stripe, critical }) {
  mkdirSync(IMAGES, { recursive: true });
  const take = async (/** @type {Page} */ page, /** @type {string} */ name) => {
    const path = join(IMAGES, `${name}.png`);
    await page.screenshot({ path });
    const { size } = statSync(path);
    if (size > MAX_BYTES) fail(`${name}.png has ${size} bytes, more than the limit of ${MAX_BYTES}`);
    say(`docs/images/${name}.png, ${Math.round(size / 1000)} kB`);
  };
  await withPage({ device: 'desktop', scheme: 'light' }, async (page, open) => {
    await open(`/approvals/${critical}`);
    await take(page, 'inbox');
    await open('/history?range=30d&tab=charts');
    await page.locator('main svg[role=img]').nth(2).waitFor();
    await take(page, 'history');
    await open(`/services/${stripe}/credentials`);
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Token' }).waitFor();
    await take(page, 'rotate');
  });
  await withPage({ device: 'phone', scheme: 'dark' }, async (page, open) => {
    await open(`/approvals/${critical}`);
    await take(page, 'action-phone');
  });
}

/** @param {Awaited<ReturnType<typeof makeWorld>>} world */
async function takeAll({ stripe, billingBot, critical }) {
  mkdirSync(ALL, { recursive: true });
  const service = ['overview', 'credentials', 'documentation', 'rules'].map((tab) => `/services/${stripe}/${tab}`);
  const agent = ['overview', 'access', 'callback', 'snippets'].map((tab) => `/agents/${billingBot}/${tab}`);
  const settings = ['profile', 'security', 'notifications', 'preferences'].map((tab) => `/settings/${tab}`);
  const paths = [
    ...['/approvals', `/approvals/${critical}`, '/approvals?tab=mine'],
    ...['/history', '/history?tab=decisions', '/history?tab=changes', '/history?range=30d&tab=charts'],
    ...[
      '/services',
      '/services/new',
      '/services/new?api=gitea',
      '/services/new?api=other',
      ...service,
      '/agents',
      '/agents/new',
      ...agent,
    ],
    ...['/playground', ...settings, '/status', '/nowhere'],
  ];
  for (const device of /** @type {const} */ (['phone', 'desktop'])) {
    for (const scheme of /** @type {const} */ (['light', 'dark'])) {
      await withPage({ device, scheme }, async (page, open) => {
        for (const path of paths) {
          await open(path);
          if (path.endsWith('tab=charts')) await page.locator('main svg[role=img]').nth(2).waitFor();
          const name = path
            .replace(critical, 'action')
            .replace(/[^a-z0-9]+/gi, '-')
            .replace(/^-|-$/g, '');
          await page.screenshot({ path: join(ALL, `${name}-${device}-${scheme}.png`), fullPage: device === 'phone' });
        }
      });
    }
  }
  say(`every page: ${ALL}`);
}

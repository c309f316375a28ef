/**
 * `npm run icons`: draws the icons of the installed dashboard from the mark in apps/dashboard/public/icon.svg. Run it
 * after the mark has changed, and commit what it writes.
 */
import { readFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from './lib/chromium.mjs';
import { fail, say } from './lib/lines.mjs';
import { ROOT } from './lib/toolchain.mjs';

const PUBLIC = join(ROOT, 'apps/dashboard/public');
const MARK = readFileSync(join(PUBLIC, 'icon.svg'), 'utf8');
const GROUND = /<rect[^>]*fill="(#\w+)"\/>/.exec(MARK)?.[1];
if (!GROUND) fail('icon.svg has no ground');

/** The system cuts its own shape out of these, so the ground reaches the edges and the mark is smaller. */
const square = MARK.replace(/<rect[^>]*\/>/, `<rect x="-8" y="-8" width="48" height="48" fill="${GROUND}"/>`).replace(
  'viewBox="0 0 32 32"',
  'viewBox="-4 -4 40 40"',
);
/** Android shows only the shape of this one, in a colour of its own, in the status bar. */
const badge = MARK.replace(/<rect[^>]*\/>/, '');

const ICONS = [
  { name: 'icon-192', size: 192, svg: MARK },
  { name: 'icon-512', size: 512, svg: MARK },
  { name: 'maskable-512', size: 512, svg: square },
  { name: 'apple-touch-180', size: 180, svg: square },
  { name: 'badge-96', size: 96, svg: badge },
];

const found = await findChromium();
if (!found) fail('No Chromium: run `npx playwright install chromium`, or set CHROMIUM_PATH.');
mkdirSync(join(PUBLIC, 'icons'), { recursive: true });
const browser = await chromium.launch(found);
try {
  const page = await browser.newPage();
  for (const { name, size, svg } of ICONS) {
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(
      `<style>body { margin: 0 } svg { display: block; width: 100vw; height: 100vh }</style>${svg}`,
    );
    await page.screenshot({ path: join(PUBLIC, 'icons', `${name}.png`), omitBackground: true });
  }
} finally {
  await browser.close();
}
say(`${ICONS.length} icons in apps/dashboard/public/icons`);

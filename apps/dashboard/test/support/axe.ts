import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { settled, type Chromium, type ContextOptions } from './browser.js';

const AXE = createRequire(join(process.cwd(), 'package.json')).resolve('axe-core/axe.min.js');
/** All rules run in one colour scheme. In the other one, the page differs only in its colours. */
const RULES = {
  light: { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'] },
  dark: { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
} as const;
const SCHEMES = ['light', 'dark'] as const;
/** The frame of the dashboard fills the window, and what it contains scrolls inside. A hidden text can stick out of it. */
const BEHIND = `document.querySelector('main#main') ? document.documentElement.scrollHeight - innerHeight : 0`;

const OBSCURED = /partially obscured/;

/** A page that loads axe into each of its documents. */
export async function pageWithAxe(
  chromium: Chromium,
  device?: ContextOptions['device'],
  options: Omit<ContextOptions, 'device'> = {},
): Promise<Page> {
  const page = await chromium.page({ ...options, device });
  await page.addInitScript({ path: AXE });
  return page;
}

/** The violations on the current page, in both colour schemes, one line each, and whether it scrolls where it must not. */
export async function violations(page: Page, what: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    // All rules. For passed rules, report one element each.
    const results = await page.evaluate<AxeResults>(
      `axe.run(${JSON.stringify({ ...RULES[colorScheme], resultTypes: ['violations'] })})`,
    );
    expect(results.passes.length).toBeGreaterThan(0);
    for (const { id, nodes } of results.violations) {
      for (const { target, failureSummary = '' } of nodes) {
        const selector = target.join();
        if (id === 'target-size' && OBSCURED.test(failureSummary) && (await isLargeInView(page, selector))) continue;
        found.push(`${what} ${colorScheme} ${id}: ${selector} ${failureSummary}`);
      }
    }
  }
  const behind = await page.evaluate<number>(BEHIND);
  if (behind > 0) found.push(`${what}: the document is ${behind} px taller than the window`);
  return found;
}

/** Whether a target that the page's bar hides in part is large enough where a person scrolls it into view. */
async function isLargeInView(page: Page, selector: string): Promise<boolean> {
  await page.locator(selector).evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const { violations: left } = await page.evaluate<AxeResults>(
    `axe.run(${JSON.stringify(selector)}, { runOnly: { type: 'rule', values: ['target-size'] } })`,
  );
  return left.length === 0;
}

/** The same, after the page has loaded everything. */
export async function settledViolations(page: Page, what: string): Promise<string[]> {
  await settled(page);
  return violations(page, what);
}

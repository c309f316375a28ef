import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { register } from '../../api/test/support/accounts.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { startApp } from '../../api/test/support/start-app.js';
import { logIn, settled, useChromium } from './support/browser.js';
import { furnish, routes } from './support/routes.js';

const chromium = useChromium();
const AXE = createRequire(join(process.cwd(), 'package.json')).resolve('axe-core/axe.min.js');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];
const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let gateway: Gateway;
let actionId: string;

beforeAll(async () => {
  gateway = await startGateway();
  actionId = await furnish(gateway);
});
afterAll(() => gateway.close());

/** Violations of the page as it stands, in both colour schemes, one line each. */
async function violations(page: Page, what: string, schemes: readonly Scheme[] = SCHEMES): Promise<string[]> {
  await settled(page);
  // Each page is a new document, so axe has to be brought along each time; that is why the CSP is off here.
  await page.addScriptTag({ path: AXE });
  const found: string[] = [];
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    const results = await page.evaluate<AxeResults>(`axe.run({ runOnly: ${JSON.stringify(TAGS)} })`);
    expect(results.passes.length).toBeGreaterThan(0);
    for (const { id, nodes } of results.violations)
      found.push(
        ...nodes.map(
          ({ target, failureSummary }) => `${what} ${colorScheme} ${id}: ${target.join()} ${failureSummary}`,
        ),
      );
  }
  return found;
}

async function walk(page: Page, url: string, paths: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    await page.goto(`${url}/dashboard${path}`);
    found.push(...(await violations(page, path).catch((error: Error) => [`${path}: ${error.message}`])));
  }
  return found;
}

it.each(['desktop', 'phone'] as const)('finds nothing on any page with data on a %s', async (device) => {
  chromium.tolerate(/404/);
  const page = await chromium.page({ device, bypassCSP: true });
  await page.goto(`${gateway.url}/dashboard/login`);
  const found = await violations(page, '/login');
  await logIn(page, gateway.url);
  found.push(...(await walk(page, gateway.url, routes(gateway, actionId))));
  expect(found).toEqual([]);
});

it('finds nothing on pages that have nothing to show', async () => {
  chromium.tolerate(/404/);
  const app = await startApp();
  const page = await chromium.page({ bypassCSP: true });
  await page.goto(app.url);
  await page.getByRole('button', { name: 'Create account' }).waitFor();
  const found = await violations(page, '/setup, first step');
  await register(app, 'ada@example.com');
  await logIn(page, app.url, '/setup');
  found.push(...(await violations(page, '/setup, second step')));
  found.push(...(await walk(page, app.url, routes(gateway, UNKNOWN))));
  await page.close();
  await app.close();
  expect(found).toEqual([]);
});

it('finds nothing on pages that could not load, nor while they load', async () => {
  chromium.tolerate(/500|404/);
  const page = await chromium.page({ bypassCSP: true });
  await logIn(page, gateway.url);
  const answer = {
    status: 500,
    json: { error: 'Internal server error', statusCode: 500 },
    headers: { 'X-Request-Id': 'r1' },
  };
  const api = /\/(approvals|audit|services|agents|admin|auth\/sessions|auth\/me|risk)(\/|\?|$)/;
  let waiting = false;
  await page.route(
    ({ pathname, search }) => !pathname.startsWith('/dashboard') && api.test(pathname + search),
    (route) => (waiting ? undefined : route.fulfill(answer)),
  );
  const found = await walk(page, gateway.url, routes(gateway, actionId));
  waiting = true;
  for (const path of ['/approvals', '/history', '/services', '/agents', '/status']) {
    await page.goto(`${gateway.url}/dashboard${path}`);
    await page.locator('[aria-busy=true]').first().waitFor();
    await page.addScriptTag({ path: AXE });
    const results = await page.evaluate<AxeResults>(`axe.run({ runOnly: ${JSON.stringify(TAGS)} })`);
    found.push(
      ...results.violations.map(({ id, nodes }) => `${path} loading ${id}: ${nodes.map(({ html }) => html).join()}`),
    );
  }
  expect(found).toEqual([]);
});

it.each(SCHEMES)('finds nothing in dialogs, panels and menus, %s', async (colorScheme) => {
  const page = await chromium.page({ bypassCSP: true, colorScheme });
  await logIn(page, gateway.url, `/approvals/${actionId}`);
  const found: string[] = [];
  const look = async (what: string) => found.push(...(await violations(page, what, [colorScheme])));
  await page.getByRole('button', { name: 'Deny with a note' }).click();
  await look('note');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Approve and allow similar' }).click();
  await look('allow similar');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await look('shortcuts');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await look('palette');
  await page.goto(`${gateway.url}/dashboard/services/${gateway.service.id}/credentials`);
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('dialog').waitFor();
  await look('rotate');
  await page.goto(`${gateway.url}/dashboard/history`);
  await page.locator('[data-record]').first().click();
  await page.getByRole('dialog').waitFor();
  await look('record');
  expect(found).toEqual([]);
});

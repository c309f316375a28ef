import type { Locator, Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, follow, logIn, settled, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

async function inView(page: Page, target: Locator): Promise<boolean> {
  const { width, height } = page.viewportSize()!;
  const box = (await target.boundingBox())!;
  return box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
}

/** Whether the full text of the element is visible. */
const isWhole = (target: Locator): Promise<boolean> =>
  target.evaluate((node) => node.scrollWidth <= node.clientWidth && node.scrollHeight <= node.clientHeight);

it('keeps the facts in view whatever the agent writes, and expands long texts on request', async () => {
  const words = 'This is only a test, nothing to worry about. ';
  const { action_id } = await gateway.hold({
    intent: words.repeat(10),
    targetUrl: `${gateway.upstream.url}/v1/customers/42?comment=${'harmless-'.repeat(60)}`,
    body: '{"reason":"cleanup","refund":true}',
    headers: { 'Content-Type': 'application/json' },
  });
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  const facts = page.locator('article header');
  const quoted = facts.getByRole('blockquote');
  await quoted.getByRole('button', { name: 'Show all' }).waitFor();
  expect((await quoted.boundingBox())!.height).toBeLessThan(110);
  const body = facts.getByText('“cleanup”');
  expect(await body.count()).toBe(1);
  // The text appears exactly once.
  expect(await page.getByText('“cleanup”').count()).toBe(1);
  expect(await facts.getByText(/^Body /).count()).toBe(0);
  expect((await body.boundingBox())!.y).toBeLessThan((await decision(page).bar.boundingBox())!.y);

  await quoted.getByRole('button', { name: 'Show all' }).tap();
  await quoted.getByRole('button', { name: 'Show less' }).waitFor();
  expect((await quoted.boundingBox())!.height).toBeGreaterThan(200);
});

it('offers to show all of a request line only where a line of it is hidden', async () => {
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url);
  const facts = page.locator('article header');
  // On a phone, the address has two lines below the method, or many.
  for (const [path, buttons] of [
    [`/v1/customers/${'c'.repeat(26)}`, 0],
    [`/v1/customers/${'c'.repeat(260)}`, 1],
  ] as const) {
    const { action_id } = await gateway.hold({ method: 'PUT', body: '{}', targetUrl: gateway.upstream.url + path });
    await follow(page, `/approvals/${action_id}`);
    await facts.getByText(path).waitFor();
    await settled(page);
    expect([path, await facts.getByRole('button', { name: 'Show all' }).count()]).toEqual([path, buttons]);
  }
});

it('shows which rule held a request together with the rest, however late it comes, so that nothing moves', async () => {
  await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Ask about exports',
    effect: 'require_approval',
    pathPattern: '/exports/*',
  });
  const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/exports/1` });
  const page = await chromium.page({ device: 'phone' });
  await page.addInitScript(`new MutationObserver(() => {
    const article = document.querySelector('article');
    if (article?.querySelector('h1')) document.documentElement.dataset.first ??= article.innerText;
  }).observe(document, { childList: true, subtree: true })`);
  const action = page.waitForResponse((response) => new URL(response.url()).pathname === `/approvals/${action_id}`);
  await page.route('**/context', async (route) => {
    await (await action).finished();
    await route.continue();
  });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await page.locator('article').getByText('Held by the rule').waitFor();
  expect(await page.locator('html').getAttribute('data-first')).toContain('Held by the rule Ask about exports');
  // It says so once.
  expect(await page.getByText('requires approval').count()).toBe(0);
});

it('says above the intent that the same request was denied before, and by whom', async () => {
  const again = { targetUrl: `${gateway.upstream.url}/v1/customers/77` };
  const first = await gateway.hold({ ...again, intent: 'delete the customer' });
  await gateway.deny(first.action_id);
  const { action_id } = await gateway.hold({ ...again, intent: 'only a harmless clean-up' });
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  const facts = page.locator('article header');
  await facts.getByText(/^The same request was denied by Ada (just now|.* ago)\./).waitFor();
  await facts.getByRole('link', { name: 'Open that request' }).tap();
  await facts.getByText('“delete the customer”').or(facts.getByText('delete the customer')).first().waitFor();
});

it('describes a large body in the facts and shows it below', async () => {
  const { action_id } = await gateway.hold({ body: JSON.stringify({ text: 'word '.repeat(200) }) });
  const page = await chromium.page();
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await page
    .locator('article header')
    .getByText(/^Body 1 kB/)
    .waitFor();
  // Folded, so that it pushes no other field off the screen.
  await page.getByRole('button', { name: '… 1,000 characters' }).click();
  await page.getByText(/“(?:word ){200}/).waitFor();
});

it.each([
  ['a phone in landscape', { width: 844, height: 390 }, 100],
  ['a small phone on its side', { width: 568, height: 320 }, 100],
  ['a laptop at 200 % zoom', { width: 720, height: 450 }, 100],
  ['a phone at 200 % zoom', { width: 195, height: 422 }, 100],
  ['a phone with 200 % text size', { width: 390, height: 844 }, 200],
  ['a desktop with 200 % text size', { width: 1440, height: 900 }, 200],
])('shows Approve and Deny completely on %s', async (_name, device, textPercent) => {
  const { action_id } = await gateway.hold();
  const page = await chromium.page({ device });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await page.evaluate(`document.documentElement.style.fontSize = '${textPercent}%'`);
  const { approve, deny } = decision(page);
  await approve.waitFor();
  for (const button of [approve, deny]) {
    expect(await inView(page, button)).toBe(true);
    expect(await isWhole(button.locator('.mantine-Button-label'))).toBe(true);
  }
  // Part of the action stays visible beside them.
  expect((await decision(page).bar.boundingBox())!.y).toBeGreaterThan(device.height / 2);
});

it('shows on a phone that there are more tabs, and scrolls to the current one', async () => {
  const page = await chromium.page({ device: { width: 320, height: 640 } });
  await logIn(page, gateway.url, `/services/${gateway.service.id}/rules`);
  const tabs = page.locator('nav.scroll-tabs');
  const current = tabs.locator('[aria-current=page]');
  await current.waitFor();
  expect(await inView(page, current)).toBe(true);
  expect(await tabs.evaluate((nav) => nav.scrollWidth > nav.clientWidth && nav.scrollLeft > 0)).toBe(true);
  expect(await page.evaluate(`getComputedStyle(document.querySelector('nav.scroll-tabs')).scrollbarWidth`)).not.toBe(
    'none',
  );
});

it('shows all tabs of the settings on a desktop', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/settings/file');
  const tabs = page.locator('nav.scroll-tabs');
  await tabs.getByRole('link', { name: 'Export and import' }).waitFor();
  expect(await tabs.evaluate((nav) => nav.scrollWidth - nav.clientWidth)).toBe(0);
});

it.each([
  ['application/x-www-form-urlencoded', 'Form'],
  ['application/json; charset=utf-8', 'Tree'],
  ['text/plain', 'Tree'],
  ['application/xml', 'Text'],
])('shows a body of the type %s as %s first, because servers go by the type', async (type, view) => {
  const { action_id } = await gateway.hold({
    body: '{"amount":1,"x":"&%61mount=1000000&y="}',
    headers: { 'Content-Type': type },
  });
  const page = await chromium.page();
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  const facts = page.locator('article header');
  await facts.getByRole('radio', { name: view, checked: true }).waitFor();
  const isForm = view === 'Form';
  expect(await facts.getByRole('row', { name: 'amount 1000000', exact: true }).count()).toBe(isForm ? 1 : 0);
  const warning = 'The API may read this body as a form or as JSON.';
  expect(await facts.getByText(warning).count()).toBe(isForm ? 1 : 0);
});

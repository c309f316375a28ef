import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import type { Locator } from 'playwright-core';
import { eventually } from '../../api/test/support/eventually.js';
import { decision, logIn, read, useChromium } from './support/browser.js';
import { seedActions } from './support/seed.js';

const chromium = useChromium();
let gateway: Gateway;

beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

it('shows a new request immediately in an empty inbox, and offers later ones', async () => {
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url);
  await page.getByText('Nothing needs your decision.').waitFor();
  await gateway.hold();
  await page.getByRole('link', { name: /DELETE customer 42/ }).waitFor();
  await page.getByRole('heading', { name: /^DELETE customer 42/ }).waitFor();
  expect(await page.getByText('Nothing needs your decision.').count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Show 1 new/ }).count()).toBe(0);

  await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/43` });
  const pill = page.getByRole('button', { name: 'Show 1 new request' });
  await pill.waitFor();
  expect(await page.getByRole('link', { name: /DELETE customer 43/ }).count()).toBe(0);
  // The user's own decision empties the list, so the new action appears.
  await read(page);
  await decision(page).deny.click();
  await page.getByRole('heading', { name: /^DELETE customer 43/ }).waitFor();
  expect(await pill.count()).toBe(0);
});

it('says how many other waiting requests name the same order, and shows them in the list', async () => {
  const refund = (order: number, amount: number) =>
    gateway.hold({
      method: 'POST',
      targetUrl: `${gateway.upstream.url}/v1/orders/${order}/refunds`,
      body: `{"amount":${amount}}`,
      idempotencyKey: `refund-${order}-${amount}`,
    });
  const { action_id } = await refund(7731, 10);
  await refund(7731, 20);
  await refund(7731, 30);
  await refund(4, 40);
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  const card = page.locator('article header');
  await card.getByText('2 more waiting requests name order 7731.').waitFor();
  await card.getByRole('link', { name: 'Show all 3' }).tap();
  const rows = page.locator('a[data-action-id]');
  await eventually(async () => (await rows.count()) === 3);
  for (const text of await rows.allTextContents()) expect(text).toContain('7731');
  expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('7731');
  // The person types another search in the same field.
  await page.getByRole('searchbox', { name: 'Search' }).fill('orders/4/');
  await rows.filter({ hasText: 'order 4' }).waitFor();
});

it('sorts urgent and risky requests first, and moves nothing when new ones arrive', async () => {
  const { action_id: soon } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/1` });
  await gateway.app.database.query(
    `UPDATE actions SET created_at = now() - interval '23 hours', expires_at = now() + interval '50 minutes' WHERE id = $1`,
    [soon],
  );
  gateway.model.answer({ score: 0.6 });
  await gateway.proxy({
    method: 'PUT',
    targetUrl: `${gateway.upstream.url}/v1/customers/2`,
    body: '{}',
    intent: 'mild',
  });
  const page = await chromium.page();
  await logIn(page, gateway.url);
  const rows = page.locator('a[data-action-id]');
  const order = async () => (await rows.allTextContents()).map((text) => /customer (\d)/.exec(text)![1]);
  await rows.nth(1).waitFor();
  expect(await order()).toEqual(['1', '2']);
  await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/3` });
  await page.getByRole('button', { name: 'Show 1 new request' }).click();
  await rows.nth(2).waitFor();
  expect(await order()).toEqual(['1', '3', '2']);
});

/** Whether a row is inside the visible part of its list. */
const isInView = (row: Locator): Promise<boolean> =>
  row.evaluate((element) => {
    const [{ top, bottom }, list] = [element.getBoundingClientRect(), element.closest('ul')!.getBoundingClientRect()];
    return top >= list.top && bottom <= list.bottom;
  });

it('goes to new rows and to the row that a link opens, marks new ones, and says what the order is', async () => {
  await seedActions(gateway, 45);
  const page = await chromium.page({ device: { width: 1280, height: 700 } });
  await logIn(page, gateway.url);
  const list = page.getByRole('list', { name: 'Requests' });
  await page.getByText('45 waiting for you').waitFor();
  await page.getByText('Most urgent first: high risk and little time left').waitFor();
  await list
    .getByText(/ left$/)
    .first()
    .waitFor();
  // A mild request comes last.
  gateway.model.answer({ score: 0.5 });
  const { action_id } = await gateway.hold({ method: 'PUT', body: '{}' });
  await gateway.app.database.query('UPDATE actions SET risk_score = 0 WHERE id = $1', [action_id]);
  await page.getByRole('button', { name: 'Show 1 new request' }).click();
  const row = list.locator(`[data-action-id="${action_id}"]`);
  await row.getByText('New', { exact: true }).waitFor();
  await eventually(() => isInView(row));
  expect(await page.locator(':focus').getAttribute('data-action-id')).toBe(action_id);

  await page.goto(`${gateway.url}/dashboard/approvals/${action_id}`);
  await eventually(() => isInView(row));
  expect(await row.getByText('New', { exact: true }).count()).toBe(0);
});

it('opens what the list has after a search and on another tab, and nothing else', async () => {
  const hold = async (thing: string) =>
    (await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/${thing}` })).action_id;
  const [, pear, plum] = [await hold('apples/1'), await hold('pears/2'), await hold('plums/3')];
  await gateway.approve(plum);
  const page = await chromium.page();
  await logIn(page, gateway.url);
  const heading = page.locator('article h1');
  await heading.waitFor();
  const search = page.getByLabel('Search', { exact: true });
  await search.fill('pears');
  await heading.getByText('DELETE pear 2').waitFor();
  expect(new URL(page.url()).pathname).toContain(pear);
  await search.fill('nothing-has-this');
  await page.getByText('No requests match these filters.').waitFor();
  expect(await page.locator('article').count()).toBe(0);
  await page.getByRole('link', { name: /^Not yet run/ }).click();
  await heading.getByText('DELETE plum 3').waitFor();
  expect(new URL(page.url()).pathname).toContain(plum);
});

it('says that the search does not look inside bodies where it finds nothing', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/approvals?q=ord_4711');
  await page.getByText('It does not look inside bodies.').waitFor();
  await page.goto(`${gateway.url}/dashboard/history?q=ord_4711`);
  await page.getByText('It does not look inside bodies.').waitFor();
});

it('says that the action of a revoked agent can’t run, and only lets it be denied', async () => {
  const { action_id } = await gateway.hold();
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await decision(page).approve.waitFor();
  expect(await decision(page).approve.isEnabled()).toBe(true);
  const row = page.getByRole('list', { name: 'Requests' }).getByRole('link');
  expect(await row.getByText('Can’t run').count()).toBe(0);
  // A live event updates the open page.
  await gateway.admin(`PUT /agents/${gateway.agent.id}`, { isActive: false });
  await page.getByText('The agent is revoked. It can’t be approved.').waitFor();
  await row.getByText('Can’t run').waitFor();
  expect(await decision(page).approve.isDisabled()).toBe(true);
  expect(await decision(page).allowSimilar.isDisabled()).toBe(true);
  await read(page);
  await page.keyboard.press('a');
  expect(await decision(page).confirm.count()).toBe(0);
  await decision(page).deny.click();
  await page
    .getByText(/^Denied: /)
    .first()
    .waitFor();
  expect(await gateway.admin(`GET /approvals/${action_id}`)).toMatchObject({ status: 'DENIED' });
});

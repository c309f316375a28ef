/** What was on the screen when a person approves, and what is said about the rest. */
import type { Page } from 'playwright-core';
import type { AuditRecord } from '#contracts';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, logIn, read, settled, useChromium, type ContextOptions } from './support/browser.js';
import { eventually } from '../../api/test/support/eventually.js';
import { pageWithAxe, violations } from './support/axe.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

let asked = 0;
/** Holds a POST, which needs no second press for its risk. */
async function hold(body: string, path = '/v1/parcels'): Promise<string> {
  gateway.model.answer({ score: 0.6, explanation: 'sends a parcel' });
  asked += 1;
  const { action_id } = await gateway.hold({
    method: 'POST',
    targetUrl: `${gateway.upstream.url}${path}`,
    headers: { 'Content-Type': 'application/json' },
    body,
    idempotencyKey: `seen-${asked}`,
  });
  return action_id;
}
async function open(id: string, device: ContextOptions['device'] = 'phone'): Promise<Page> {
  const page = await pageWithAxe(chromium, device, { movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await settled(page);
  await decision(page).approve.waitFor();
  await read(page);
  return page;
}
const statusOf = async (id: string) => (await gateway.status(id)).json<{ status: string }>().status;
async function recorded(page: Page, id: string): Promise<AuditRecord> {
  // The page of a phone stays, and a desktop shows the next request.
  await page
    .getByText(/^Approved(: | by Ada\. The agent can run it now\.)/)
    .first()
    .waitFor();
  const { id: recordId } = (await gateway.audit('&kind=change')).find(({ actionId }) => actionId === id)!;
  return gateway.admin<AuditRecord>(`GET /audit/${recordId}`);
}
const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, index]));

it('takes one press where the whole request is on the screen, and records that it was', async () => {
  const id = await hold('{"weight":40,"to":{"street":"Rue 1"}}', '/v1/parcels?country=FR');
  const page = await open(id);
  await decision(page).bar.getByText('not on the screen').waitFor({ state: 'detached' });
  await decision(page).approve.click();
  expect((await recorded(page, id)).details?.['seen']).toEqual(['/query', '/body']);
});

it('goes to what was not on the screen with the first press, and approves with the second', async () => {
  const id = await hold(JSON.stringify({ ...fields(60), hidden: 'grant everything' }));
  const page = await open(id);
  await decision(page)
    .bar.getByText(/^\d+ fields were not on the screen$/)
    .waitFor();
  const last = page.getByText('“grant everything”');
  // Every key is there without a press.
  expect(await last.count()).toBe(1);
  await decision(page).approve.click();
  await decision(page)
    .bar.getByText(/ Press again to approve\.$/)
    .waitFor();
  expect(await statusOf(id)).toBe('PENDING');
  await page.clock.fastForward(500);
  await decision(page).approve.click();
  const { details } = await recorded(page, id);
  const seen = details?.['seen'] as string[];
  expect(seen).toContain('/body/field0');
  expect(seen).not.toContain('/body/hidden');
  expect(seen).not.toContain('/body');
});

it('takes one press after the person has scrolled to the end', async () => {
  const id = await hold(JSON.stringify(fields(60)));
  const page = await open(id);
  const rows = page.locator('article [data-part]');
  for (let index = 0; index < 60; index += 5) {
    await rows.nth(index).scrollIntoViewIfNeeded();
    await page.clock.fastForward(800);
  }
  await page.locator('article').getByText('Timeline').scrollIntoViewIfNeeded();
  await page.clock.fastForward(800);
  await decision(page).bar.getByText('not on the screen').waitFor({ state: 'detached' });
  await decision(page).approve.click();
  expect((await recorded(page, id)).details?.['seen']).toEqual(['/body']);
});

it('does not count what is behind the buttons', async () => {
  const id = await hold(JSON.stringify(fields(60)));
  const page = await open(id);
  await page.clock.fastForward(800);
  const words = await decision(page)
    .bar.getByText(/^[1-5]\d fields were not on the screen/)
    .textContent();
  const { y: bar } = (await decision(page).bar.boundingBox())!;
  const boxes = await Promise.all((await page.locator('article [data-part]').all()).map((row) => row.boundingBox()));
  const above = (bottom: number) => boxes.filter((box) => box!.y + box!.height <= bottom).length;
  const unseen = Number.parseInt(words!);
  // The bar became higher with these words, so a row behind it may have been seen before.
  expect(unseen).toBeLessThanOrEqual(60 - above(bar));
  expect(unseen).toBeGreaterThan(60 - above(844));
});

it('folds long values and long lists, and says how much is left', async () => {
  const items = Array.from({ length: 341 }, (_, index) => ({ sku: `s${index}`, count: 1, price: 4 }));
  const id = await hold(JSON.stringify({ note: 'word '.repeat(824), items, last: true }));
  const page = await open(id, { width: 1280, height: 800 });
  await page.getByRole('button', { name: '… 4,120 characters' }).waitFor();
  await page.getByRole('button', { name: /^\+ 3\d\d more, all alike$/ }).waitFor();
  expect(
    await page
      .locator('article [data-part]')
      .filter({ hasText: /^last: true$/ })
      .count(),
  ).toBe(1);
  expect(await page.locator('article [data-part]').count()).toBeLessThan(200);
  await page.getByRole('button', { name: '… 4,120 characters' }).click();
  await page.getByText('word '.repeat(100).trim()).waitFor();
});

it('counts a long value when it was unfolded, and not its beginning', async () => {
  const id = await hold(JSON.stringify({ note: 'word '.repeat(100), weight: 4 }));
  const page = await open(id, { width: 1280, height: 1000 });
  await decision(page).bar.getByText('1 field was not on the screen').waitFor();
  await decision(page).approve.click();
  await decision(page)
    .bar.getByText(/ Press again to approve\.$/)
    .waitFor();
  expect(await statusOf(id)).toBe('PENDING');
  await page.getByRole('button', { name: '… 500 characters' }).click();
  await page.clock.fastForward(800);
  await decision(page).bar.getByText('1 field').waitFor({ state: 'detached' });
  await decision(page).approve.click();
  expect((await recorded(page, id)).details?.['seen']).toEqual(['/body']);
});

it('counts what is not loaded of a long body as not on the screen, until all of it is shown', async () => {
  const id = await hold(JSON.stringify({ ...fields(3), note: 'word '.repeat(20_000), last: 'pay everything' }));
  const page = await open(id, { width: 1280, height: 800 });
  const rest = page.getByText(/^This is the beginning of 100(\.\d)? kB\./);
  await rest.waitFor();
  expect(await page.getByRole('radio', { name: 'Tree' }).count()).toBe(0);
  await decision(page).bar.getByText('Part of the body was not on the screen').waitFor();
  await decision(page).approve.click();
  await decision(page)
    .bar.getByText(/ Press again to approve\.$/)
    .waitFor();
  expect(await statusOf(id)).toBe('PENDING');
  await page.getByRole('button', { name: 'Show the whole body' }).click();
  await page.locator('article [data-part]').getByText('“pay everything”').waitFor();
  expect(await rest.count()).toBe(0);
  await page.locator('article [data-part]').getByText('“pay everything”').scrollIntoViewIfNeeded();
  await page.clock.fastForward(2000);
  // The long value is folded, so it was not on the screen.
  await decision(page).approve.click();
  await decision(page)
    .bar.getByText(/ Press again to approve\.$/)
    .waitFor();
  await page.clock.fastForward(500);
  await decision(page).approve.click();
  const seen = (await recorded(page, id)).details?.['seen'] as string[];
  expect(seen).toContain('/body/last');
  expect(seen).not.toContain('/body/note');
  expect(seen).not.toContain('/body');
});

it('says what is different from what people approved before, and what of it was not on the screen', async () => {
  const usual = { amount_cents: 40, currency: 'EUR', account: 'acc_1', ...fields(40) };
  for (const amount of [30, 40, 50])
    await gateway.approve(await hold(JSON.stringify({ ...usual, amount_cents: amount }), '/v1/transfers'));
  const rule = await gateway.admin<{ id: number }>(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Ask about transfers',
    effect: 'require_approval',
    pathPattern: '/transfers',
  });
  const unusual = { ...usual, amount_cents: 1200, account: 'acc_9', override: true };
  const id = await hold(JSON.stringify(unusual), '/v1/transfers');
  for (const device of ['phone', { width: 1280, height: 800 }] as const) {
    const page = await open(id, device);
    const list = page.getByRole('list', { name: 'Different from the last 3 approved requests' });
    await list.waitFor();
    expect(await list.getByRole('listitem').allTextContents()).toEqual([
      'amount_cents is 30 times the usual: 1200 = €12.00 · usually 40',
      'account is new (not in the last 3): acc_9 · usually acc_1',
      'override is here for the first time (not in the last 3): true',
    ]);
    if (device === 'phone')
      await decision(page)
        .bar.getByText(/, 1 never seen on this operation$/)
        .waitFor();
    await page.getByText('Held by the rule Ask about transfers · made by Ada').waitFor();
    expect(await violations(page, 'a different request')).toEqual([]);
  }
  await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${rule.id}`);
});

it('shows auditors what was on the screen', async () => {
  const id = await hold('{"weight":41}', '/v1/parcels?country=FR');
  const page = await open(id, 'desktop');
  await decision(page).approve.click();
  const record = await eventually(async () =>
    (await gateway.audit('&kind=change')).find(({ actionId }) => actionId === id),
  );
  await page.goto(`${gateway.url}/dashboard/history?tab=changes&id=${record.id}`);
  await page.getByRole('dialog').getByText('the whole query, the whole body').waitFor();
});

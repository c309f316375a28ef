import { readFileSync } from 'node:fs';
import type { Action, CreateAgentResponse } from '#contracts';
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, logIn, read, settled, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;
const DAY_MS = 86_400_000;
/** The name of the day three days ago, such as "Last Tuesday". */
const threeDaysAgo = new Date(Date.now() - 3 * DAY_MS);
const lastDay = `Last ${threeDaysAgo.toLocaleDateString('en-US', { weekday: 'long' })}`;
let refund: Action;
let customer: Action;

beforeAll(async () => {
  gateway = await startGateway();
  const hold = async (path: string, intent: string, request: object = {}) => {
    const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1${path}`, intent, ...request });
    return gateway.admin<Action>(`GET /approvals/${action_id}`);
  };
  refund = await hold('/refunds/7', 'the parcel was broken', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"total": "49.50", "currency": "EUR"}',
    idempotencyKey: 'refund',
  });
  customer = await hold('/customers/8', 'a test user');
  gateway.model.answer({ score: 0 });
  for (let n = 0; n < 3; n++) await gateway.proxy({ targetUrl: `${gateway.upstream.url}/v1/orders/${n}` });
  await gateway.approve(refund.action_id, 'Fine, the photos are convincing');
  await gateway.deny(customer.action_id, 'She is real');
  await gateway.app.settled();
  // Move the decision about the refund to noon of that day. Record ids contain the time.
  await gateway.app.database.query(
    `UPDATE audit_records SET at = to_timestamp($1 / 1000.0),
       id = (lpad(to_hex($1::bigint), 12, '0') || substr(replace(id::text, '-', ''), 13))::uuid
     WHERE reason = 'action.approved'`,
    [new Date(threeDaysAgo).setHours(12)],
  );
});
afterAll(() => gateway.close());

const rows = (page: Page) => page.getByRole('listitem');

it('answers "what was approved last Tuesday, and by whom" in three clicks, and links to the request', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/history');
  await page.getByRole('link', { name: 'Decisions' }).click();
  await page.getByRole('button', { name: 'Day or range…' }).click();
  await page.getByRole('button', { name: lastDay }).click();
  await page.getByRole('link', { name: customer.headline }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: refund.headline }).waitFor();
  expect(await rows(page).count()).toBe(1);
  const row = rows(page).first();
  for (const text of [refund.headline, 'Approved', 'Ada', 'support-bot', 'Shop']) {
    await row.getByText(text, { exact: true }).waitFor();
  }
  // The range shows the name of the day, and the figures are for that day.
  await page.getByRole('radio', { name: lastDay, checked: true }).waitFor();
  await page.getByRole('definition').filter({ hasText: '100%' }).waitFor();
  await row.getByRole('link', { name: refund.headline }).click();
  await page.waitForURL(`**/history/requests/${refund.action_id}?*`);
});

it.each(['desktop', 'phone'] as const)(
  'shows of each decision what the approver saw, with the amount, and the note on a %s',
  async (device) => {
    const page = await chromium.page({ device });
    await logIn(page, gateway.url, '/history?tab=decisions');
    expect(refund.headline).toContain('€49.50');
    const row = rows(page).filter({ hasText: refund.headline });
    const width = page.viewportSize()!.width;
    for (const words of ['Approved', 'Ada', 'support-bot', refund.headline, 'Fine, the photos are convincing']) {
      const box = (await row.getByText(words).first().boundingBox())!;
      expect([words, box.width > 0 && box.x + box.width <= width]).toEqual([words, true]);
    }
    await rows(page).filter({ hasText: customer.headline }).getByText('She is real').waitFor();
  },
);

it('shows a custom range after Apply, which closes the popover, and says why a range can’t be applied', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/history?tab=decisions');
  const open = page.getByRole('button', { name: 'Day or range…' });
  await open.click();
  const [from, until] = [page.getByLabel('From'), page.getByLabel('Until')];
  const apply = page.getByRole('button', { name: 'Apply' });
  const local = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  await from.fill(local(new Date(threeDaysAgo.getTime() + DAY_MS)));
  await until.fill(local(new Date(threeDaysAgo.getTime() - DAY_MS)));
  expect(await apply.isDisabled()).toBe(true);
  const reason = page.locator(`[id="${await apply.getAttribute('aria-describedby')}"]`);
  expect(await reason.textContent()).toBe('The end must be after the start.');
  await from.fill(local(new Date(threeDaysAgo.getTime() - DAY_MS)));
  await until.fill(local(new Date(threeDaysAgo.getTime() + DAY_MS)));
  await apply.click();
  await apply.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: customer.headline }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: refund.headline }).waitFor();
  // The keyboard continues at the same record.
  expect(await open.evaluate('document.activeElement.textContent')).toContain('Day or range…');
});

it('finds decisions by the text of the request, by outcome and by person', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/history?tab=decisions');
  await page.getByRole('link', { name: customer.headline }).waitFor();
  await page.getByRole('link', { name: refund.headline }).waitFor();
  await page.getByRole('searchbox').fill('a test user');
  await page.getByRole('link', { name: refund.headline }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: customer.headline }).waitFor();
  await page.getByRole('searchbox').fill('');
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Decision', { exact: true }).selectOption('Approved');
  await page.getByRole('link', { name: customer.headline }).waitFor({ state: 'detached' });
  await page.getByLabel('Decided by').selectOption('Ada');
  await page.getByRole('link', { name: refund.headline }).waitFor();
  await page.waitForURL(/person=\d+/);
  // A click on the row beside the title opens the record with the note.
  await page
    .getByRole('button', { name: `Approved request: ${refund.headline}` })
    .click({ position: { x: 20, y: 20 } });
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Fine, the photos are convincing').waitFor();
  await drawer.getByText('the parcel was broken').waitFor();
});

it('shows the decision about a held request in its row and in its record', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/history?outcome=held');
  const row = page.getByRole('button', { name: /\/v1\/customers\/8/ });
  await row.getByText('Denied').waitFor();
  await row.getByText('by Ada').waitFor();
  await row.getByText(customer.headline).waitFor();
  await row.getByText('“She is real”').waitFor();
  await row.click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('She is real').waitFor();
  await drawer.getByRole('link', { name: customer.headline }).click();
  await page.waitForURL(`**/history/requests/${customer.action_id}?*`);
});

it('shows figures for the filtered records only', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/history');
  const figure = (name: string) => page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });
  await figure('Requests').getByText('5', { exact: true }).waitFor();
  await page.getByText('1 approved, 1 denied').waitFor();
  await page.getByRole('searchbox').fill('refund');
  await page.getByText('1 approved, 0 denied').waitFor();
  await figure('Requests').getByText('1', { exact: true }).waitFor();
  await page.goto(`${gateway.url}/dashboard/history?outcome=forwarded`);
  await figure('Requests').getByText('3', { exact: true }).waitFor();
  await figure('Approval rate').getByText('–').waitFor();
});

it('describes changes in words: rules as sentences, no JSON', async () => {
  await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Never delete customers',
    effect: 'deny',
    methods: ['DELETE'],
    pathPattern: '/customers/**',
  });
  await gateway.admin(`PUT /services/${gateway.service.id}`, { name: 'Corner shop' });
  await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [gateway.service.id] });
  const { agent } = await gateway.admin<CreateAgentResponse>('POST /agents', {
    name: 'Short-lived',
    serviceIds: [gateway.service.id],
  });
  await gateway.admin(`DELETE /agents/${agent.id}`);
  const page = await chromium.page();
  await logIn(page, gateway.url, '/history?tab=changes');
  const drawer = page.getByRole('dialog');
  const look = async (change: string, words: string | RegExp) => {
    await page.getByRole('button', { name: change }).first().click();
    await drawer.getByText(words).first().waitFor();
    expect(await drawer.innerText()).not.toMatch(/[{}[\]"]/);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
  };
  await look('Added rule', /When any agent sends DELETE to \/customers\/\*\*/);
  await look('Changed service', 'Shop → Corner shop');
  await look('Changed access', 'Corner shop');
  await look('Deleted agent', 'Short-lived (deleted)');
  await look('Created agent', /agt_/);
});

it.each(['desktop', 'phone'] as const)('shows the first records without scrolling on a %s', async (device) => {
  const page = await chromium.page({ device });
  await logIn(page, gateway.url, '/history');
  await page.locator('[data-record]').first().waitFor();
  await settled(page);
  const box = (await page.locator('[data-record]').first().boundingBox())!;
  expect(box.y + box.height).toBeLessThan(page.viewportSize()!.height);
  // The charts tab has the same filters.
  await page.getByRole('searchbox').fill('refund');
  await page.waitForURL(/q=refund/);
  await page.getByRole('link', { name: 'Charts' }).click();
  await page.locator('main svg[role=img]').first().waitFor();
  await page.getByRole('link', { name: 'Show records' }).click();
  await page.locator('[data-record]').first().waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('refund');
});

it('exports the request of a record as a case for a test of the rules', async () => {
  const page = await chromium.page();
  const [record] = await gateway.audit('&kind=request&outcome=held');
  await logIn(page, gateway.url, `/history?id=${record.id}`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as a case' }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  expect(text).toContain(`targetUrl: ${record.url}`);
  expect(text).toContain('decision: model');
});

it.each(['desktop', 'phone'] as const)(
  'shows a request without the inbox on a %s, and goes back to its record',
  async (device) => {
    await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/orders/70` });
    const page = await chromium.page({ device });
    await logIn(page, gateway.url, '/history?outcome=held');
    await page.getByRole('button', { name: /\/v1\/customers\/8/ }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('link', { name: 'Open request' }).click();
    await page.getByRole('heading', { name: customer.headline }).waitFor();
    await settled(page);
    expect(await page.getByRole('list', { name: 'Requests' }).count()).toBe(0);
    expect(await drawer.count()).toBe(0);
    await page.getByRole('main').getByRole('link', { name: 'History', exact: true }).click();
    await drawer.getByText('She is real').waitFor();
    expect(new URL(page.url()).searchParams.get('outcome')).toBe('held');
    // The key leads back too.
    await drawer.getByRole('link', { name: 'Open request' }).click();
    await page.getByRole('heading', { name: customer.headline }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.getByText('She is real').waitFor();
  },
);

it.each([
  ['desktop', 100],
  ['phone', 200],
] as const)(
  'shows the same place in the list after a visit to the page of a request on a %s',
  async (device, first) => {
    for (let order = first; order < first + 40; order++)
      await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/orders/${order}` });
    const page = await chromium.page({ device });
    await logIn(page, gateway.url, '/history?outcome=held');
    const list = page.locator('[role=list][aria-label=Records]').locator('..');
    /** How far the list is scrolled, and the record in its middle. Rows differ in height. */
    const place = () =>
      list.evaluate((scroller) => {
        const box = scroller.getBoundingClientRect();
        const inMiddle = [...scroller.querySelectorAll('[data-record]')].find(
          (row) => row.getBoundingClientRect().bottom > box.top + box.height / 2,
        );
        return [scroller.scrollTop, inMiddle!.getAttribute('data-record')];
      });
    await list.evaluate((scroller) => scroller.scrollTo(0, 1200));
    await settled(page);
    const before = await place();
    expect(before[0]).toBeGreaterThan(0);
    await page.locator(`[data-record="${before[1]}"]`).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Open request' }).click();
    await page.getByRole('main').getByRole('link', { name: 'History', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await settled(page);
    expect(await place()).toEqual(before);
    // Who comes from elsewhere sees the newest records.
    await page.goto(`${gateway.url}/dashboard/history?outcome=held`);
    await settled(page);
    expect((await place())[0]).toBe(0);
  },
);

it('stays at a request that is decided there', async () => {
  const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/orders/71` });
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/history/requests/${action_id}?outcome=held`);
  await decision(page).approve.waitFor();
  await settled(page);
  await read(page);
  await decision(page).bar.getByRole('button', { name: 'Deny', exact: true }).click();
  await page.getByRole('article').getByText('Denied', { exact: true }).first().waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard/history/requests/${action_id}`);
});

it('says of an approval that it was undone, and does not count it', async () => {
  const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/orders/72` });
  const { headline } = await gateway.approve(action_id);
  await gateway.admin(`PATCH /approvals/${action_id}/undo`);
  const page = await chromium.page();
  await logIn(page, gateway.url, '/history?tab=decisions');
  const approval = rows(page).filter({ hasText: headline }).filter({ hasText: 'so it does not count' });
  await approval.getByText('Approved', { exact: true }).waitFor();
  const figure = page.locator('dl > div').filter({ has: page.getByText('Approved', { exact: true }) });
  await figure.getByText('1', { exact: true }).waitFor();
  await page.getByText('An approval that was undone does not count').waitFor();
});

it('says in the row of a refused request why it was refused', async () => {
  await gateway.proxy({ targetUrl: `${gateway.upstream.url}/nowhere` });
  await gateway.app.settled();
  const page = await chromium.page();
  await logIn(page, gateway.url, '/history?outcome=refused');
  await page
    .getByRole('button', { name: /\/nowhere/ })
    .getByText('No service found matching')
    .waitFor();
});

it('leads from the decision about an edited request to what it became', async () => {
  const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/orders/73` });
  const targetUrl = `${gateway.upstream.url}/v1/orders/74`;
  const edited = await gateway.admin<Action>(`POST /approvals/${action_id}/revise`, { targetUrl });
  const [record] = await gateway.audit(`&decision=revised&actionId=${action_id}`);
  const page = await chromium.page();
  await logIn(page, gateway.url, `/history?tab=decisions&id=${record.id}`);
  await page.getByRole('dialog').getByRole('link', { name: 'Open the edited request' }).click();
  await page.waitForURL(`**/history/requests/${edited.action_id}?*`);
});

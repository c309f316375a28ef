import { eventually } from '../../api/test/support/eventually.js';
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, logIn, read, useChromium } from './support/browser.js';
import { PushBrowser } from './support/push.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const messageAbout = (actionId: string, more: object = {}) => ({
  id: '1',
  type: 'approval.requested',
  title: 'DELETE customer 42',
  body: 'Critical risk · bot',
  workspaceId: gateway.agent.userId,
  actionId,
  ...more,
});

it('shows one notification for an action, and removes it when somebody else has decided', async () => {
  const page = await chromium.page({ device: 'phone' });
  await page.goto(`${gateway.url}/dashboard/login`);
  const browser = await PushBrowser.of(page);
  const first = messageAbout('00000000-0000-4000-8000-000000000001', { expiresAt: new Date().toISOString() });
  const second = messageAbout('00000000-0000-4000-8000-000000000002');
  await browser.deliver(first);
  await browser.deliver(second);
  await browser.deliver({ ...second, type: 'approval.reminder' });
  const [shown] = (await browser.shows(2)).filter(({ tag }) => tag === first.actionId);
  expect(shown).toMatchObject({
    title: 'DELETE customer 42',
    silent: false,
    actions: [{ title: 'Review' }, { title: 'Deny' }],
  });
  expect(shown.body).toMatch(/^Critical risk · bot · until \d+:\d\d/);
  await browser.deliver({ ...first, type: 'approval.decided', title: 'Approved by Bo' });
  expect((await browser.shows(1))[0].tag).toBe(second.actionId);
});

it('shows something for a message that it cannot read', async () => {
  const page = await chromium.page();
  await page.goto(`${gateway.url}/dashboard/login`);
  const browser = await PushBrowser.of(page);
  await browser.deliver('}');
  expect((await browser.shows(1))[0]).toMatchObject({ title: 'New notification from Agent Gateway', actions: [] });
});

it('opens the action in the open inbox, and denies only after a press there', async () => {
  const { action_id } = await gateway.hold();
  const page = await chromium.page({ device: 'phone', movableClock: true });
  await logIn(page, gateway.url);
  const browser = await PushBrowser.of(page);
  await browser.deliver(messageAbout(action_id));
  await browser.shows(1);
  await browser.press(action_id, 'deny');
  await page.waitForURL((url) => url.pathname.endsWith(action_id));
  await page.getByLabel('Tell the agent why').waitFor();
  expect((await gateway.status(action_id)).json()).toMatchObject({ status: 'PENDING' });
  expect(await browser.shown()).toEqual([]);
  await read(page);
  await decision(page).deny.click();
  await page
    .getByText(/^Denied: /)
    .first()
    .waitFor();
});

it('says before an e-mail channel is filled in that the gateway sends no mail, and what to set', async () => {
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, '/settings/notifications');
  await page.getByRole('button', { name: 'Add e-mail' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByText(
      'This gateway sends no mail, so an e-mail channel can’t be added. Set SMTP_URL and MAIL_FROM, and restart',
    )
    .waitFor();
  expect(await dialog.getByRole('textbox').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
});

it('keeps what a person enters on another page', async () => {
  const { action_id } = await gateway.hold();
  const page = await chromium.page();
  await logIn(page, gateway.url, '/services/new?api=other');
  await page.getByLabel('Name').first().fill('Half a form');
  const browser = await PushBrowser.of(page);
  await browser.deliver(messageAbout(action_id));
  await browser.shows(1);
  // Without a real press, a browser does not open a window; the worker asks for one.
  const asked = browser.worker.evaluate(
    `new Promise((resolve) => { clients.openWindow = async (url) => resolve(url); })`,
  );
  await browser.press(action_id);
  const workspace = `?workspace=${gateway.agent.userId}`;
  expect(await asked).toBe(`${gateway.url}/dashboard/approvals/${action_id}${workspace}`);
  expect(await page.getByLabel('Name').first().inputValue()).toBe('Half a form');
});

it('closes the notification of an action that is decided while the dashboard is open', async () => {
  const { action_id } = await gateway.hold();
  const page = await chromium.page();
  await page.addInitScript(`
    self.asked = [];
    ServiceWorkerRegistration.prototype.getNotifications = async ({ tag }) => [{ close: () => asked.push(tag) }];`);
  await logIn(page, gateway.url);
  await PushBrowser.of(page);
  await gateway.deny(action_id);
  await eventually(async () => (await page.evaluate('asked.join()')) === action_id);
});

describe('approving from a notification', () => {
  const allowBelow = (approveInNotificationsBelow: number | null) =>
    gateway.admin(`PUT /workspaces/${gateway.agent.userId}`, { settings: { approveInNotificationsBelow } });
  let serial = 0;
  const held = async (): Promise<string> =>
    (await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/push-${++serial}` })).action_id;
  const status = async (id: string): Promise<unknown> => (await gateway.status(id)).json<{ status: string }>().status;
  async function inbox(): Promise<{ page: Page; browser: PushBrowser }> {
    const page = await chromium.page();
    await logIn(page, gateway.url);
    return { page, browser: await PushBrowser.of(page) };
  }
  const says = (browser: PushBrowser, title: string | RegExp) =>
    eventually(async () => (await browser.shown()).find((each) => each.title.match(title)) ?? false);
  /** Presses the button to approve, and waits until the notification shows the request. */
  async function asked(browser: PushBrowser, id: string): Promise<void> {
    await browser.deliver(messageAbout(id, { mayApprove: true }));
    const [shown] = await browser.shows(1);
    expect(shown.actions.map(({ title }) => title)).toEqual(['Approve…', 'Deny']);
    await browser.press(id, 'approve');
  }
  beforeEach(() => allowBelow(1));

  it('shows first what would be sent, and approves that with a second press, in the session of this browser', async () => {
    const id = await held();
    const { page, browser } = await inbox();
    await asked(browser, id);
    const question = await says(browser, /^Approve\? DELETE customer 42/);
    expect(question.body).toBe(`DELETE ${gateway.upstream.url}/v1/customers/push-${serial}`);
    expect(question.actions.map(({ title }) => title)).toEqual(['Approve now', 'Review']);
    expect(await status(id)).toBe('PENDING');
    await browser.press(id, 'approve-now');
    await says(browser, /^Approved$/);
    expect(await status(id)).toBe('APPROVED');
    // The tab has not lost its session.
    await page.reload();
    await page.getByRole('heading', { name: 'Approvals' }).first().waitFor();
  });

  it('approves nothing for a browser where nobody is logged in', async () => {
    chromium.tolerate(/401/);
    const id = await held();
    const page = await chromium.page();
    await page.goto(`${gateway.url}/dashboard/login`);
    const browser = await PushBrowser.of(page);
    await asked(browser, id);
    expect((await says(browser, 'Not approved')).body).toContain('You are not logged in here');
    expect(await status(id)).toBe('PENDING');
  });

  it('approves nothing after another decision, or after the owners switched such approvals off', async () => {
    chromium.tolerate(/403|409/);
    const { browser } = await inbox();
    const denied = await held();
    await gateway.deny(denied);
    await asked(browser, denied);
    expect((await says(browser, 'Not approved')).body).toContain('This request was already decided');
    await browser.press(denied, 'review');
    const id = await held();
    await asked(browser, id);
    await says(browser, /^Approve\?/);
    await allowBelow(null);
    await browser.press(id, 'approve-now');
    expect((await says(browser, 'Not approved')).body).toContain('in the dashboard only');
    expect(await status(id)).toBe('PENDING');
  });
});

it('closes its notifications when the person logs out, so that the next one does not see it', async () => {
  // A request of the page may be under way when its session ends.
  chromium.tolerate(/401/);
  const page = await chromium.page();
  await page.addInitScript(`
    ServiceWorkerRegistration.prototype.getNotifications = async (which) => [
      { close: () => sessionStorage.setItem('closed', JSON.stringify(which ?? 'all')) },
    ];`);
  await logIn(page, gateway.url);
  await PushBrowser.of(page);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.waitForURL((url) => url.pathname.endsWith('/login'));
  expect(await page.evaluate(`sessionStorage.getItem('closed')`)).toBe('"all"');
});

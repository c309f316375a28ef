import { eventually } from '../../api/test/support/eventually.js';
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
  expect((await browser.shows(1))[0]).toMatchObject({ title: 'Agent Gateway has something for you', actions: [] });
});

it('opens the action in the open inbox, and denies only after a press there', async () => {
  const { action_id } = await gateway.hold();
  const page = await chromium.page({ device: 'phone' });
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

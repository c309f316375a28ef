import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WORKSPACE_ID_HEADER, type Channel, type Workspace } from '#contracts';
import type { Page } from 'playwright-core';
import { call, PASSWORD } from '../../api/test/support/accounts.js';
import { eventually } from '../../api/test/support/eventually.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { PushService } from '../../api/test/support/push-service.js';
import { startApp } from '../../api/test/support/start-app.js';
import { pageWithAxe, settledViolations } from './support/axe.js';
import { BrowserPush, type PushOptions } from './support/browser-push.js';
import { enterPassword, logIn, settled, useChromium, type Device } from './support/browser.js';
import { Human } from './support/human.js';
import { addMember } from './support/people.js';
import { PushBrowser } from './support/push.js';

const chromium = useChromium();
const PATH = '/settings/notifications';
const TURN_ON = { name: 'Turn on notifications' };
let gateway: Gateway;
let service: PushService;
let serial = 0;

beforeAll(async () => {
  service = await PushService.start();
  gateway = await startGateway({ PRIVATE_CHANNEL_ALLOWLIST: service.hostAndPort });
});
afterAll(async () => {
  await gateway?.close();
  await service?.close();
});
beforeEach(async () => {
  for (const { id } of await channels()) await gateway.admin(`DELETE /channels/${id}`);
  service.status = 201;
});

const channels = (): Promise<Channel[]> => gateway.admin<Channel[]>('GET /channels');
// Identical requests cause only one notification.
const hold = () => gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/${++serial}` });
/** When each channel of these lists was last changed. */
const changes = async (...lists: (() => Promise<Channel[]>)[]): Promise<string[]> =>
  (await Promise.all(lists.map((list) => list()))).flat().map(({ updatedAt }) => updatedAt);
/**
 * Waits until the browser has given the gateway its new subscription, for each channel. Only few tests of a channel are
 * allowed.
 */
const allChanged = (before: string[], ...lists: (() => Promise<Channel[]>)[]) =>
  eventually(async () => {
    const now = await changes(...lists);
    return now.length === before.length && now.every((at, index) => at !== before[index]);
  });
const here = (page: Page) => page.getByRole('article').filter({ hasText: 'This device' });

/** A page whose browser has a subscription of its own at the push service. */
async function pageWithPush(device: Device, options?: PushOptions): Promise<{ page: Page; push: BrowserPush }> {
  const page = await chromium.page({ device });
  return { page, push: await BrowserPush.of(page.context(), service, `browser-${++serial}`, options) };
}

/** A page where notifications are on. */
async function turnedOn(): Promise<{ page: Page; push: BrowserPush; id: number }> {
  const { page, push } = await pageWithPush('desktop');
  await logIn(page, gateway.url, PATH);
  await page.getByRole('button', TURN_ON).click();
  await here(page).waitFor();
  return { page, push, id: (await channels())[0].id };
}

it('offers notifications in the inbox, and after one press on a phone the next request shows and opens there', async () => {
  const { page, push } = await pageWithPush('phone');
  await logIn(page, gateway.url);
  const human = new Human();
  const offer = page.getByRole('complementary', { name: 'Get notified when a request needs approval' });
  await offer.getByText('The browser will ask for permission.').waitFor();
  expect(push.asked).toBe(0);
  await human.tap(offer.getByRole('button', TURN_ON));
  await page.getByText('Notifications are on for this device.').first().waitFor();
  await offer.waitFor({ state: 'detached' });
  expect(push.asked).toBe(1);

  const { action_id } = await hold();
  const [message] = await service.received(push.current!, 1);
  const screen = await PushBrowser.of(page);
  await screen.deliver(message);
  const [shown] = await screen.shows(1);
  expect(shown).toMatchObject({ title: message.title, tag: action_id });
  await screen.press(action_id);
  await page.waitForURL((url) => url.pathname.endsWith(action_id));
  expect(human.taps).toBe(1);
});

it('also offers them below waiting requests', async () => {
  await hold();
  const { page } = await pageWithPush('phone');
  await logIn(page, gateway.url);
  const offer = page.getByRole('listitem', { name: 'Get notified when a request needs approval' });
  const request = page.getByRole('list', { name: 'Requests' }).getByRole('link').first();
  await request.waitFor();
  await offer.waitFor();
  expect((await offer.boundingBox())!.y).toBeGreaterThan((await request.boundingBox())!.y);
});

it('stops offering notifications to a person who does not want them', async () => {
  const { page, push } = await pageWithPush('desktop');
  await logIn(page, gateway.url);
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.getByRole('button', TURN_ON).waitFor({ state: 'detached' });
  await page.reload();
  await settled(page);
  expect(await page.getByRole('button', TURN_ON).count()).toBe(0);
  expect(push.asked).toBe(0);
});

it('tests the device, names it, and turns it off with the subscription', async () => {
  const { page, push } = await turnedOn();
  const [{ name }] = await channels();
  expect(name).toMatch(/^Chrome on /);
  await here(page)
    .getByRole('button', { name: `Send test to ${name}` })
    .click();
  await here(page)
    .getByText(/^Delivered: the receiver answered 201/)
    .waitFor();
  expect(await service.received(push.current!, 1)).toMatchObject([{ type: 'channel.test' }]);
  await here(page)
    .getByRole('button', { name: `Delete ${name}` })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete channel' }).click();
  await page.getByRole('button', TURN_ON).waitFor();
  expect(push.current).toBeNull();
  expect(await channels()).toEqual([]);
});

it('shows another device of the person, and a device that was deleted there can be turned on again', async () => {
  // The first device asks for the channel that the second has deleted.
  chromium.tolerate(/404/);
  const first = await turnedOn();
  const second = await turnedOn();
  await second.page.getByRole('heading', { name: 'Your other devices' }).waitFor();
  const [{ id, name }] = await channels();
  const other = second.page.getByRole('article', { name }).filter({ hasNotText: 'This device' });
  await other.getByRole('button', { name: `Delete ${name}` }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Delete channel' }).click();
  await other.waitFor({ state: 'detached' });
  expect(second.push.current).not.toBeNull();
  await first.page.getByRole('button', TURN_ON).click();
  await here(first.page).waitFor();
  const left = await channels();
  expect(left).toHaveLength(2);
  expect(left.map((each) => each.id)).not.toContain(id);
});

it('says what to do when the person, or the browser, does not allow it', async () => {
  const { page } = await pageWithPush('desktop', { answer: 'denied' });
  await logIn(page, gateway.url, PATH);
  await page.getByRole('button', TURN_ON).click();
  await page
    .getByText(/^This browser blocks notifications from 127\.0\.0\.1.*allow notifications, and come back\.$/)
    .waitFor();
  expect(await channels()).toEqual([]);
  const unsure = await pageWithPush('desktop', { answer: 'default' });
  await logIn(unsure.page, gateway.url, PATH);
  await unsure.page.getByRole('button', TURN_ON).click();
  await unsure.page.getByText('You have not given permission.').waitFor();
});

it.each([
  ['an iPhone', `Object.defineProperty(navigator, 'userAgent', { get: () => 'iPhone' })`, /“Add to Home Screen”/],
  ['an old browser', '', /^This browser does not support push notifications/],
  ['a page over http', `Object.defineProperty(window, 'isSecureContext', { get: () => false })`, /on https pages/],
])('says what %s lacks', async (_what, script, words) => {
  const page = await chromium.page({ device: 'phone' });
  await page.addInitScript(`delete window.PushManager; ${script}`);
  await logIn(page, gateway.url, PATH);
  await page.getByText(words).waitFor();
  expect(await page.getByRole('button', TURN_ON).count()).toBe(0);
});

it('ends the subscription and deletes the channel when the person logs out', async () => {
  // The open page asks for the channels once more, because one was deleted.
  chromium.tolerate(/401/);
  const { page, push } = await turnedOn();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByLabel('E-mail').waitFor();
  expect(push.current).toBeNull();
  expect(await channels()).toEqual([]);
});

it('ends the subscription of a person whose session is over when another one logs in', async () => {
  await addMember(gateway, 'Bo', 'approver');
  // A page before login asks whether there is a session.
  chromium.tolerate(/401/);
  const { page, push } = await turnedOn();
  await page.context().clearCookies();
  await page.reload();
  await enterPassword(page, 'bo@example.com');
  await eventually(() => push.current === null);
  await page.getByRole('button', TURN_ON).waitFor();
});

it('is one device in several workspaces: each notifies it, also after a new subscription, and a log-out removes all of its channels', async () => {
  // The open page asks for the channels once more, because one was deleted.
  chromium.tolerate(/401/);
  const { page, push, id } = await turnedOn();
  const { id: workspaceId } = await gateway.admin<Workspace>('POST /workspaces', { name: 'Second' });
  const there = { token: gateway.token, headers: { [WORKSPACE_ID_HEADER]: String(workspaceId) } };
  const channelsThere = async () => (await call<Channel[]>(gateway.app, 'GET /channels', there)).body;
  await page.goto(`${gateway.url}/dashboard${PATH}?workspace=${workspaceId}`);
  await page.getByRole('button', TURN_ON).click();
  await here(page).waitFor();
  const [second] = await channelsThere();
  const before = await changes(channels, channelsThere);
  push.replace();
  await page.reload();
  await allChanged(before, channels, channelsThere);
  await gateway.admin(`POST /channels/${id}/test`);
  await call(gateway.app, `POST /channels/${second.id}/test`, there);
  const told = (await service.received(push.current!, 2)).map((each) => each.workspaceId);
  expect(told).toContain(workspaceId);
  expect(new Set(told).size).toBe(2);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByLabel('E-mail').waitFor();
  expect([await channels(), await channelsThere()]).toEqual([[], []]);
  await gateway.admin(`DELETE /workspaces/${workspaceId}`);
});

it('sends a new subscription to the gateway, immediately and after the tab was closed', async () => {
  const { page, push, id } = await turnedOn();
  const { worker } = await PushBrowser.of(page);
  const arrives = async () => {
    await gateway.admin(`POST /channels/${id}/test`);
    await service.received(push.current!, 1);
  };
  await arrives();
  let before = await changes(channels);
  push.replace();
  await worker.evaluate(`{
    const event = new Event('pushsubscriptionchange');
    self.dispatchEvent(Object.assign(event, { oldSubscription: null, newSubscription: {}, waitUntil() {} }));
  }`);
  await allChanged(before, channels);
  await arrives();
  const context = page.context();
  await page.close();
  before = await changes(channels);
  push.replace();
  const next = await context.newPage();
  await next.goto(`${gateway.url}/dashboard${PATH}`);
  await allChanged(before, channels);
  await arrives();
  before = await changes(channels);
  push.current = null;
  await next.reload();
  await allChanged(before, channels);
  await arrives();
  expect(await channels()).toHaveLength(1);
});

it('turns a device on again after the push service gave it up', async () => {
  const { page, push, id } = await turnedOn();
  const before = push.current;
  service.status = 410;
  await gateway.admin(`POST /channels/${id}/test`);
  await page.getByText('its subscription has ended').waitFor();
  service.status = 201;
  await page.getByRole('button', { name: 'Turn on again' }).click();
  await page.getByText('its subscription has ended').waitFor({ state: 'detached' });
  expect(push.current).not.toBe(before);
  await gateway.admin(`POST /channels/${id}/test`);
  await service.received(push.current!, 1);
});

it('leads from a new gateway to the first notification by the steps of the documentation', async () => {
  const docs = readFileSync(join(process.cwd(), 'docs/notifications.md'), 'utf8');
  const [, section] = /## Notifications on your phone.*?\n(.*?)\n## /s.exec(docs)!;
  const steps = section.match(/^\d\. .*(\n {3}.*)*/gm)!;
  expect(steps).toHaveLength(6);
  const app = await startApp({ PRIVATE_CHANNEL_ALLOWLIST: service.hostAndPort });
  // A page before login asks whether there is a session.
  chromium.tolerate(/401/);
  const { page, push } = await pageWithPush('phone');
  try {
    await page.goto(app.url);
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    const presses = steps.flatMap((step) => Array.from(step.matchAll(/\*\*(.+?)\*\*/g), ([, name]) => name));
    for (const name of presses) {
      // “Allow” is the browser's own button.
      if (name === 'Allow') await eventually(() => push.asked === 1);
      else await page.getByRole('button', { name, exact: true }).or(page.getByRole('link', { name })).first().tap();
    }
    expect(presses).toHaveLength(5);
    expect(await service.received(push.current!, 1)).toMatchObject([{ title: 'Test: this channel works' }]);
    await page
      .getByText(/^Delivered: /)
      .first()
      .waitFor();
  } finally {
    await page.context().close();
    await app.close();
  }
});

it.each(['desktop', 'phone'] as const)('has no violations and nothing too wide on a %s', async (device) => {
  const page = await pageWithAxe(chromium, device);
  await BrowserPush.of(page.context(), service, `axe-${device}`);
  await logIn(page, gateway.url);
  await page.getByRole('button', TURN_ON).waitFor();
  const found = await settledViolations(page, 'offer');
  await page.goto(`${gateway.url}/dashboard${PATH}`);
  await page.getByRole('button', TURN_ON).waitFor();
  found.push(...(await settledViolations(page, 'off')));
  await page.getByRole('button', TURN_ON).click();
  await here(page).waitFor();
  found.push(...(await settledViolations(page, 'on')));
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(found).toEqual([]);
});

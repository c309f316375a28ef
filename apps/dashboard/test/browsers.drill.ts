import type { HeldResponse, RiskRule } from '#contracts';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventHub } from '../../api/src/events/event-hub.js';
import { eventually } from '../../api/test/support/eventually.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, enterPassword, logIn, read, useChromium } from './support/browser.js';
import { addMember, readWorkspace } from './support/people.js';

/** Browsers that translate, compose, have other layouts, block cookies, or stand behind a proxy. */
const chromium = useChromium();
let gateway: Gateway;

beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

/** Replaces each text that may be translated by `<font>` elements, as Chrome does. Returns what it replaced. */
const TRANSLATE = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  return texts.filter((text) => {
    const parent = text.parentElement;
    if (!text.data.trim() || parent.closest('[translate=no], script, style, font')) return false;
    const outer = document.createElement('font');
    const inner = outer.appendChild(document.createElement('font'));
    inner.textContent = '«' + text.data + '»';
    parent.replaceChild(outer, text);
    return true;
  }).map((text) => text.data);
})()`;

it('shows each new state of a page that the browser translates, and leaves requests and names as they are', async () => {
  const { action_id } = await gateway.hold();
  const page = await chromium.page();
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await decision(page).approve.waitFor();
  const translated = await page.evaluate<string[]>(TRANSLATE);
  expect(translated).toContain('Deny');
  const exact = ['DELETE', 'customers', '127.0.0.1', 'Shop', 'Ada'];
  expect(translated.filter((text) => exact.some((each) => text.includes(each)))).toEqual([]);
  await page.getByText('«Approvals»').first().waitFor();

  await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/43` });
  await page.getByRole('button', { name: /1 new/ }).waitFor();
  await page.evaluate(TRANSLATE);
  await gateway.deny(action_id, 'no');
  await page.getByText('Denied by Ada. The agent will see this the next time it checks.').waitFor();
  await page.evaluate(TRANSLATE);
  for (const name of ['History', 'Services', 'Agents', 'Approvals']) {
    await page
      .getByRole('link', { name: new RegExp(name) })
      .first()
      .click();
    await page.getByRole('heading', { name: new RegExp(name), level: 1 }).waitFor();
    await page.evaluate(TRANSLATE);
  }
});

it('updates a translated text that stands beside other texts', async () => {
  await gateway.hold();
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url);
  await decision(page).approve.waitFor();
  await page.evaluate(TRANSLATE);
  await read(page);
  // The button's word stands beside its key, so React keeps the replaced text and changes it.
  await page.keyboard.press('a');
  await decision(page)
    .bar.getByText(/^Confirm: DELETE customer 42/)
    .waitFor();
  expect(await decision(page).bar.getByText('«Approve»').count()).toBe(0);
});

it('leaves the keys of a composition to the input method', async () => {
  const { action_id } = await gateway.hold();
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await decision(page).approve.waitFor();
  await read(page);
  const devtools = await page.context().newCDPSession(page);
  const compose = (text: string) =>
    devtools.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  const composingKey = (key: string, modifiers = 0) =>
    devtools.send('Input.dispatchKeyEvent', {
      type: 'rawKeyDown',
      key,
      code: key,
      windowsVirtualKeyCode: 229,
      modifiers,
    });

  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog');
  await palette.getByRole('combobox').or(palette.getByRole('textbox')).first().focus();
  await compose('けん');
  for (const key of ['ArrowDown', 'Enter', 'Escape']) await composingKey(key);
  expect(await palette.isVisible()).toBe(true);
  expect(new URL(page.url()).pathname).toBe(`/dashboard/approvals/${action_id}`);
  await compose('');
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });

  await page.keyboard.press('d');
  const note = page.getByLabel('Tell the agent why');
  await note.focus();
  await compose('だめ');
  await composingKey('Escape');
  await composingKey('Enter', 2);
  expect(await note.isVisible()).toBe(true);
  expect((await gateway.status(action_id)).json()).toMatchObject({ status: 'PENDING' });
});

it('uses the position of a key for shortcuts on keyboards without Latin letters, and its letter on other keyboards', async () => {
  for (const id of [41, 42, 43]) await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/${id}` });
  const page = await chromium.page();
  await logIn(page, gateway.url);
  await decision(page).approve.waitFor();
  const devtools = await page.context().newCDPSession(page);
  const press = (key: string, code: string, modifiers = 0) =>
    devtools.send('Input.dispatchKeyEvent', { type: 'keyDown', key, code, text: modifiers ? '' : key, modifiers });
  const current = () => page.locator('a[data-action-id][aria-current]').getAttribute('data-action-id');
  const first = await current();
  await press('о', 'KeyJ');
  await eventually(async () => (await current()) !== first);
  await press('л', 'KeyK');
  await eventually(async () => (await current()) === first);
  // Dvorak: `h` is on the key of `j`, and `j` on the key of `c`.
  await press('h', 'KeyJ');
  await press('j', 'KeyC');
  await eventually(async () => (await current()) !== first);
  await press('k', 'KeyV');
  await eventually(async () => (await current()) === first);
  await press('л', 'KeyK', 2);
  await page.getByRole('dialog').waitFor();
});

it('counts the requests of today on the day of the reader, also west of UTC', async () => {
  await gateway.proxy();
  const [{ at }] = await gateway.audit('&kind=request');
  const timeZone = 'Atlantic/Cape_Verde';
  const page = await chromium.page({ timezoneId: timeZone });
  const asked = page.waitForRequest(/\/audit\/stats\?/);
  await logIn(page, gateway.url, '/history?tab=charts');
  expect(new URL((await asked).url()).searchParams.get('timeZone')).toBe(timeZone);
  const bars = page.getByRole('img', { name: /^1 request,/ }).locator('g > title');
  await bars.first().waitFor({ state: 'attached' });
  const today = new Intl.DateTimeFormat('en-US', { timeZone, month: 'short', day: 'numeric' }).format(new Date(at));
  const counted = (await bars.allTextContents()).filter((bar) => /[1-9]/.test(bar.split(':')[1]));
  expect(counted).toEqual([`${today}: Forwarded 1, Needed approval 0, Refused 0`]);
});

it('begins each day at its first moment, also where midnight does not exist', async () => {
  const page = await chromium.page({ timezoneId: 'Africa/Cairo' });
  await logIn(page, gateway.url, '/history');
  // On 24 April 2026, the clocks in Cairo go from 23:59 to 1:00.
  await page.clock.setFixedTime(new Date('2026-04-24T12:00:00+03:00'));
  await page.route('**/*', async (route) => {
    // The stream of events has no end.
    if (route.request().url().includes('/events')) return route.continue();
    const response = await route.fetch();
    // The page takes the time from the gateway.
    await route.fulfill({ response, headers: { ...response.headers(), date: 'Fri, 24 Apr 2026 09:00:00 GMT' } });
  });
  await page.getByRole('link', { name: 'Agents' }).first().click();
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'History' }).first().click();
  const range = async (day: string) => {
    await page.getByRole('button', { name: 'Day or range…' }).click();
    await page.getByRole('group', { name: 'One day' }).getByRole('button', { name: day }).click();
    const { searchParams } = new URL(page.url());
    return [searchParams.get('from'), searchParams.get('to')];
  };
  expect(await range('Yesterday')).toEqual(['2026-04-22T22:00:00.000Z', '2026-04-23T22:00:00.000Z']);
  expect(await range('Today')).toEqual(['2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z']);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

it('shows the right times and creates a rule for one hour when the clock of the computer is wrong by days', async () => {
  await addMember(gateway, 'Bo', 'approver');
  const { id } = await readWorkspace(gateway);
  await gateway.admin(`PUT /workspaces/${id}`, { settings: { approverRuleMaxHours: 1 } });
  gateway.model.answer({ score: 0.6, explanation: 'changes a customer' });
  const held = await gateway.proxy({ method: 'PUT', body: '{}' });
  const page = await chromium.page({ movableClock: true });
  await page.clock.setSystemTime(Date.now() + 3 * 86_400_000);
  await logIn(page, gateway.url, `/approvals/${held.json<HeldResponse>().action_id}`, 'bo@example.com');
  await decision(page).approve.waitFor();
  await page
    .getByText(/\d+ (min|hr) left|1 day left/)
    .first()
    .waitFor();
  expect(await page.getByText('expired').count()).toBe(0);

  await decision(page).allowSimilar.click();
  await page.getByRole('radio', { name: '1 hour' }).check();
  expect(await page.getByRole('radiogroup', { name: 'For' }).locator('label').allInnerTexts()).toEqual([
    '15 min',
    '1 hour',
  ]);
  await read(page);
  const posted = page.waitForRequest((request) => request.url().endsWith('/risk-rules'));
  await page.getByRole('button', { name: 'Approve and allow for 1 hour' }).click();
  const body = (await posted).postDataJSON() as object;
  expect(body).toHaveProperty('expiresInMinutes', 60);
  expect(body).not.toHaveProperty('expiresAt');
  await page
    .getByText(/^Approved: /)
    .first()
    .waitFor();
  const [rule] = await gateway.admin<RiskRule[]>(`GET /services/${gateway.service.id}/risk-rules`);
  // An hour, and not the three days more that the computer is wrong. The two moments are of one transaction.
  const hours = (Date.parse(rule.expiresAt!) - Date.parse(rule.createdAt)) / 3_600_000;
  expect(Math.round(hours)).toBe(1);
});

it('never takes the page of a proxy for an answer of the gateway', async () => {
  const { action_id } = await gateway.hold();
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await decision(page).deny.waitFor();
  await page.route('**/deny?*', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Log in to the proxy</h1>' }),
  );
  await read(page);
  await decision(page).deny.click();
  await page.getByText('A proxy in front of the gateway answered, and may want').first().waitFor();
  expect(await page.getByText('Denied by').count()).toBe(0);
  await decision(page).deny.waitFor();
});

describe('behind a proxy that wants a cookie', () => {
  let proxy: Server;
  // The page may still load when its test ends.
  afterAll(() => proxy.close());

  it('loads every file of the dashboard with the cookie', async () => {
    const refused: string[] = [];
    proxy = createServer((incoming, outgoing) => {
      const { url = '', method, headers } = incoming;
      if (!headers.cookie?.includes('proxy=1')) {
        refused.push(url);
        outgoing.writeHead(302, { Location: '/proxy-login' }).end();
        return;
      }
      const passed = forward(gateway.url + url, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      outgoing.on('close', () => passed.destroy());
      incoming.pipe(passed);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const page = await chromium.page();
    await page.context().addCookies([{ name: 'proxy', value: '1', url }]);
    await logIn(page, url);
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    const devtools = await page.context().newCDPSession(page);
    const { data, errors } = await devtools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    expect(JSON.parse(data!)).toMatchObject({ name: 'Agent Gateway' });
    expect(refused).toEqual([]);
  });
});

/** What Chrome does where cookies are blocked: it refuses storage, databases and locks. The packaged Chromium has no such setting. */
const REFUSE_STORAGE = `{
  const refuse = () => { throw new DOMException('Access is denied for this document.', 'SecurityError'); };
  for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: refuse });
  for (const name of ['query', 'request']) LockManager.prototype[name] = async () => refuse();
  IDBFactory.prototype.open = refuse;
}`;

it('says what happens where cookies are blocked, and logs in', async () => {
  await gateway.hold();
  const page = await chromium.page();
  await page.addInitScript(REFUSE_STORAGE);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setDocumentCookieDisabled', { disabled: true });
  await page.route('**/auth/**', async (route) => {
    const { cookie: _, ...headers } = route.request().headers();
    const response = await route.fetch({ headers });
    const { 'set-cookie': _set, ...kept } = response.headers();
    await route.fulfill({ response, headers: kept });
  });
  chromium.tolerate(/401/);
  await page.goto(`${gateway.url}/dashboard/approvals`);
  await page.getByText('This browser blocks cookies for this page.').waitFor();
  await enterPassword(page);
  await decision(page).approve.waitFor();
  const hub = gateway.app.app.get(EventHub);
  await eventually(() => hub.subscriberCount === 1);
  await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/43` });
  await page.getByText('2 waiting').first().waitFor();
  // `route.fetch` has kept them.
  await page.context().clearCookies();
  await page.reload();
  await page.getByText('This browser blocks cookies for this page.').waitFor();
});

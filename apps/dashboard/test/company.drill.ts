import type { HeldResponse } from '#contracts';
import type { Page } from 'playwright-core';
import { call, login, PASSWORD } from '../../api/test/support/accounts.js';
import { startFakeUpstream, type FakeUpstream } from '../../api/test/support/fake-upstream.js';
import { startOpenIdProvider, type OpenIdProviderProcess } from '../../api/test/support/openid-provider.js';
import { startApp, type TestApp } from '../../api/test/support/start-app.js';
import { startFront, type Front } from '../../api/test/support/tcp-proxy.js';
import { bringHome } from './support/bring-home.js';
import { pressTwice, useChromium } from './support/browser.js';
import { Human } from './support/human.js';

/** The steps of docs/owners.md#ten-minutes, by four people in browsers of their own. */
const chromium = useChromium();
const KEY = 'rk_live_1234567890';
const BO = { sub: 'bo', email: 'bo@example.com', email_verified: true, name: 'Bo' };

let app: TestApp;
let upstream: FakeUpstream;
let provider: OpenIdProviderProcess;
let front: Front;
let url: string;
beforeAll(async () => {
  front = await startFront();
  url = front.url;
  upstream = await startFakeUpstream();
  provider = await startOpenIdProvider(`${url}/auth/oidc/callback`);
  await provider.set({ person: BO });
  app = await startApp({
    PUBLIC_URL: url,
    PRIVATE_TARGET_ALLOWLIST: upstream.hostAndPort,
    ...provider.settings,
  });
  front.leadTo(app.url);
});
afterAll(async () => {
  await front.stop();
  await app.close();
  await provider.close();
  await upstream.close();
});

const human = new Human();
const press = (page: Page, role: 'button' | 'link', name: string | RegExp) =>
  human.click(page.getByRole(role, { name, exact: typeof name === 'string' }).first());
const fill = (page: Page, name: string, text: string) => human.fill(page.getByRole('textbox', { name }), text);
const goTo = (page: Page, name: string) =>
  human.click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }));

/** The owner of the workspace from now on. */
async function install(page: Page): Promise<void> {
  await page.goto(url);
  await fill(page, 'E-mail', 'ada@example.com');
  await fill(page, 'Password', PASSWORD);
  await fill(page, 'Name', 'Ada');
  await press(page, 'button', 'Create account');
  await press(page, 'link', 'Go to approvals');
}

/** @returns the link of the invitation */
async function invite(page: Page, email: string, role: string): Promise<string> {
  await fill(page, 'E-mails', email);
  await human.choose(page.getByRole('combobox', { name: 'Role', exact: true }), role);
  await press(page, 'button', 'Invite');
  return page.getByRole('textbox', { name: new RegExp(`^${email}`) }).inputValue();
}

async function joinWithPassword(page: Page, link: string, name: string): Promise<void> {
  await page.goto(link);
  await fill(page, 'Name', name);
  await fill(page, 'Password', PASSWORD);
  await press(page, 'button', 'Create account and join');
  await page.getByRole('heading', { name: 'Approvals', exact: true }).waitFor();
}

async function joinWithProvider(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await press(page, 'link', 'Continue with Example Corp');
  await page.getByRole('heading', { name: 'Approvals', exact: true }).waitFor();
}

/** @returns the key of an agent that may reach the service */
async function addStripe(page: Page): Promise<string> {
  // The Stripe of this test is on loopback.
  await bringHome(page, `${upstream.url}/v1`);
  await goTo(page, 'Services');
  await press(page, 'link', 'New service');
  await human.fill(page.getByLabel('Find an API'), 'stripe');
  await press(page, 'button', 'Stripe');
  await fill(page, 'Token', KEY);
  await press(page, 'button', 'Test and save');
  await page.getByText('It works: the API responded with 200').waitFor();
  await press(page, 'link', 'New agent');
  await fill(page, 'Name', 'billing-bot');
  await press(page, 'button', 'Create agent and show key');
  const key = await page.getByLabel('Agent key').inputValue();
  await press(page, 'button', 'I stored the key');
  return key;
}

async function askTwoPeople(page: Page): Promise<void> {
  await goTo(page, 'Services');
  await press(page, 'link', /Stripe/);
  await press(page, 'link', /^Rules/);
  await press(page, 'button', 'New rule');
  const dialog = page.getByRole('dialog');
  await human.choose(dialog.getByLabel('Approvals', { exact: true }), '2');
  await human.click(dialog.getByText('DELETE', { exact: true }));
  await human.fill(dialog.getByLabel('Name'), 'DELETE needs two people');
  await human.click(dialog.getByRole('button', { name: 'Save rule' }));
  await dialog.waitFor({ state: 'detached' });
}

async function approve(page: Page, place: 'first' | 'second'): Promise<void> {
  await press(page, 'link', /Delete a customer · cus_42/);
  const give = page.getByRole('button', { name: `Give the ${place} approval` });
  await give.waitFor();
  await pressTwice(
    page,
    () => human.click(give),
    () => press(page, 'button', /^Confirm/),
  );
}

const asAgent = (key: string, path: string, options: { method?: string; body?: string; headers?: object } = {}) =>
  fetch(url + path, {
    method: 'POST',
    ...options,
    headers: { 'Agent-Key': key, 'Content-Type': 'application/json', ...options.headers },
  });
const deleted = () => upstream.calls.filter(({ method }) => method === 'DELETE');

it('leads a new company from the first account to a DELETE that two people approved', async () => {
  // A page before login asks whether there is a session.
  chromium.tolerate(/401/);
  const [ada, bo, cy, di] = await Promise.all([1, 2, 3, 4].map(() => chromium.page({ movableClock: true })));
  await install(ada);
  await goTo(ada, 'Settings');
  await press(ada, 'link', 'Members');
  const links = [
    await invite(ada, 'bo@example.com', 'approver'),
    await invite(ada, 'cy@example.com', 'admin'),
    await invite(ada, 'di@example.com', 'auditor'),
  ];
  await press(ada, 'button', 'I sent the links');
  await joinWithProvider(bo, links[0]);
  await joinWithPassword(cy, links[1], 'Cy');
  await joinWithPassword(di, links[2], 'Di');

  const key = await addStripe(cy);
  await askTwoPeople(cy);

  const request = { method: 'DELETE', targetUrl: `${upstream.url}/v1/customers/cus_42`, intent: 'They left' };
  const held = await asAgent(key, '/proxy', { body: JSON.stringify(request) });
  expect(held.status).toBe(428);
  const { action_id: id } = (await held.json()) as HeldResponse;

  await approve(bo, 'first');
  await bo.getByText('It needs one more.').first().waitFor();
  expect((await asAgent(key, `/proxy/execute/${id}`)).status).toBe(409);

  // The auditor reads everything, and decides nothing.
  await press(di, 'link', /Delete a customer · cus_42/);
  await di.getByText(/Bo approved .* Ada or Cy can give the second approval\./).waitFor();
  expect(await di.getByRole('button', { name: /approval$|^Approve|^Deny/ }).count()).toBe(0);
  const { accessToken: token } = await login(app, 'di@example.com');
  const refused = await call<{ error: string }>(app, `PATCH /approvals/${id}/approve`, { token, body: {} });
  expect([refused.status, refused.body.error]).toEqual([403, 'Your role (auditor) does not allow this']);

  await goTo(ada, 'Approvals');
  await approve(ada, 'second');
  const decided = await asAgent(key, `/status/${id}`, { method: 'GET', headers: { Prefer: 'wait=60' } });
  expect(await decided.json()).toMatchObject({ status: 'APPROVED' });
  expect(deleted()).toEqual([]);
  expect((await asAgent(key, `/proxy/execute/${id}`)).status).toBe(200);
  await asAgent(key, `/proxy/execute/${id}`);
  expect(deleted()).toEqual([
    expect.objectContaining({
      path: '/v1/customers/cus_42',
      headers: expect.objectContaining({ authorization: `Bearer ${KEY}` }) as object,
    }),
  ]);

  // The auditor finds the person who decided.
  await goTo(di, 'History');
  await press(di, 'link', 'Decisions');
  const decisions = di.locator('[data-tab=decisions]').filter({ hasText: 'Delete a customer · cus_42' });
  await decisions.filter({ hasText: /Approval given\s*Bo/ }).waitFor();
  await decisions.filter({ hasText: /Approved\s*Ada/ }).waitFor();

  expect(human.taps).toBeLessThanOrEqual(54);
});

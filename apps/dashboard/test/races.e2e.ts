import { SessionRegistry } from '../../api/src/auth/sessions.js';
import { EventHub } from '../../api/src/events/event-hub.js';
import { eventually } from '../../api/test/support/eventually.js';
import { REFRESHING_COOKIE } from '#contracts/headers';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { startApp } from '../../api/test/support/start-app.js';
import { startTcpProxy } from '../../api/test/support/tcp-proxy.js';
import { decision, logIn, read, useChromium } from './support/browser.js';

const chromium = useChromium();

let gateway: Gateway;
afterEach(() => gateway.close());

describe('two browsers on one action', () => {
  beforeEach(async () => {
    gateway = await startGateway();
  });

  it('shows the decision of the first to the second without a reload', async () => {
    const { action_id } = await gateway.hold();
    const [first, second] = await Promise.all([
      chromium.page({ device: 'phone', movableClock: true }),
      chromium.page(),
    ]);
    for (const page of [first, second]) await logIn(page, gateway.url, `/approvals/${action_id}`);
    await decision(second).approve.waitFor();
    // Both pages are live, so the event shows it and not the first load.
    await eventually(() => gateway.app.app.get(EventHub).subscriberCount === 2);
    await decision(first).deny.waitFor();
    await read(first);
    await decision(first).deny.tap();
    await second.getByText('Denied by Ada. The agent will see this the next time it checks.').waitFor();
    expect(await decision(second).approve.count()).toBe(0);
  });

  it('accepts one decision when both press at the same time, and tells the other person who decided', async () => {
    chromium.tolerate(/409/);
    const pages = await Promise.all(
      (['desktop', 'phone'] as const).map((device) => chromium.page({ device, movableClock: true })),
    );
    for (const page of pages) await logIn(page, gateway.url);
    for (const round of [1, 2, 3]) {
      gateway.model.answer({ score: 0.6 });
      const targetUrl = `${gateway.upstream.url}/v1/customers/${round}`;
      const held = await gateway.proxy({ method: 'PUT', targetUrl, body: '{}', intent: 'race' });
      const { action_id } = held.json<{ action_id: string }>();
      for (const page of pages) {
        await page.goto(`${gateway.url}/dashboard/approvals/${action_id}`);
        await decision(page).approve.waitFor();
      }
      await Promise.all(pages.map(read));
      const answers = pages.map((page) => page.waitForResponse((response) => response.request().method() === 'PATCH'));
      await Promise.all([decision(pages[0]).approve.click(), decision(pages[1]).deny.click()]);
      const statuses = await Promise.all(answers.map(async (answer) => (await answer).status()));
      expect([...statuses].sort()).toEqual([200, 409]);
      const word = statuses[0] === 200 ? 'approved' : 'denied';
      const loser = pages[statuses.indexOf(409)];
      await loser.getByText(`Already ${word} by Ada.`).first().waitFor();
      expect((await gateway.status(action_id)).json()).toMatchObject({ status: word.toUpperCase() });
    }
  });
});

it('stays logged in when a page is left during its refresh', async () => {
  gateway = await startGateway();
  const page = await chromium.page();
  await logIn(page, gateway.url);
  const registry = gateway.app.app.get(SessionRegistry);
  const refresh = registry.refresh.bind(registry);
  let answer = () => {};
  const received = new Promise<void>((resolve) => {
    registry.refresh = async (...args) => {
      registry.refresh = refresh;
      resolve();
      await new Promise<void>((released) => (answer = released));
      return refresh(...args);
    };
  });
  // Browser extensions add such a listener. After it, and before the listeners of the page, the page's request fails.
  await page.addInitScript("addEventListener('pagehide', () => {})");
  await page.goto(`${gateway.url}/dashboard/approvals`, { waitUntil: 'commit' });
  await received;
  // A page that runs none of our code. It shows what the page before it has left.
  await page.goto(`${gateway.url}/dashboard/icon.svg`, { waitUntil: 'commit' });
  expect(await page.evaluate('document.cookie')).toContain(REFRESHING_COOKIE);
  answer();
  await page.goto(`${gateway.url}/dashboard/approvals`, { waitUntil: 'commit' });
  await page.getByText('Nothing needs your decision.').waitFor();
});

it('logs out all tabs at the same time', async () => {
  gateway = await startGateway();
  chromium.tolerate(/401/);
  const context = await chromium.context();
  const tabs = [await context.newPage(), await context.newPage()];
  await logIn(tabs[0], gateway.url);
  await tabs[1].goto(`${gateway.url}/dashboard/approvals`);
  await tabs[1].getByText('Nothing needs your decision.').waitFor();
  await tabs[0].getByRole('button', { name: 'Log out' }).click();
  for (const tab of tabs) await tab.getByRole('heading', { name: 'Log in' }).waitFor();
});

it('shows the login immediately on a device whose session another device ends', async () => {
  gateway = await startGateway();
  chromium.tolerate(/401/);
  const [lost, here] = await Promise.all([chromium.page({ device: 'phone' }), chromium.page()]);
  await logIn(lost, gateway.url);
  await lost.getByText('Nothing needs your decision.').waitFor();
  await eventually(() => gateway.app.app.get(EventHub).subscriberCount === 1);
  await logIn(here, gateway.url, '/settings/security');
  await here.getByRole('button', { name: 'End all others' }).click();
  await lost.getByRole('heading', { name: 'Log in' }).waitFor();
});

it('says that the gateway is unreachable, and continues when it is back', async () => {
  gateway = await startGateway();
  chromium.tolerate(/ERR_|502|401/);
  const target = { host: '127.0.0.1', port: Number(new URL(gateway.url).port) };
  const front = await startTcpProxy(target);
  const page = await chromium.page();
  await logIn(page, `http://127.0.0.1:${front.port}`);
  await page.getByText('Nothing needs your decision.').waitFor();

  await front.stop();
  await gateway.app.close();
  await page.getByText('Reconnecting… Showing data from').waitFor();
  const { config, databaseUrl } = gateway.app;
  const next = await startApp({
    DATABASE_URL: databaseUrl,
    LLM_BASE_URL: gateway.model.url,
    PRIVATE_TARGET_ALLOWLIST: [...config.egress.privateTargetAllowlist].join(),
    RISK_CACHE_SECONDS: '0',
  });
  Object.assign(gateway, { app: next });
  target.port = Number(new URL(next.url).port);
  await gateway.hold();
  await front.start();
  await page.getByText('Reconnecting… Showing data from').waitFor({ state: 'hidden' });
  // The page shows events from the outage and new events.
  await page.getByText('1 waiting').waitFor();
  await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/43` });
  await page.getByText('2 waiting').waitFor();
  await front.stop();
});

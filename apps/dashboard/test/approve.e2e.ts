import type { Page } from 'playwright-core';
import type { Action, HeldResponse } from '#contracts';
import { eventually } from '../../api/test/support/eventually.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { atOneMoment, decision, logIn, pressTwice, read, useChromium } from './support/browser.js';
import { Human } from './support/human.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** A phone with the inbox, or the page that a notification links to. */
async function phone(path = '/approvals'): Promise<Page> {
  const page = await chromium.page({ device: 'phone', movableClock: true });
  await logIn(page, gateway.url, path);
  return page;
}

it('approves a DELETE from a notification with two taps, and the agent executes it', async () => {
  const { action_id } = await gateway.hold({ intent: 'remove the customer who asked for it' });
  const page = await phone(`/a/${action_id}`);
  await page.getByRole('heading', { name: 'DELETE customer 42' }).waitFor();
  const human = new Human();
  await decision(page).approve.waitFor();
  await pressTwice(
    page,
    () => human.tap(decision(page).approve),
    async () => {
      expect((await gateway.status(action_id)).json()).toMatchObject({ status: 'PENDING' });
      expect(await decision(page).confirm.textContent()).toContain('Confirm: DELETE customer 42');
      await human.tap(decision(page).confirm);
    },
  );
  await page.getByText('Approved by Ada. The agent can run it now.').waitFor();
  await page
    .getByText(/^Must run within \d+ \w+$/)
    .first()
    .waitFor();
  expect(human.taps).toBe(2);

  expect((await gateway.execute(action_id)).status).toBe(200);
  await page.getByText('Approved by Ada and executed.').waitFor();
  await page.getByText('/v1/customers/42').first().waitFor();
});

it('does not report success when the upstream refused the execution', async () => {
  const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/43` });
  await gateway.approve(action_id);
  gateway.upstream.answer((_call, response) => response.writeHead(401).end('{"error":"bad token"}'));
  await gateway.execute(action_id);
  gateway.upstream.answer((_call, response) => response.end('{}'));
  const page = await phone(`/a/${action_id}`);
  await page.getByText('Approved by Ada and sent, but it failed: the upstream responded with 401.').waitFor();
});

it.each([
  { path: '/v1/customers/7', method: 'DELETE', score: 0.9, taps: 3, why: 'critical' },
  { path: '/v1/customers/7', method: 'PATCH', score: 0.6, taps: 2, why: 'a change' },
  { path: '/v1/refunds', method: 'POST', score: 0.6, taps: 3, why: 'money' },
  { path: '/v1/orders/7/delete', method: 'POST', score: 0.6, taps: 3, why: 'deletes' },
  { path: '/v1/repos/shop/collaborators/bob', method: 'PUT', score: 0.6, taps: 3, why: 'permissions' },
  { path: '/v1/webhooks', method: 'POST', score: 0.6, taps: 3, why: 'credentials' },
])('takes $taps taps from the inbox for $method $path: $why', async ({ path, method, score, taps }) => {
  gateway.model.answer({ score, explanation: 'changes something' });
  const held = await gateway.proxy(
    { method, targetUrl: gateway.upstream.url + path, body: '{}' },
    { 'Idempotency-Key': `taps-${method}-${path}` },
  );
  const { action_id } = held.json<HeldResponse>();
  const { headline } = await gateway.admin<Action>(`GET /approvals/${action_id}`);
  const page = await phone();
  const human = new Human();
  await human.tap(page.getByRole('link', { name: headline }));
  await decision(page).approve.waitFor();
  const tap = () => human.tap(decision(page).approve);
  if (taps === 3) await pressTwice(page, tap, () => human.tap(decision(page).confirm));
  else await read(page).then(tap);
  await page.getByText('Approved by Ada. The agent can run it now.').waitFor();
  expect(human.taps).toBe(taps);
  expect((await gateway.status(action_id)).json()).toMatchObject({ status: 'APPROVED' });
});

it('shows the five facts and both buttons on 390 × 844 without scrolling', async () => {
  gateway.model.answer({
    score: 0.91,
    explanation: 'The intent says “test”, but the record looks like a live customer.',
  });
  const held = await gateway.proxy({
    method: 'DELETE',
    targetUrl: `${gateway.upstream.url}/v1/customers/cus_Qx81LmTz?reason=cleanup&notify=false`,
    headers: { Accept: 'application/json', 'X-Trace': 'abc' },
    intent: 'Clean up the test users that were left over from the load test of last week',
  });
  const page = await phone(`/approvals/${held.json<{ action_id: string }>().action_id}`);
  const facts = [
    page.getByRole('heading', { name: /^DELETE customer/ }),
    page.getByText('live customer.'),
    page.getByRole('blockquote').first(),
    page.getByText('/v1/customers/cus_Qx81LmTz').first(),
    page.getByText('Agent has not checked back yet'),
    decision(page).approve,
    decision(page).deny,
  ];
  for (const fact of facts) {
    await fact.waitFor();
    const box = (await fact.boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y + box.height).toBeLessThanOrEqual(844);
    expect(box.x + box.width).toBeLessThanOrEqual(390);
  }
  // The action bar does not cover them.
  const bar = (await decision(page).bar.boundingBox())!;
  const last = (await facts[4].boundingBox())!;
  expect(last.y + last.height).toBeLessThanOrEqual(bar.y);
  const [deny, approve] = [(await decision(page).deny.boundingBox())!, (await decision(page).approve.boundingBox())!];
  expect(Math.min(deny.height, approve.height)).toBeGreaterThanOrEqual(48);
  expect(approve.x - (deny.x + deny.width)).toBeGreaterThanOrEqual(8);
});

it('refuses a decision on an action that has just appeared, and counts a double tap once', async () => {
  const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/99` });
  const page = await phone();
  const row = page.getByRole('link', { name: 'DELETE customer 99' });
  await row.waitFor();
  await atOneMoment(page, async () => {
    await row.tap();
    // Time passes only until the action has appeared.
    await eventually(async () => {
      await page.clock.runFor(50);
      return decision(page).deny.isVisible();
    });
    await page.evaluate(`{
      const press = () => [...document.querySelectorAll('button')].find((each) => /^(Approve|Confirm)/.test(each.textContent)).click();
      press(); press(); press();
    }`);
    await read(page);
    expect(await decision(page).confirm.count()).toBe(0);
    await decision(page).approve.dblclick();
    await decision(page).confirm.waitFor();
  });
  expect((await gateway.status(action_id)).json()).toMatchObject({ status: 'PENDING' });
});

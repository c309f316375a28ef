import type { Action, RiskRule } from '#contracts';
import type { Page } from 'playwright-core';
import { eventually } from '../../api/test/support/eventually.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, logIn, read, settled, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;

beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

/** Holds actions that need only one press to approve. */
async function holdMild(...customers: number[]): Promise<string[]> {
  gateway.model.answer({ score: 0.6, explanation: 'changes a customer' });
  const ids: string[] = [];
  for (const [index, id] of customers.entries()) {
    const targetUrl = `${gateway.upstream.url}/v1/customers/${id}`;
    const request = { method: 'PUT', targetUrl, body: '{}', intent: 'rename' };
    // A different idempotency key makes an identical request a separate action.
    const held = await gateway.proxy(request, { 'Idempotency-Key': `mild-${index}` });
    ids.push(held.json<{ action_id: string }>().action_id);
  }
  return ids;
}

async function readStatus(actionId: string): Promise<string> {
  return (await gateway.status(actionId)).json<{ status: string }>().status;
}

async function approve(page: Page): Promise<void> {
  await read(page);
  await page.keyboard.press('a');
  await page
    .getByText(/^Approved: PUT customer/)
    .first()
    .waitFor();
}

/** The buttons of the toast, or else those on the page of the action. */
const undo = (page: Page) => page.getByRole('button', { name: 'Undo' }).last();
const denyInstead = (page: Page) => page.getByRole('button', { name: 'Deny instead' }).last();

it('does not apply a second press of `a` to the next action', async () => {
  const [first, second] = await holdMild(1, 2);
  // The clock stops between the presses, however slow the machine is.
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${first}?sort=expiry`);
  await page.getByRole('heading', { name: /^PUT customer 1/ }).waitFor();
  await decision(page).approve.waitFor();
  // Everything has loaded, because nothing that needs a timer loads while the clock stands.
  await page.getByRole('link', { name: /PUT customer 2/ }).waitFor();
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  await settled(page);
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.keyboard.press('a');
  await page.getByRole('heading', { name: /^PUT customer 2/ }).waitFor();
  await decision(page).approve.waitFor();
  for (const wait of [0, 550, 600]) {
    await page.clock.runFor(wait);
    await page.keyboard.press('a');
    await page.getByText('This just changed. Read it, then press again.').first().waitFor();
  }
  expect(await readStatus(first)).toBe('APPROVED');
  expect(await readStatus(second)).toBe('PENDING');
  await page.clock.runFor(100);
  await page.keyboard.press('a');
  await page.clock.resume();
  await page.getByText('Nothing needs your decision.').waitFor();
  expect(await readStatus(second)).toBe('APPROVED');
});

it('returns the request to waiting, where it can be decided again', async () => {
  const [id] = await holdMild(1);
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await decision(page).approve.waitFor();
  await approve(page);
  await page.getByText('Nothing needs your decision.').waitFor();
  await undo(page).click();
  await page.getByText('Approval undone. The request waits again: PUT customer 1').first().waitFor();
  expect(await readStatus(id)).toBe('PENDING');
  expect((await gateway.execute(id)).status).toBe(409);
  await page.getByRole('heading', { name: /^PUT customer 1/ }).waitFor();
  await decision(page).approve.waitFor();
  await approve(page);
  expect(await readStatus(id)).toBe('APPROVED');
  expect((await gateway.execute(id)).status).toBe(200);
});

it('denies an approved request instead', async () => {
  const [id] = await holdMild(1);
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await decision(page).approve.waitFor();
  await approve(page);
  await denyInstead(page).click();
  await page.getByText('Approval withdrawn, so the request is denied: PUT customer 1').first().waitFor();
  expect(await readStatus(id)).toBe('DENIED');
  expect((await gateway.execute(id)).status).toBe(409);
  expect(gateway.upstream.calls).toHaveLength(0);
});

it('stops offering Undo as soon as the agent uses the approval', async () => {
  const [id] = await holdMild(1);
  let answer = (): void => {};
  const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
  gateway.upstream.answer((_call, response) => void mayAnswer.then(() => response.end('{}')));
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await decision(page).approve.waitFor();
  await approve(page);
  await undo(page).waitFor();
  const execution = gateway.execute(id);
  await page.getByText('The agent is running it now.').waitFor();
  expect([await undo(page).count(), await denyInstead(page).count()]).toEqual([0, 0]);
  answer();
  expect((await execution).status).toBe(200);
  await page.getByText('The agent has already run it.').waitFor();
  expect([await undo(page).count(), await denyInstead(page).count()]).toEqual([0, 0]);
});

it('offers nothing when the agent waited and was faster', async () => {
  gateway.model.answer({ score: 0.6, explanation: 'changes a customer' });
  const targetUrl = `${gateway.upstream.url}/v1/customers/1`;
  const request = { method: 'PUT', targetUrl, body: '{}', intent: 'rename' };
  const answer = gateway.proxy(request, { Prefer: 'wait=60', 'Idempotency-Key': 'fast' });
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url);
  await page.getByRole('heading', { name: /^PUT customer 1/ }).waitFor();
  await decision(page).approve.waitFor();
  await approve(page);
  expect((await answer).status).toBe(200);
  await page.getByText('The agent has already run it.').waitFor();
  expect([await undo(page).count(), await denyInstead(page).count()]).toEqual([0, 0]);
});

it('shows how long the agent does not know of the approval, and undoes it meanwhile', async () => {
  await gateway.admin(`PUT /workspaces/${gateway.agent.userId}`, { settings: { undoSeconds: 30 } });
  const [id, other] = await holdMild(1, 2);
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}?sort=expiry`);
  await page.getByRole('heading', { name: /^PUT customer 1/ }).waitFor();
  await decision(page).approve.waitFor();
  await approve(page);
  await page.getByText(/^The agent learns of it in \d+ s\.$/).waitFor();
  expect(await readStatus(id)).toBe('PENDING');
  await undo(page).click();
  await page.getByText('Approval undone. The request waits again: PUT customer 1').first().waitFor();
  // The page of an approved action says the same.
  await gateway.approve(other);
  await page.goto(`${gateway.url}/dashboard/approvals/${other}`);
  await page.getByText(/^Approved by Ada\.\s?Decided /).waitFor();
  await page.getByText(/^The agent learns of it in \d+ s\.$/).waitFor();
  await page.clock.fastForward(31_000);
  await page.getByText('Approved by Ada. The agent can run it now.').waitFor();
  await undo(page).click();
  await decision(page).approve.waitFor();
  expect((await gateway.admin<Action>(`GET /approvals/${other}`)).status).toBe('PENDING');
});

it('undoes and denies on the page of the action when the toast is gone', async () => {
  const [id] = await holdMild(1);
  await gateway.approve(id);
  const page = await chromium.page({ device: 'phone', movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await undo(page).tap();
  await decision(page).approve.waitFor();
  expect(await readStatus(id)).toBe('PENDING');
  await gateway.approve(id);
  await denyInstead(page).tap();
  await page.getByText('Denied by Ada. The agent will see this the next time it checks.').waitFor();
  expect(await readStatus(id)).toBe('DENIED');
  // The agent has checked now.
  await page.reload();
  await page.getByText('Denied by Ada. The agent has seen this.').waitFor();
});

it('says a decision and the rule that it created once on a phone, where no toast covers the request', async () => {
  const [id] = await holdMild(1);
  const page = await chromium.page({ device: 'phone', movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await decision(page).allowSimilar.tap();
  const submit = page.getByRole('button', { name: 'Approve and allow for 15 min' });
  await submit.waitFor();
  await read(page);
  await submit.tap();
  await page.getByText('Approved by Ada. The agent can run it now.').waitFor();
  await page.getByRole('link', { name: /^Allow PUT/ }).waitFor();
  await settled(page);
  expect(await page.getByRole('button', { name: 'Dismiss' }).count()).toBe(0);
  await undo(page).tap();
  await page.getByText('The rule that allowed similar requests is removed.').first().waitFor();
  expect(await gateway.admin<RiskRule[]>(`GET /services/${gateway.service.id}/risk-rules`)).toEqual([]);
  expect(await readStatus(id)).toBe('PENDING');
});

it('names and links the rule that it created, and removes it with the approval', async () => {
  const [id] = await holdMild(1);
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await decision(page).allowSimilar.click();
  await read(page);
  await page.getByRole('button', { name: 'Approve and allow for 15 min' }).click();
  const rules = () => gateway.admin<RiskRule[]>(`GET /services/${gateway.service.id}/risk-rules`);
  const link = page.getByRole('link', { name: /^Allow PUT/ });
  await link.waitFor();
  const [rule] = await rules();
  expect(await link.textContent()).toBe(rule.name);
  await link.click();
  await page.getByRole('heading', { name: 'Shop' }).waitFor();
  await page.waitForURL(`**/services/${gateway.service.id}/rules`);
  await undo(page).click();
  await page.getByText('Approval undone. The request waits again: PUT customer 1').first().waitFor();
  expect(await rules()).toEqual([]);
  expect(await readStatus(id)).toBe('PENDING');
});

/** Approves all waiting actions as one batch. */
async function approveBatch(page: Page, count: number): Promise<void> {
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  await page.getByRole('checkbox', { name: /^Select PUT customer 1/ }).check();
  const button = page.getByRole('button', { name: `Approve ${count} identical` });
  await button.waitFor();
  await read(page);
  await button.click();
  await page.getByText(`${count} requests approved.`).first().waitFor();
}

it('offers to approve requests together only if they send the same with the same intent', async () => {
  await holdMild(1, 1, 2);
  const request = { method: 'PUT', targetUrl: `${gateway.upstream.url}/v1/customers/1`, body: '{}' };
  await gateway.proxy({ ...request, intent: 'try again' }, { 'Idempotency-Key': 'mild-again' });
  const page = await chromium.page();
  await logIn(page, gateway.url);
  const list = page.getByRole('list', { name: 'Requests' });
  await list.getByText('2 identical').waitFor();
  expect(await list.locator('a[data-action-id]').count()).toBe(3);
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  const boxes = page.getByRole('checkbox', { name: /^Select PUT customer/ });
  for (const box of await boxes.all()) await box.check();
  const button = page.getByRole('button', { name: /^Approve 4/ });
  await page.getByText('Only requests that send the same, with the same intent, can be approved together.').waitFor();
  expect(await button.textContent()).toBe('Approve 4');
  expect(await button.isDisabled()).toBe(true);
});

it('undoes a batch of approvals, and says how many the agent has already used', async () => {
  const ids = await holdMild(1, 1, 1);
  const page = await chromium.page({ movableClock: true });
  chromium.tolerate(/409/);
  await logIn(page, gateway.url);
  await approveBatch(page, 3);
  expect(await Promise.all(ids.map(readStatus))).toEqual(['APPROVED', 'APPROVED', 'APPROVED']);
  expect((await gateway.execute(ids[1])).status).toBe(200);
  await undo(page).click();
  await page.getByText('2 approvals undone. The requests wait again.').first().waitFor();
  await page
    .getByText(/^1 approval could not be taken back: already used/)
    .first()
    .waitFor();
  expect(await Promise.all(ids.map(readStatus))).toEqual(['PENDING', 'EXECUTED', 'PENDING']);
  expect((await gateway.execute(ids[0])).status).toBe(409);
  expect(gateway.upstream.calls).toHaveLength(1);
});

it('denies a batch of approved requests instead', async () => {
  const ids = await holdMild(1, 1);
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url);
  await approveBatch(page, 2);
  await denyInstead(page).click();
  await page.getByText('2 approvals withdrawn. The requests are denied.').first().waitFor();
  expect(await Promise.all(ids.map(readStatus))).toEqual(['DENIED', 'DENIED']);
});

it('offers Undo again for approvals where it did not reach the gateway', async () => {
  const ids = await holdMild(1, 1);
  const page = await chromium.page({ device: 'phone', movableClock: true });
  chromium.tolerate(/ERR_FAILED/);
  await logIn(page, gateway.url);
  await approveBatch(page, 2);
  const toast = (await undo(page).boundingBox())!;
  const bar = (await page.getByRole('region', { name: 'Selected requests' }).boundingBox())!;
  expect(toast.y + toast.height).toBeLessThan(bar.y);
  await page.route(`**/approvals/${ids[0]}/undo?*`, (route) => route.abort(), { times: 1 });
  await undo(page).click();
  await page.getByText('1 approval undone. The request waits again.').first().waitFor();
  await page
    .getByText(/^1 approval is still valid\. Could not reach the gateway\./)
    .first()
    .waitFor();
  expect(await Promise.all(ids.map(readStatus))).toEqual(['APPROVED', 'PENDING']);
  await undo(page).click();
  await eventually(async () => (await readStatus(ids[0])) === 'PENDING');
});

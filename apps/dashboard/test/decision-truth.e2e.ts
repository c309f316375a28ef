import type { Page, Route } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, logIn, read, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

/** Holds a request that needs only one press to approve. */
async function hold(customer = 1): Promise<string> {
  const targetUrl = `${gateway.upstream.url}/v1/customers/${customer}`;
  gateway.model.answer({ score: 0.6, explanation: 'changes a customer' });
  const held = await gateway.proxy({ method: 'PUT', targetUrl, body: '{}', intent: 'rename' });
  return held.json<{ action_id: string }>().action_id;
}

async function open(id: string): Promise<Page> {
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await decision(page).approve.waitFor();
  return page;
}

const note = (page: Page) => page.getByLabel('Tell the agent why');
const gone = (page: Page) => decision(page).bar.waitFor({ state: 'detached' });
const readStatus = async (id: string) => (await gateway.status(id)).json<{ status: string }>().status;

describe('the buttons change at the moment when', () => {
  it('the time to decide is over, also right after a reload, and before the gateway is asked again', async () => {
    const id = await hold();
    const page = await open(id);
    await gateway.app.database.query(`UPDATE actions SET expires_at = now() + interval '10 seconds' WHERE id = $1`, [
      id,
    ]);
    await page.reload();
    const expired = page.getByText('Expired. The agent must send the request again.');
    await decision(page).approve.or(expired).first().waitFor();
    // From here on, the page has only its clock.
    await page.route(`**/approvals/${id}?*`, () => undefined);
    await expired.waitFor();
    expect(await decision(page).bar.count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('somebody else decides', async () => {
    const id = await hold();
    const page = await open(id);
    await gateway.deny(id, 'not now');
    await page.getByText(/^Denied by Ada\./).waitFor();
    await gone(page);
  });

  it('the agent is revoked, and when it is allowed again', async () => {
    const id = await hold();
    const page = await open(id);
    await gateway.admin(`PUT /agents/${gateway.agent.id}`, { isActive: false });
    await page.getByText('The agent is revoked. It can’t be approved.').waitFor();
    expect(await decision(page).approve.isDisabled()).toBe(true);
    await gateway.admin(`PUT /agents/${gateway.agent.id}`, { isActive: true });
    await page.getByText('The agent is revoked. It can’t be approved.').waitFor({ state: 'detached' });
    expect(await decision(page).approve.isDisabled()).toBe(false);
  });
});

it('keeps a typed note through events, another request, and a decision that was taken back', async () => {
  const [id, other] = [await hold(1), await hold(2)];
  const page = await open(id);
  await decision(page).denyWithNote.click();
  await note(page).fill('Ask the customer first');
  // The agent asks again, which is an event.
  expect(await hold(1)).toBe(id);
  await page.getByText('asked 2 times').first().waitFor();
  expect(await note(page).inputValue()).toBe('Ask the customer first');

  await page.getByRole('link', { name: /PUT customer 2/ }).click();
  await page.getByRole('heading', { name: /^PUT customer 2/ }).waitFor();
  await decision(page).approve.waitFor();
  expect(await note(page).count()).toBe(0);
  await page.getByRole('link', { name: /PUT customer 1/ }).click();
  await note(page).waitFor();
  expect(await note(page).inputValue()).toBe('Ask the customer first');

  await gateway.approve(id);
  await gone(page);
  await gateway.admin(`PATCH /approvals/${id}/undo`);
  await note(page).waitFor();
  expect(await note(page).inputValue()).toBe('Ask the customer first');
  await read(page);
  await decision(page).deny.click();
  await page
    .getByText(/^Denied: PUT customer 1/)
    .first()
    .waitFor();
  expect((await gateway.status(id)).json()).toMatchObject({ resolution_note: 'Ask the customer first' });
  expect(await readStatus(other)).toBe('PENDING');
});

describe('when the gateway fails during a decision, the page says', () => {
  const FAILED = { status: 503, json: { error: 'Database connection failed', statusCode: 503 } };

  it('that it was not stored, and the next press decides', async () => {
    chromium.tolerate(/503/);
    const id = await hold();
    const page = await open(id);
    await page.route('**/approve?*', (route) => route.fulfill(FAILED), { times: 1 });
    await read(page);
    await page.keyboard.press('a');
    await page.getByText('Your approval was not stored. Press again.').first().waitFor();
    expect(await page.getByText('Database connection failed').count()).toBe(0);
    await page.keyboard.press('a');
    await page
      .getByText(/^Approved: PUT customer 1/)
      .first()
      .waitFor();
    expect(await readStatus(id)).toBe('APPROVED');
  });

  it.each(['approve', 'deny'])('the decision if %s was stored although the answer was lost', async (verb) => {
    chromium.tolerate(/503/);
    const id = await hold();
    const page = await open(id);
    const stored = async (route: Route): Promise<void> => {
      await route.fetch();
      await route.fulfill(FAILED);
    };
    await page.route(`**/${verb}`, stored, { times: 1 });
    await read(page);
    await (verb === 'approve' ? decision(page).approve : decision(page).deny).click();
    const words = verb === 'approve' ? /^Approved: PUT customer 1/ : /^Denied: PUT customer 1/;
    await page.getByText(words).first().waitFor();
    expect(await readStatus(id)).toBe(verb === 'approve' ? 'APPROVED' : 'DENIED');
  });

  it('who decided, if somebody else was faster', async () => {
    chromium.tolerate(/503/);
    const id = await hold();
    const page = await open(id);
    const overtaken = async (route: Route): Promise<void> => {
      await gateway.deny(id);
      await route.fulfill(FAILED);
    };
    await page.route('**/approve?*', overtaken, { times: 1 });
    await read(page);
    await page.keyboard.press('a');
    await page.getByText('Already denied by Ada.').first().waitFor();
  });

  it('that it is not known, if nothing can be read', async () => {
    chromium.tolerate(/ERR_FAILED|503/);
    const id = await hold();
    const page = await open(id);
    await page.route('**/approve?*', (route) => route.abort());
    await page.route(`**/approvals/${id}?*`, (route) => route.fulfill(FAILED));
    await read(page);
    await page.keyboard.press('a');
    await page
      .getByText(/Could not reach the gateway\..* It is not known whether your approval was stored\./)
      .first()
      .waitFor();
    await page.unroute('**/approve?*');
    await page.unroute(`**/approvals/${id}?*`);
    expect(await readStatus(id)).toBe('PENDING');
  });
});

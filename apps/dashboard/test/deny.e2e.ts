import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, enterPassword, logIn, read, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

it('denies with a note that the agent receives while it waits', async () => {
  const { action_id } = await gateway.hold();
  const waiting = gateway.status(action_id, { Prefer: 'wait=60' });
  const page = await chromium.page({ device: 'phone', movableClock: true });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await page.getByText('The agent is waiting. It last checked').waitFor();
  await decision(page).denyWithNote.tap();
  await page.getByLabel('Tell the agent why').fill('Archive the customer instead: ‘deleted’ is for ever.');
  await read(page);
  await decision(page).deny.tap();
  // The agent is waiting, so it may have already seen the denial.
  await page
    .getByText(/^Denied by Ada\./)
    .first()
    .waitFor();
  await page.getByText('Archive the customer instead').first().waitFor();

  expect((await waiting).json()).toMatchObject({
    status: 'DENIED',
    resolution_note: 'Archive the customer instead: ‘deleted’ is for ever.',
  });
  expect((await gateway.execute(action_id)).status).toBe(409);
  expect(gateway.upstream.calls).toHaveLength(0);
});

it('denies without a note with one tap', async () => {
  const { action_id } = await gateway.hold();
  const page = await chromium.page({ device: 'phone', movableClock: true });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await decision(page).deny.waitFor();
  await read(page);
  await decision(page).deny.tap();
  await page.getByText('Denied by Ada. The agent will see this the next time it checks.').waitFor();
  // After its time, the page doesn't promise it any more.
  await page.clock.fastForward('25:00:00');
  await page.getByText('Denied by Ada. The agent has not checked since.').waitFor();
  expect((await gateway.status(action_id)).json()).toMatchObject({ status: 'DENIED', resolution_note: null });
});

it('keeps the note when the session ends before the note is sent', async () => {
  const { action_id } = await gateway.hold();
  const page = await chromium.page();
  chromium.tolerate(/401/);
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await decision(page).denyWithNote.click();
  await page.getByLabel('Tell the agent why').fill('Ask the customer first');
  // A live event updates the page.
  await gateway.admin('DELETE /auth/sessions');
  await page.getByText('We’ll take you back to where you were.').waitFor();
  await enterPassword(page);
  await page.getByLabel('Tell the agent why').waitFor();
  expect(await page.getByLabel('Tell the agent why').inputValue()).toBe('Ask the customer first');
});

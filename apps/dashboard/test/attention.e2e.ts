import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, settled, useChromium } from './support/browser.js';
import { addMember } from './support/people.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  await addMember(gateway, 'Bo', 'approver');
  await addMember(gateway, 'Di', 'admin');
});
afterAll(() => gateway.close());

const inMenu = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Needs attention/ });
const entries = (page: Page) => page.getByRole('list', { name: 'What needs attention' }).getByRole('listitem');

/** Makes the credentials of the service overdue. */
const neglect = () =>
  gateway.app.database.query(
    `UPDATE services SET rotate_every_days = 30, credentials_rotated_at = now() - interval '40 days' WHERE id = $1`,
    [gateway.service.id],
  );

async function askForCallbacks(): Promise<void> {
  const body = JSON.stringify({ url: 'https://hooks.example.com/agent' });
  const asked = await gateway.agentCall('PUT', '/agent/callback', body, { 'Content-Type': 'application/json' });
  expect(asked.status).toBe(403);
}

it('lists what an administrator has to mend, counts it in the menu, and forgets what is mended', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/attention', 'di@example.com');
  await page.getByText('Nothing needs attention').waitFor();
  await settled(page);
  expect(await inMenu(page).innerText()).toBe('Needs attention');

  await neglect();
  await askForCallbacks();
  await page.reload();
  await entries(page).first().waitFor();
  expect(await entries(page).count()).toBe(2);
  await page.getByRole('link', { name: 'Needs attention 2 things to mend' }).waitFor();
  await entries(page).filter({ hasText: 'The agent wants callbacks at hooks.example.com' }).waitFor();
  const overdue = entries(page).filter({ hasText: 'overdue for rotation' });
  await overdue.getByText(/^Since /).waitFor();
  await overdue.getByRole('link', { name: 'Replace credentials: Shop' }).click();
  await page.waitForURL(`**/services/${gateway.service.id}/credentials`);
  await page.getByRole('button', { name: 'Rotate' }).waitFor();

  await gateway.admin(`PUT /services/${gateway.service.id}/credentials`, { credentials: { token: 'new' } });
  await page.getByRole('link', { name: 'Needs attention 1 thing to mend' }).click();
  await entries(page).filter({ hasText: 'hooks.example.com' }).waitFor();
  expect(await entries(page).count()).toBe(1);
  await gateway.admin(`PUT /agents/${gateway.agent.id}`, { callbackHosts: ['hooks.example.com'] });
  await page.getByText('Nothing needs attention').waitFor();
});

it('has the number under More on a phone', async () => {
  await neglect();
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, '/approvals', 'di@example.com');
  await page.getByRole('button', { name: /^More/ }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Needs attention 1 thing to mend' }).click();
  await entries(page).filter({ hasText: 'overdue for rotation' }).waitFor();
});

it('tells approvers since when the risk model has failed, until it answers, and not why', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/approvals', 'bo@example.com');
  await settled(page);
  const line = page.getByRole('status').filter({ hasText: 'The risk model has failed since' });
  expect(await line.count()).toBe(0);
  await gateway.app.database.query(
    "INSERT INTO model_outages (id, began_at, reason) VALUES (1, now(), 'no route to 10.0.0.7')",
  );
  // The next request that is held shows it.
  gateway.model.answer({ status: 400, body: 'broken' });
  const held = await gateway.proxy({ method: 'DELETE', targetUrl: `${gateway.upstream.url}/v1/orders/1` });
  expect(held.status).toBe(428);
  await line.waitFor();
  expect(await page.content()).not.toContain('10.0.0.7');
  expect(await inMenu(page).count()).toBe(0);
  await gateway.app.database.query('UPDATE model_outages SET ended_at = now()');
  await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/orders/2` });
  await line.waitFor({ state: 'detached' });
});

import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, settledViolations } from './support/axe.js';
import { logIn, useChromium, type Device } from './support/browser.js';
import { addMember, readWorkspace } from './support/people.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  await addMember(gateway, 'Cy', 'approver');
});
afterAll(() => gateway.close());

const line = (page: Page) => page.getByRole('status').filter({ hasText: 'Paused by' });

it.each<Device>(['desktop', 'phone'])(
  'pauses all agents with a reason, and shows the pause on every page, on a %s',
  async (device) => {
    const page = await chromium.page({ device });
    await logIn(page, gateway.url);
    await page.getByRole('button', { name: 'Pause all agents' }).click();
    const dialog = page.getByRole('dialog', { name: "Pause all agents in Ada's workspace" });
    const pause = dialog.getByRole('button', { name: 'Pause', exact: true });
    await dialog.getByLabel('Reason').fill('');
    expect(await pause.isDisabled()).toBe(true);
    await dialog.getByLabel('Reason').fill('Bo looks at the invoices');
    await pause.click();
    await dialog.waitFor({ state: 'detached' });
    expect((await gateway.proxy()).json()).toMatchObject({ error: 'Paused: Bo looks at the invoices' });
    expect((await gateway.proxy()).status).toBe(403);
    for (const path of ['approvals', 'history', 'services', 'settings/profile']) {
      await page.goto(`${gateway.url}/dashboard/${path}`);
      await line(page).getByText('Bo looks at the invoices').waitFor();
      expect(await line(page).textContent()).toMatch(/^Paused by Ada .*: Bo looks at the invoices\./);
    }
    // Another member sees the pause too. People who may not end it get no button.
    const other = await chromium.page({ device });
    await logIn(other, gateway.url, '/approvals', 'cy@example.com');
    await line(other).waitFor();
    expect(await other.getByRole('button', { name: /Resume/ }).count()).toBe(0);

    await line(page).getByRole('button', { name: 'Resume' }).click();
    await page.getByText("Ada's workspace was resumed. 2 requests were refused.").first().waitFor();
    await line(page).waitFor({ state: 'detached' });
    await line(other).waitFor({ state: 'detached' });
    expect((await gateway.proxy()).status).toBe(200);
  },
);

it('lets an approver stop all agents with two presses on a phone, and resume them', async () => {
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, '/approvals', 'cy@example.com');
  await page.getByRole('button', { name: 'Pause all agents' }).tap();
  await page.getByRole('button', { name: 'Pause', exact: true }).tap();
  await line(page).getByText('A person looks into it').waitFor();
  expect((await gateway.proxy()).json()).toMatchObject({ error: 'Paused: A person looks into it' });
  await line(page).getByRole('button', { name: 'Resume' }).tap();
  await line(page).waitFor({ state: 'detached' });
  expect((await gateway.proxy()).status).toBe(200);
});

it('keeps the typed reason when a tablet is turned', async () => {
  const page = await chromium.page();
  await page.setViewportSize({ width: 1180, height: 820 });
  await logIn(page, gateway.url);
  await page.getByRole('button', { name: 'Pause all agents' }).click();
  const reason = page.getByRole('dialog').getByLabel('Reason');
  await reason.fill('Bo looks at the invoices');
  await page.setViewportSize({ width: 820, height: 1180 });
  await page.getByRole('button', { name: 'More' }).waitFor({ state: 'attached' });
  expect(await reason.inputValue()).toBe('Bo looks at the invoices');
});

it('resumes with the red button at the place of the pause', async () => {
  const { id } = await readWorkspace(gateway);
  const page = await chromium.page();
  await logIn(page, gateway.url);
  await page.getByRole('button', { name: 'Pause all agents' }).waitFor();
  await gateway.admin(`POST /workspaces/${id}/pause`, { reason: 'stop' });
  await page.getByRole('button', { name: 'Resume all agents' }).click();
  await page.getByText("Ada's workspace was resumed. No requests were refused.").first().waitFor();
  await page.getByRole('button', { name: 'Pause all agents' }).waitFor();
});

it('pauses one service, with or without a reason', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${gateway.service.id}/overview`);
  await page.getByRole('button', { name: 'Pause this service' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause Shop' });
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
  await line(page).waitFor();
  expect((await gateway.proxy()).json()).toMatchObject({ error: 'Paused: Shop' });
  await page.goto(`${gateway.url}/dashboard/services`);
  await page.getByText('paused', { exact: true }).waitFor();
  await page.goto(`${gateway.url}/dashboard/services/${gateway.service.id}/rules`);
  await line(page).getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Shop was resumed. 1 request was refused.').first().waitFor();
  expect((await gateway.proxy()).status).toBe(200);
});

it.each<Device>(['desktop', 'phone'])('has no violations while paused, on a %s', async (device) => {
  const { id } = await readWorkspace(gateway);
  await gateway.admin(`POST /workspaces/${id}/pause`, {
    reason: 'Invoices are sent twice, so that Bo looks at them now',
  });
  await gateway.admin(`PUT /services/${gateway.service.id}`, { isPaused: true, pausedReason: 'Wrong account' });
  try {
    const page = await pageWithAxe(chromium, device);
    await logIn(page, gateway.url, `/services/${gateway.service.id}/overview`);
    await line(page).first().waitFor();
    expect(await settledViolations(page, 'paused')).toEqual([]);
    const wide: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(wide).toBeLessThanOrEqual(0);
  } finally {
    await gateway.admin(`POST /workspaces/${id}/resume`);
    await gateway.admin(`PUT /services/${gateway.service.id}`, { isPaused: false });
  }
});

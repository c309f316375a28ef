import type { Channel, Workspace } from '#contracts';
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, violations } from './support/axe.js';
import { logIn, useChromium } from './support/browser.js';
import { addMember } from './support/people.js';

const chromium = useChromium();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
});
afterAll(() => gateway.close());

const chip = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });
/** The box of a chip is hidden. */
const press = (page: Page, name: string) => page.locator('label').getByText(name, { exact: true }).click();

it('an owner names what is always confirmed, and a refund then needs a confirmation', async () => {
  // An invitation needs a confirmation after the change.
  await addMember(gateway, 'Bo', 'approver');
  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, '/settings/workspace');
  await page.getByRole('group', { name: /^Always confirm approvals of/ }).waitFor();
  await press(page, 'Money');
  await press(page, 'Deletes');
  await press(page, 'Deletes');
  expect(await chip(page, 'Money').isChecked()).toBe(true);
  expect(await violations(page, 'workspace settings')).toEqual([]);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.', { exact: true }).first().waitFor();
  const { settings } = await gateway.admin<Workspace>('GET /workspaces/1');
  expect([settings.confirmEffects, settings.confirmFromRisk]).toEqual([['money'], null]);

  const target = { method: 'POST', targetUrl: `${gateway.upstream.url}/v1/refunds`, body: '{"amount":5}' } as const;
  const { action_id: id } = await gateway.hold({ ...target, idempotencyKey: 'refund' });
  const refused = await gateway.tryAdmin(`PATCH /approvals/${id}/approve`);
  expect([refused.status, refused.headers.get('X-Error-Code')]).toEqual([403, 'confirmation_required']);

  const other = await chromium.page();
  await logIn(other, gateway.url, '/settings/workspace', 'bo@example.com');
  await other.getByText('Always confirm approvals of').waitFor();
  await other.getByText('Money', { exact: true }).waitFor();
});

it('a channel names what it is always told of, and its card says so', async () => {
  const body = { type: 'slack', name: 'Ops', target: `${gateway.upstream.url}/slack`, minRisk: 0.8 };
  const { id } = await gateway.admin<Channel>('POST /channels', body);
  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, '/settings/notifications');
  await page.getByRole('button', { name: 'Edit Ops' }).click();
  await page
    .getByRole('dialog')
    .getByRole('group', { name: /^Always notify about/ })
    .waitFor();
  await press(page, 'Money');
  await press(page, 'Permissions');
  expect(await violations(page, 'channel')).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Whatever the risk: Money, Permissions').waitFor();
  expect((await gateway.admin<Channel>(`GET /channels/${id}`)).effects).toEqual(['money', 'permissions']);
});

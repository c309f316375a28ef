import type { Role } from '#contracts';
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, settled, useChromium } from './support/browser.js';
import { addMember, readWorkspace } from './support/people.js';

const chromium = useChromium();
let gateway: Gateway;
let workspaceId: number;

beforeAll(async () => {
  gateway = await startGateway();
  workspaceId = (await readWorkspace(gateway)).id;
});
afterAll(() => gateway.close());

const pagesIn = async (page: Page): Promise<string[]> =>
  (await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts()).map((text) =>
    text.split('\n')[0].trim(),
  );

it.each<[Role, string, string[]]>([
  ['approver', 'Bo', ['Approvals', 'History', 'Services', 'Settings']],
  ['auditor', 'Cy', ['Approvals', 'History', 'Services', 'Agents', 'Settings']],
  ['admin', 'Di', ['Approvals', 'History', 'Services', 'Agents', 'Needs attention', 'Playground', 'Settings']],
])('offers an %s the pages of the role', async (role, name, pages) => {
  await addMember(gateway, name, role);
  const page = await chromium.page();
  await logIn(page, gateway.url, '/approvals', `${name.toLowerCase()}@example.com`);
  await page.getByRole('navigation', { name: 'Main' }).getByText("Ada's workspace").waitFor();
  await page.getByRole('link', { name: 'Status' }).waitFor({ state: 'detached' });
  await expect(pagesIn(page)).resolves.toEqual(pages);
});

it('shows an approver the names of services, and says whom to ask for more', async () => {
  await addMember(gateway, 'Eve', 'approver');
  const { action_id } = await gateway.hold();
  const page = await chromium.page();
  await logIn(page, gateway.url, '/services', 'eve@example.com');
  await page.getByRole('listitem').filter({ hasText: 'Shop' }).waitFor();
  await expect(page.getByRole('main').getByRole('link').count()).resolves.toBe(0);
  await expect(page.getByRole('link', { name: 'New service' }).count()).resolves.toBe(0);
  for (const path of [`/services/${gateway.service.id}/credentials`, '/agents', '/attention', '/playground']) {
    await page.goto(`${gateway.url}/dashboard${path}`);
    await page.getByText('Only administrators can see this page').waitFor();
    await page.getByText('You can ask Ada', { exact: false }).waitFor();
  }
  await page.goto(`${gateway.url}/dashboard/approvals/${action_id}`);
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  await expect(page.getByRole('article').getByRole('link', { name: 'support-bot' }).count()).resolves.toBe(0);
});

it('says whom to ask, on each page that is not for the role', async () => {
  await addMember(gateway, 'Kim', 'auditor');
  const page = await chromium.page();
  await logIn(page, gateway.url, '/services/new', 'kim@example.com');
  for (const path of ['/services/new', '/agents/new', '/attention', '/playground', '/setup']) {
    await page.goto(`${gateway.url}/dashboard${path}`);
    await page.getByText('Only administrators can see this page').waitFor();
    await page.getByText('You can ask Ada', { exact: false }).waitFor();
  }
});

it('shows an auditor everything and lets them change nothing', async () => {
  await addMember(gateway, 'Flo', 'auditor');
  const { action_id } = await gateway.hold();
  const page = await chromium.page();
  await logIn(page, gateway.url, `/approvals/${action_id}`, 'flo@example.com');
  await page.getByRole('heading', { name: 'DELETE customer 42' }).waitFor();
  await page.getByRole('article').getByRole('link', { name: 'support-bot' }).waitFor();
  await settled(page);
  for (const name of ['Approve', 'Deny', 'Select']) {
    await expect(page.getByRole('button', { name, exact: true }).count()).resolves.toBe(0);
  }
});

it('follows a role that is lowered while the page is open', async () => {
  const gus = await addMember(gateway, 'Gus', 'admin');
  const page = await chromium.page();
  await logIn(page, gateway.url, '/agents', 'gus@example.com');
  await page.getByRole('link', { name: 'New agent' }).waitFor();
  await gateway.admin(`PUT /workspaces/${workspaceId}/members/${gus.id}`, { role: 'approver' });
  await page.getByText('Only administrators can see this page').waitFor();
  await page.getByRole('link', { name: 'Playground' }).waitFor({ state: 'detached' });
});

it('says so when the person is removed while the page is open', async () => {
  chromium.tolerate(/404/);
  const hal = await addMember(gateway, 'Hal', 'admin');
  const page = await chromium.page();
  await logIn(page, gateway.url, '/agents', 'hal@example.com');
  await page.getByRole('link', { name: 'support-bot' }).waitFor();
  await gateway.admin(`DELETE /workspaces/${workspaceId}/members/${hal.id}`);
  await page.getByText('You are not a member of any workspace').waitFor();
  await expect(page.getByText('support-bot').count()).resolves.toBe(0);
  // There is nothing to connect to, and of the settings the account's are left.
  await expect(page.getByText('No connection').count()).resolves.toBe(0);
  await page.goto(`${gateway.url}/dashboard/settings/workspace`);
  await page.getByText('You are not a member of any workspace').waitFor();
  await page.goto(`${gateway.url}/dashboard/settings/profile`);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await expect(page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allTextContents()).resolves.toEqual(
    ['Profile', 'Security', 'This browser'],
  );
});

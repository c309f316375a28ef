import type { Member, Workspace } from '#contracts';
import { login } from '../../api/test/support/accounts.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, useChromium } from './support/browser.js';
import { addGuest, addMember, readWorkspace } from './support/people.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
});
afterAll(() => gateway.close());

const NO_MEMBER = "You are not a member of that workspace, or it was deleted. You are now in “Bo's workspace”.";

it('switches between workspaces, and shows nothing of the other one', async () => {
  await addGuest(gateway, 'Bo', 'admin');
  await gateway.hold();
  const page = await chromium.page();
  await logIn(page, gateway.url, '/agents', 'bo@example.com');
  const rail = page.getByRole('navigation', { name: 'Main' });
  // The oldest workspace is Bo's own.
  await page.getByText('No agents yet').waitFor();
  await rail.getByRole('button', { name: "Workspace Bo's workspace Owner" }).click();
  await page
    .getByRole('menuitem', { name: /Ada's workspace/ })
    .getByText('1 request waiting')
    .waitFor();
  await page.getByRole('menuitem', { name: /Ada's workspace/ }).click();
  await rail.getByRole('button', { name: "Workspace Ada's workspace Administrator" }).waitFor();
  await page.getByRole('heading', { name: 'DELETE customer 42' }).waitFor();
  expect(new URL(page.url()).search).toBe('');
  // The browser remembers it, also in a new tab.
  const tab = await page.context().newPage();
  await tab.goto(`${gateway.url}/dashboard/agents`);
  await tab.getByRole('link', { name: 'support-bot' }).waitFor();
  // The palette finds the other workspace by its name, and switches back.
  await tab.keyboard.press('Control+k');
  await tab.getByRole('combobox').fill("bo's");
  await tab.getByRole('option', { name: "Bo's workspace" }).waitFor();
  await tab.keyboard.press('Enter');
  await tab.getByRole('button', { name: "Workspace Bo's workspace Owner" }).waitFor();
  await tab.getByText('Nothing needs your decision.').waitFor();
  // The first tab stays in its workspace, and gets that workspace's live events.
  const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/43` });
  await page.getByRole('button', { name: /new/ }).waitFor();
  await gateway.deny(action_id);
});

it('opens the workspace of a link, and the oldest one if it is not the reader’s', async () => {
  chromium.tolerate(/404/);
  const ada = await readWorkspace(gateway);
  const { action_id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/44` });
  const page = await chromium.page();
  await logIn(page, gateway.url, `/approvals/${action_id}?workspace=${ada.id}`, 'bo@example.com');
  await page.getByRole('heading', { name: 'DELETE customer 44' }).waitFor();
  const { accessToken } = await login(gateway.app, 'ada@example.com');
  const { body } = await gateway.tryAdmin<Workspace>('POST /workspaces', { name: 'Private' }, accessToken);
  await page.goto(`${gateway.url}/dashboard/approvals?workspace=${body.id}`);
  await page.getByText(NO_MEMBER).first().waitFor();
  await page.getByText('Nothing needs your decision.').waitFor();
});

it('creates a workspace and opens it', async () => {
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, '/approvals', 'bo@example.com');
  await page.getByRole('button', { name: 'More' }).tap();
  await page.getByRole('link', { name: "Switch to Ada's workspace" }).waitFor();
  await page.getByRole('button', { name: 'Create a workspace' }).tap();
  await page.getByRole('textbox', { name: 'Name' }).fill('Sandbox');
  await page.getByRole('button', { name: 'Create workspace' }).tap();
  await page.getByText('Nothing needs your decision.').waitFor();
  await page.getByRole('button', { name: 'More' }).tap();
  await page.getByRole('dialog').getByText('Sandbox').waitFor();
});

it('creates a workspace from the palette', async () => {
  await addMember(gateway, 'Zoe', 'auditor');
  const page = await chromium.page();
  await logIn(page, gateway.url, '/approvals', 'zoe@example.com');
  await page.getByText("Ada's workspace").first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('create a');
  await page.getByRole('option', { name: 'Create a workspace' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Name' }).fill('Lab');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Workspace Lab Owner' }).waitFor();
});

it('lets a person leave a workspace, and opens another one of theirs', async () => {
  await addGuest(gateway, 'Lea', 'approver');
  const ada = await readWorkspace(gateway);
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, `/settings/members?workspace=${ada.id}`, 'lea@example.com');
  await page.getByRole('button', { name: 'Leave' }).tap();
  const dialog = page.getByRole('dialog', { name: "Leave Ada's workspace?" });
  await dialog.getByText('An owner can invite you again.', { exact: false }).waitFor();
  await dialog.getByRole('button', { name: 'Leave' }).tap();
  await page.waitForURL(/\/approvals$/);
  await page.getByRole('button', { name: 'More' }).tap();
  await page.getByRole('dialog').getByText("Lea's workspace").waitFor();
  await expect(page.getByText("Ada's workspace").count()).resolves.toBe(0);
  const members = await gateway.admin<Member[]>(`GET /workspaces/${ada.id}/members`);
  expect(members.map(({ name }) => name)).not.toContain('Lea');
});

it('moves an open dashboard to another workspace when its workspace is deleted', async () => {
  chromium.tolerate(/404/);
  await addGuest(gateway, 'Max', 'admin');
  const { id } = await gateway.admin<Workspace>('POST /workspaces', { name: 'Short-lived' });
  const { id: max } = (
    await gateway.admin<Member[]>(`GET /workspaces/${(await readWorkspace(gateway)).id}/members`)
  ).find(({ name }) => name === 'Max')!;
  await gateway.app.database.query(`INSERT INTO workspace_members VALUES ($1, $2, 'admin', now())`, [id, max]);
  const page = await chromium.page();
  await logIn(page, gateway.url, `/agents?workspace=${id}`, 'max@example.com');
  await page.getByText('No agents yet').waitFor();
  await page.getByRole('button', { name: 'Workspace Short-lived Administrator' }).waitFor();
  await gateway.admin(`DELETE /workspaces/${id}`);
  await page
    .getByText("You are not a member of that workspace, or it was deleted. You are now in “Max's workspace”.")
    .first()
    .waitFor();
  await page.getByRole('button', { name: "Workspace Max's workspace Owner" }).waitFor();
});

import { PASSWORD, register } from '../../api/test/support/accounts.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { enterPassword, logIn, settled, useChromium } from './support/browser.js';
import { invite } from './support/people.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

// A page before login asks whether there is a session.
beforeEach(() => chromium.tolerate(/401/));

it('lets an invited person create an account and join', async () => {
  const page = await chromium.page({ device: 'phone' });
  const link = await invite(gateway, 'bo@example.com', 'approver');
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  await page.goto(link);
  await page.getByText(/Ada invites you to the workspace Ada's workspace\. Your role: Approver\./).waitFor();
  expect(await page.getByLabel('E-mail').inputValue()).toBe('bo@example.com');
  expect(page.url()).toBe(`${gateway.url}/dashboard/invitations`);
  // The tab keeps the invitation over a reload.
  await page.reload();
  await page.getByLabel('Name').fill('Bo');
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account and join' }).click();
  await page.getByText('Nothing needs your decision.').waitFor();
  await page.getByRole('button', { name: 'More' }).tap();
  await page.getByRole('dialog').getByText("Ada's workspace").waitFor();
  await page.keyboard.press('Escape');
  // The first log-in says what to do first, until the person hides it.
  const steps = page.getByRole('complementary', { name: 'Three things to do first' });
  expect(await steps.getByRole('listitem').first().innerText()).toMatch(/notifications/i);
  expect(await steps.getByRole('listitem').count()).toBe(3);
  await page.reload();
  await steps.getByRole('button', { name: 'Hide this' }).tap();
  await steps.waitFor({ state: 'detached' });
  await page.reload();
  await settled(page);
  expect(await steps.count()).toBe(0);
  const token = new URL(link).hash.slice(1);
  expect(urls.filter((url) => url.includes(token) && !url.includes('#'))).toEqual([]);
  // The link works once.
  const other = await chromium.page();
  chromium.tolerate(/410/);
  await other.goto(link);
  await other.getByRole('alert').getByText('it has expired').waitFor();
});

it('lets a person with an account log in and accept', async () => {
  await addAccount('cy@example.com');
  const link = await invite(gateway, 'cy@example.com', 'admin');
  const page = await chromium.page();
  await page.goto(link);
  await page.getByRole('link', { name: 'I already have an account: log in' }).click();
  await page.getByRole('textbox', { name: 'Password' }).waitFor();
  expect(await page.getByLabel('E-mail').inputValue()).toBe('cy@example.com');
  await enterPassword(page, 'cy@example.com');
  await page.getByText('You are logged in as cy@example.com').waitFor();
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  await page.getByRole('button', { name: "Workspace Ada's workspace Administrator" }).waitFor();
  expect(await page.evaluate('sessionStorage.getItem("agw-invitation")')).toBeNull();
});

it('says what is wrong when an invitation can’t be accepted', async () => {
  chromium.tolerate(/403|404|409|410/);
  await addAccount('di@example.com');
  const page = await chromium.page();
  await logIn(page, gateway.url, '/approvals', 'di@example.com');
  const refused = async (link: string, words: RegExp) => {
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText(words).waitFor();
    await settled(page);
    expect(await page.getByRole('button', { name: 'Accept invitation' }).count()).toBe(0);
  };
  await refused(await invite(gateway, 'eve@example.com', 'auditor'), /is not for di@example.com/);
  await refused(`${gateway.url}/dashboard/invitations#made-up`, /no longer exists/);
  const link = await invite(gateway, 'di@example.com', 'auditor');
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  await page.getByRole('button', { name: "Workspace Ada's workspace Auditor" }).waitFor();
  await refused(link, /was used, or it has expired/);
  await page.getByRole('link', { name: 'Go to the dashboard' }).click();
  await page.goto(`${gateway.url}/dashboard/invitations`);
  await page.getByText('This link is incomplete').waitFor();
});

/** An account with a workspace of its own. Registration is closed, so it comes from an invitation to a new one. */
async function addAccount(email: string): Promise<void> {
  const { id } = await gateway.admin<{ id: number }>('POST /workspaces', { name: `For ${email}` });
  const { url } = await gateway.admin<{ url: string }>(`POST /workspaces/${id}/invitations`, { email, role: 'owner' });
  await register(gateway.app, email, { invitation: url.split('#')[1] });
}

import type { Member, Workspace } from '#contracts';
import { PASSWORD } from '../../api/test/support/accounts.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { startMailServer } from '../../api/test/support/mail-server.js';
import { pageWithAxe, settledViolations } from './support/axe.js';
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

// A page before login asks whether there is a session.
beforeEach(() => chromium.tolerate(/401/));

const members = (): Promise<Member[]> => gateway.admin<Member[]>(`GET /workspaces/${workspaceId}/members`);

it('lets an owner invite three people with two roles, and each accepts in an own browser', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/settings/members');
  const links: [string, string][] = [];
  for (const [emails, role] of [
    [['ana@example.com', 'bo@example.com'], 'approver'],
    [['cy@example.com'], 'auditor'],
  ] as const) {
    await page.getByRole('textbox', { name: 'E-mails' }).fill(emails.join(', '));
    await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption(role);
    await page.getByRole('button', { name: /^Invite( 2 people)?$/ }).click();
    for (const email of emails) {
      const field = page.getByRole('textbox', { name: new RegExp(`^${email}`) });
      links.push([email, await field.inputValue()]);
    }
  }
  await page.getByRole('button', { name: 'I sent the links' }).click();
  await page.getByRole('button', { name: 'Revoke the invitation for cy@example.com' }).waitFor();
  for (const [email, link] of links) {
    const own = await chromium.page();
    await own.goto(link);
    expect(await own.getByLabel('E-mail').inputValue()).toBe(email);
    await own.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await own.getByRole('button', { name: 'Create account and join' }).click();
    await own.getByRole('heading', { name: 'Approvals', exact: true }).waitFor();
  }
  // A live event updates the open page.
  await page.getByText('No open invitations.').waitFor();
  expect((await members()).map(({ role }) => role)).toEqual(['owner', 'approver', 'approver', 'auditor']);
});

it('brings the link of a new invitation into view, selected and with Copy beside it', async () => {
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, '/settings/members');
  for (const email of ['una@example.com', 'vic@example.com']) {
    await page.getByRole('textbox', { name: 'E-mails' }).fill(email);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = page.getByRole('textbox', { name: new RegExp(`^${email}`) }).and(page.locator(':focus'));
    await link.waitFor();
    const { y, height } = (await link.boundingBox())!;
    expect(y > 0 && y + height < (await page.evaluate<number>('innerHeight'))).toBe(true);
    expect(await page.evaluate('getSelection().toString()')).toBe(await link.inputValue());
  }
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(2);
  await page.getByRole('button', { name: 'I sent the links' }).click();
  for (const email of ['una@example.com', 'vic@example.com']) {
    await page.getByRole('button', { name: `Revoke the invitation for ${email}` }).click();
  }
  await page.getByText('No open invitations.').waitFor();
});

it('says which invitations are mailed, and the outcome of the mail', async () => {
  const mail = await startMailServer();
  const mailing = await startGateway({
    SMTP_URL: mail.url,
    MAIL_FROM: 'gateway@example.com',
    PUBLIC_URL: 'http://localhost:3000',
  });
  const page = await pageWithAxe(chromium);
  await logIn(page, mailing.url, '/settings/members');
  const invite = async (email: string) => {
    await page.getByRole('textbox', { name: 'E-mails' }).fill(email);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByText('Each person gets their link by e-mail').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
  };
  await invite('gus@example.com');
  await page.getByRole('row', { name: /gus@example.com.*Sent/ }).waitFor();
  expect(mail.mails.map(({ to }) => to)).toEqual([['gus@example.com']]);
  mail.refuse({ code: 550, text: 'no' });
  await invite('hal@example.com');
  await page.getByRole('row', { name: /hal@example.com.*On its way: answered 550/ }).waitFor();
  expect(await settledViolations(page, 'mailed invitations')).toEqual([]);
  await page.close();
  await mailing.close();
  await mail.close();
});

it('says what a new role changes before it changes it, and removes a person', async () => {
  await addMember(gateway, 'Di', 'admin');
  const page = await chromium.page();
  await logIn(page, gateway.url, '/settings/members');
  await page.getByText('This is the only owner.').waitFor();
  await page.getByRole('button', { name: 'Invite people' }).click();
  await page.getByRole('textbox', { name: 'E-mails' }).and(page.locator(':focus')).waitFor();
  await page.getByRole('combobox', { name: 'Role of Di' }).selectOption('approver');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Di loses:').waitFor();
  await dialog.getByText('Changes services, credentials, rules and agents').waitFor();
  await dialog.getByRole('button', { name: 'Change to Approver' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await members()).find(({ name }) => name === 'Di')?.role).toBe('approver');
  const di = (await members()).find(({ name }) => name === 'Di')!;
  const rule = { name: 'Ask Di', effect: 'require_approval', methods: ['DELETE'], approverIds: [di.id] };
  await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, rule);
  await gateway.proxy({ method: 'DELETE', targetUrl: `${gateway.upstream.url}/v1/customers/7` });
  await page.getByRole('button', { name: 'Remove Di' }).click();
  await dialog.getByText('One rule asks this person by name:').waitFor();
  await dialog.getByText(`${gateway.service.name}: Ask Di`).waitFor();
  await dialog.getByText('One waiting request has too few approvers without this person:').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Remove Di' }).waitFor({ state: 'detached' });
  expect((await members()).map(({ name }) => name)).not.toContain('Di');
});

it('creates a token that is shown once, and revokes it', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/settings/tokens');
  await page.getByRole('textbox', { name: 'Name' }).fill('Nightly export');
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.getByRole('textbox', { name: 'Token “Nightly export”' }).inputValue();
  expect((await gateway.tryAdmin('GET /agents', undefined, token)).status).toBe(200);
  await page.getByRole('button', { name: 'I stored the token' }).click();
  await page.getByRole('button', { name: 'Create token' }).waitFor();
  expect(await page.content()).not.toContain(token);
  await page.getByRole('button', { name: 'Revoke Nightly export' }).click();
  // A press by mistake harms nothing.
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect((await gateway.tryAdmin('GET /agents', undefined, token)).status).toBe(200);
  await page.getByRole('button', { name: 'Revoke Nightly export' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
  await page.getByText('You have no access tokens.').waitFor();
  expect((await gateway.tryAdmin('GET /agents', undefined, token)).status).toBe(401);
});

it('changes the settings of the workspace, and does not delete a workspace that is in use', async () => {
  chromium.tolerate(/409/);
  const page = await chromium.page();
  await logIn(page, gateway.url, '/settings/workspace');
  await page.getByLabel('Approvers can allow similar requests for').selectOption('8');
  await page.getByLabel('Time to undo an approval').selectOption('10');
  await page.getByLabel('Confirm approvals').selectOption('0.8');
  await page.getByLabel('Approve from notifications').selectOption('0.3');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('No changes to save.').waitFor();
  const { name, settings } = await gateway.admin<Workspace>(`GET /workspaces/${workspaceId}`);
  expect(settings).toMatchObject({
    approverRuleMaxHours: 8,
    undoSeconds: 10,
    confirmFromRisk: 0.8,
    approveInNotificationsBelow: 0.3,
  });
  await page.getByRole('button', { name: 'Delete workspace' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(name);
  await dialog.getByRole('button', { name: 'Delete workspace' }).click();
  await dialog.getByText('The workspace has services or agents: delete them first').waitFor();
});

it.each(['desktop', 'phone'] as const)('has no violations and nothing too wide on a %s', async (device) => {
  const page = await pageWithAxe(chromium, device);
  await logIn(page, gateway.url, '/settings/members');
  const found: string[] = [];
  for (const tab of ['members', 'tokens', 'workspace']) {
    await page.goto(`${gateway.url}/dashboard/settings/${tab}`);
    found.push(...(await settledViolations(page, tab)));
    await settled(page);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (width > 0) found.push(`${tab} is ${width} px too wide`);
  }
  expect(found).toEqual([]);
});

import type { Channel } from '#contracts';
import type { Page } from 'playwright-core';
import { eventually } from '../../api/test/support/eventually.js';
import { startFakeUpstream, type FakeUpstream } from '../../api/test/support/fake-upstream.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { startMailServer, type MailServer } from '../../api/test/support/mail-server.js';
import { verified } from '../../api/test/support/webhooks.js';
import { pageWithAxe, settledViolations } from './support/axe.js';
import { logIn, useChromium } from './support/browser.js';
import { addMember } from './support/people.js';
import { traces } from './support/traces.js';

const chromium = useChromium();
const PATH = '/settings/notifications';
let gateway: Gateway;
let receiver: FakeUpstream;
let mail: MailServer;

beforeAll(async () => {
  [receiver, mail] = await Promise.all([startFakeUpstream(), startMailServer()]);
  gateway = await startGateway({
    PRIVATE_CHANNEL_ALLOWLIST: receiver.hostAndPort,
    SMTP_URL: mail.url,
    MAIL_FROM: 'Agent Gateway <gateway@example.com>',
  });
});
afterAll(async () => {
  await gateway?.close();
  await receiver?.close();
  await mail?.close();
});
beforeEach(async () => {
  // Only administrators of the installation see the status.
  chromium.tolerate(/403/);
  for (const { id } of await channels()) await gateway.admin(`DELETE /channels/${id}`);
  receiver.calls.length = 0;
  receiver.answer((_call, response) => response.writeHead(204).end());
});

const channels = (): Promise<Channel[]> => gateway.admin<Channel[]>('GET /channels');
// Identical requests cause only one notification.
let serial = 0;
const hold = () => gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/${++serial}` });
const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true });
const create = (type: string, name: string, fields: object = {}) =>
  gateway.admin<Channel>('POST /channels', { type, name, target: `${receiver.url}/${name}`, ...fields });

it('adds a webhook with a secret that is shown once, tests it, and rotates the secret', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, PATH);
  await page.getByText('The workspace has no channel yet.').waitFor();
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('button', { name: 'Add channel' }).click();
  await page.getByText('Enter a URL.').waitFor();
  await page.getByRole('textbox', { name: 'URL' }).and(page.locator(':focus')).waitFor();
  await page.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/hook?key=planted`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Night desk');
  await page.getByRole('button', { name: 'Add channel' }).click();
  const field = page.getByRole('textbox', { name: 'Signing secret' });
  const secret = await field.inputValue();
  expect(secret).toMatch(/^whsec_/);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'I stored the secret' }).click();
  await card(page, 'Night desk').getByText('Nothing sent yet').waitFor();
  expect(await traces(page)).not.toContain(secret);
  expect(await traces(page)).not.toContain('planted');

  await card(page, 'Night desk').getByRole('button', { name: 'Send test to Night desk' }).click();
  await card(page, 'Night desk')
    .getByText(/^Delivered: the receiver answered 204 after/)
    .waitFor();
  await card(page, 'Night desk').getByText('Delivered just now').waitFor();
  await expect(verified(receiver.calls[0], secret, Date.now())).resolves.toMatchObject({ type: 'channel.test' });

  await card(page, 'Night desk').getByRole('button', { name: 'Rotate secret of Night desk' }).click();
  await page.getByRole('dialog').getByText('For 24 hours notifications are signed with both').waitFor();
  await page.getByRole('button', { name: 'Rotate now' }).click();
  const second = await field.inputValue();
  await page.getByRole('button', { name: 'I stored the secret' }).click();
  await card(page, 'Night desk')
    .getByText(/^Also signed with the previous secret for another 23 hr/)
    .waitFor();
  await card(page, 'Night desk').getByRole('button', { name: 'Send test to Night desk' }).click();
  const call = await eventually(() => receiver.calls[1]);
  for (const each of [secret, second]) await verified(call, each, Date.now());
  expect(second).not.toBe(secret);
});

it('says in words why a test failed, and lists the deliveries with their next steps', async () => {
  const { id } = await create('slack', 'Ops');
  receiver.answer((_call, response) => response.writeHead(500).end());
  const page = await chromium.page();
  await logIn(page, gateway.url, PATH);
  await card(page, 'Ops').getByRole('button', { name: 'Send test to Ops' }).click();
  await card(page, 'Ops').getByText('Not delivered: the receiver answered 500').waitFor();
  await card(page, 'Ops')
    .getByText(/^Failing since /)
    .waitFor();
  const { action_id } = await hold();
  await card(page, 'Ops').getByRole('button', { name: 'Deliveries of Ops' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Waiting' });
  await row.getByText(/answered 500 · next attempt/).waitFor();
  expect(await row.getByRole('link', { name: /customer/i }).getAttribute('href')).toContain(action_id);
  await page.getByRole('row').filter({ hasText: 'Test' }).getByText('failed').waitFor();
  await page.keyboard.press('Escape');
  receiver.answer((_call, response) => response.writeHead(410).end());
  await card(page, 'Ops').getByRole('button', { name: 'Send test to Ops' }).click();
  await card(page, 'Ops')
    .getByText(/so the gateway turned the channel off/)
    .waitFor();
  await page.locator('button:disabled', { hasText: 'Send test' }).waitFor();
  receiver.answer((_call, response) => response.writeHead(204).end());
  await card(page, 'Ops').getByRole('switch', { name: 'Notifications of Ops' }).click({ force: true });
  await card(page, 'Ops').getByRole('button', { name: 'Send test to Ops' }).click();
  await card(page, 'Ops')
    .getByText(/^Delivered: /)
    .waitFor();
  expect((await gateway.admin<Channel>(`GET /channels/${id}`)).disabledReason).toBeNull();
});

it('changes risk, services, quiet hours, reminder and escalation, keeps the target, and deletes the channel after a confirmation', async () => {
  const other = await gateway.createService({ name: 'Billing', baseUrl: `${gateway.upstream.url}/billing` });
  await create('discord', 'Duty');
  const { id } = await create('slack', 'Ops');
  const page = await chromium.page();
  await logIn(page, gateway.url, PATH);
  await card(page, 'Ops').getByRole('button', { name: 'Edit Ops' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('No changes to save.').waitFor();
  await dialog.getByLabel('Minimum risk').selectOption('0.6');
  await dialog.getByRole('combobox', { name: 'Services' }).fill('Bill');
  await page.getByRole('option', { name: 'Billing' }).click();
  await dialog.getByRole('checkbox', { name: 'A request was approved or denied' }).uncheck();
  await dialog.getByRole('switch', { name: 'Quiet hours' }).check({ force: true });
  await dialog.getByLabel('From').fill('23:00');
  await dialog.getByLabel('To', { exact: true }).fill('23:00');
  await dialog.getByLabel('Time zone').fill('Asia/Tokyo');
  await dialog.getByLabel('Reminder').selectOption('15');
  await dialog.getByLabel('Also notify another channel').selectOption('60');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Must differ from the start.').waitFor();
  await dialog.getByText('Choose a channel.', { exact: true }).last().waitFor();
  await dialog.getByLabel('To', { exact: true }).fill('06:30');
  await dialog.getByLabel('The other channel').selectOption({ label: 'Duty' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await card(page, 'Ops').getByText('Risk 0.60 or higher (high) · Billing').waitFor();
  await card(page, 'Ops').getByText('Quiet from 23:00 to 06:30 (Asia/Tokyo)').waitFor();
  await card(page, 'Ops').getByText('Reminds after 15 minutes').waitFor();
  await card(page, 'Ops').getByText('Also notifies “Duty” if nobody decides within 1 hour').waitFor();
  expect(await gateway.admin<Channel>(`GET /channels/${id}`)).toMatchObject({
    minRisk: 0.6,
    serviceIds: [other.id],
    quietHours: { from: '23:00', to: '06:30', timeZone: 'Asia/Tokyo' },
    remindAfterMinutes: 15,
    escalateAfterMinutes: 60,
    target: `${receiver.url}/…`,
  });
  await card(page, 'Ops').getByRole('button', { name: 'Delete Ops' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await card(page, 'Ops').getByRole('button', { name: 'Delete Ops' }).click();
  await dialog.getByRole('button', { name: 'Delete channel' }).click();
  await card(page, 'Ops').waitFor({ state: 'detached' });
  expect((await channels()).map(({ name }) => name)).toEqual(['Duty']);
});

it('offers approvers their own channels only, sends mail to their own address, and tells auditors why there is nothing', async () => {
  await addMember(gateway, 'Bo', 'approver');
  await addMember(gateway, 'Cy', 'auditor');
  const page = await chromium.page();
  await logIn(page, gateway.url, '/approvals', 'bo@example.com');
  await page.getByRole('heading', { name: 'Approvals' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('notif');
  await page.getByRole('option', { name: 'Notifications', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('You have no channels yet.').waitFor();
  expect(await page.getByRole('button', { name: 'Add Slack' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Add e-mail' }).click();
  await page.getByText('E-mails go only to bo@example.com').waitFor();
  await page.getByRole('checkbox', { name: 'All agents were paused' }).waitFor();
  // Only administrators and owners hear of these.
  expect(await page.getByRole('checkbox', { name: /model is failing|Not enough people/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Add channel' }).click();
  await card(page, 'E-mail').getByRole('button', { name: 'Send test to E-mail' }).click();
  await card(page, 'E-mail')
    .getByText(/^Delivered: the receiver answered 250/)
    .waitFor();
  expect(mail.mails.map(({ to }) => to)).toEqual([['bo@example.com']]);

  const auditor = await chromium.page();
  await logIn(auditor, gateway.url, PATH, 'cy@example.com');
  await auditor.getByText('Only approvers, administrators and owners get notifications').waitFor();
  expect(await auditor.getByRole('link', { name: 'Notifications' }).count()).toBe(0);
});

it.each(['desktop', 'phone'] as const)('has no violations and nothing too wide on a %s', async (device) => {
  await create('webhook', 'Night desk');
  await create('slack', 'Ops', { isActive: false });
  const page = await pageWithAxe(chromium, device);
  await logIn(page, gateway.url, PATH);
  await card(page, 'Ops').waitFor();
  const found = await settledViolations(page, 'channels');
  const look = async (what: string) => {
    found.push(...(await settledViolations(page, what)));
    const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (width > 0) found.push(`${what} is ${width} px too wide`);
  };
  await look('channels');
  await card(page, 'Ops').getByRole('button', { name: 'Edit Ops' }).click();
  await page.getByRole('dialog').getByRole('switch', { name: 'Quiet hours' }).check({ force: true });
  await look('form');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await hold();
  await card(page, 'Night desk').getByRole('button', { name: 'Deliveries of Night desk' }).click();
  await page.getByRole('row').filter({ hasText: 'Waiting' }).getByText('delivered').waitFor();
  await look('deliveries');
  expect(found).toEqual([]);
});

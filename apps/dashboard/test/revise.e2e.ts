import type { Action, ActionPage, HeldResponse } from '#contracts';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../../api/test/support/accounts.js';
import { startGateway, type Gateway, type ProxyBody } from '../../api/test/support/gateway.js';
import { pageWithAxe, settledViolations } from './support/axe.js';
import { decision, logIn, pressTwice, settled, useChromium } from './support/browser.js';
import { addMember, readWorkspace } from './support/people.js';

const chromium = useChromium();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  await addMember(gateway, 'Bo', 'approver');
  await addMember(gateway, 'Cy', 'auditor');
});
afterAll(() => gateway.close());
beforeEach(() => gateway.logInAgain());

let serial = 0;
const BODY = '{"amount":50000,"to":{"iban":"DE89","name":"Ada"},"tags":["fast"]}';
const refund = (fields: Partial<ProxyBody> = {}): Promise<HeldResponse> =>
  gateway.hold({
    method: 'POST',
    targetUrl: `${gateway.upstream.url}/v1/refunds/${++serial}`,
    headers: { 'Content-Type': 'application/json', 'X-Tag': 'a' },
    body: BODY,
    idempotencyKey: `refund-${serial}`,
    ...fields,
  });
const get = (id: string) => gateway.admin<Action>(`GET /approvals/${id}`);
const editor = (page: Page) => {
  const dialog = page.getByRole('dialog', { name: 'Edit and approve' });
  const changes = dialog.getByRole('region', { name: 'Changes' });
  return {
    dialog,
    changes,
    target: dialog.getByText('Method, URL and headers'),
    method: dialog.getByLabel('Method'),
    url: dialog.getByLabel('URL', { exact: true }),
    field: (path: string) => dialog.getByLabel(path, { exact: true }),
    asText: dialog.getByRole('button', { name: 'Edit as text' }),
    body: dialog.getByRole('textbox', { name: 'Body as text' }),
    note: dialog.getByLabel('Note', { exact: true }),
    removed: (text: string) => changes.locator('del').filter({ hasText: text }),
    added: (text: string) => changes.locator('ins').filter({ hasText: text }),
    submit: dialog.getByRole('button', { name: 'Approve as changed' }),
    confirm: dialog.getByRole('button', { name: /^Confirm: / }),
    close: dialog.getByRole('button', { name: 'Close' }).last(),
    alert: dialog.getByRole('alert'),
  };
};
/** The second press confirms what the changed request does. */
const approve = (page: Page) =>
  pressTwice(
    page,
    () => editor(page).submit.click(),
    () => editor(page).confirm.click(),
  );
const openEditor = (page: Page) => decision(page).bar.getByRole('button', { name: 'Edit and approve' }).click();
const sent = (body: string): string => body.replace('50000', '500');

it('changes a request on a phone, shows each change before it is sent, and opens the new action', async () => {
  const { action_id: id } = await refund();
  const page = await pageWithAxe(chromium, 'phone', { movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await openEditor(page);
  const { field, asText, body, note, submit, changes, removed, added, dialog } = editor(page);
  await changes.getByText('No changes yet.').waitFor();
  expect(await submit.isDisabled()).toBe(true);
  expect(await field('to.iban').inputValue()).toBe('DE89');

  // A number stays a number: what is none yet is not sent.
  await field('amount').fill('five');
  await dialog.getByText('Enter a number, such as 12 or 0.5.').waitFor();
  expect(await submit.isDisabled()).toBe(true);
  await field('amount').fill('500');
  await changes.getByText('Body: amount').waitFor();
  await removed('50000').waitFor();
  await added('500').waitFor();
  expect(await changes.locator('del, ins').count()).toBe(2);
  await note.fill('the usual limit');
  expect(await settledViolations(page, 'revise')).toEqual([]);
  await asText.tap();
  expect(await body.inputValue()).toBe(sent(BODY));
  expect(await settledViolations(page, 'revise as text')).toEqual([]);
  await approve(page);

  await dialog.waitFor({ state: 'detached' });
  await page
    .getByText(/^Changed and approved: /)
    .first()
    .waitFor();
  await page.waitForURL((url) => !url.pathname.includes(id));
  const revisionId = new URL(page.url()).pathname.split('/').at(-1)!;
  expect(await get(revisionId)).toMatchObject({ status: 'APPROVED', revises: id, body: sent(BODY) });

  // The page shows the proposed, the approved and the sent request.
  await page.getByText('Ada edited the agent’s request.').waitFor();
  await page.locator('article del').filter({ hasText: '50000' }).waitFor();
  await page.getByRole('link', { name: 'Back to approvals' }).waitFor();
  await gateway.execute(revisionId);
  expect(gateway.upstream.calls.at(-1)!.body.toString()).toBe(sent(BODY));
  await page.getByRole('heading', { name: 'Upstream response' }).waitFor();
  await page
    .getByText(/^Original request/)
    .getByRole('link')
    .tap();
  await page.waitForURL((url) => url.pathname.endsWith(id));
  await page.getByText('Edited by Ada. The agent is told to run the edited request instead.').waitFor();
  await page.getByText('Revised', { exact: true }).waitFor();
  expect(await page.getByText('Denied', { exact: true }).count()).toBe(0);
  await page
    .getByText(/^Edited request/)
    .getByRole('link')
    .tap();
  await page.waitForURL((url) => url.pathname.endsWith(revisionId));
  await page.goto(`${gateway.url}/dashboard/history`);
  await page.locator('[data-record]').getByText('Revised', { exact: true }).waitFor();
  expect(await page.getByText('Denied', { exact: true }).count()).toBe(0);
});

it('changes a form by its fields, which come first', async () => {
  const body = 'amount=50000&note=two+words&items%5B%5D=a&items%5B%5D=b';
  const { action_id: id } = await refund({ headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body });
  const page = await pageWithAxe(chromium, 'phone', { movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await openEditor(page);
  const { field, target, url, removed, added } = editor(page);
  expect(await field('note').inputValue()).toBe('two words');
  expect((await field('amount').boundingBox())!.y).toBeLessThan((await target.boundingBox())!.y);
  expect(await url.isVisible()).toBe(false);
  await field('amount').fill('500');
  await field('items[] (2)').fill('c & d');
  await removed('50000').waitFor();
  await added('500').waitFor();
  expect(await settledViolations(page, 'revise a form')).toEqual([]);
  await approve(page);
  await page.waitForURL((at) => !at.pathname.includes(id));
  const revision = await get(new URL(page.url()).pathname.split('/').at(-1)!);
  expect(revision.body).toBe('amount=500&note=two+words&items%5B%5D=a&items%5B%5D=c+%26+d');
});

it.each([
  ['JSON', 'application/json', '{"amount_cents":1250000,"currency":"EUR"}'],
  ['a form', 'application/x-www-form-urlencoded', 'amount_cents=1250000&currency=eur'],
])('says which sum an amount of %s is, on the page and while it is typed', async (_what, type, body) => {
  const { action_id: id } = await refund({ headers: { 'Content-Type': type }, body });
  const page = await pageWithAxe(chromium, 'phone', { movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await page.locator('article').getByText('= €12,500.00', { exact: true }).waitFor();
  await openEditor(page);
  const { dialog, field } = editor(page);
  await dialog.getByText('€12,500.00', { exact: true }).waitFor();
  await field('amount_cents').fill('1250');
  await dialog.getByText('€12.50', { exact: true }).waitFor();
  await field('amount_cents').fill('12.5');
  await dialog.getByText('Not a sum in EUR', { exact: true }).waitFor();
  await field('currency').fill('JPY');
  await dialog.getByText('The currency is no longer EUR, so the sum is unknown.', { exact: true }).waitFor();
  expect(await settledViolations(page, 'revise an amount')).toEqual([]);
});

it('changes method, URL and headers by keyboard, and keeps the rest', async () => {
  const { action_id: id } = await refund();
  const page = await pageWithAxe(chromium, undefined, { movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await decision(page).approve.waitFor();
  await page.keyboard.press('e');
  const { dialog, target: summary, method, url, changes, added, removed } = editor(page);
  expect(await url.isVisible()).toBe(false);
  await summary.press('Enter');
  await method.selectOption('PUT');
  const target = `${gateway.upstream.url}/v1/other/${serial}`;
  await url.fill(target);
  await dialog.getByRole('button', { name: 'Remove header X-Tag' }).click();
  await dialog.getByRole('button', { name: 'Add header' }).click();
  await dialog.getByLabel('Name of header 2').fill('content-type');
  await dialog.getByText('The header content-type occurs twice.').waitFor();
  await dialog.getByLabel('Name of header 2').fill('Prefer');
  await dialog.getByLabel('Value of header 2').fill('return=minimal');
  for (const label of ['Method', 'URL', 'Header X-Tag', 'Header Prefer']) await changes.getByText(label).waitFor();
  await removed('POST').waitFor();
  await added('return=minimal').waitFor();
  const press = () => url.press('Control+Enter');
  await pressTwice(page, press, press);
  await page.waitForURL((at) => !at.pathname.includes(id));
  // The focus is on the new action.
  await page.locator('article h1:focus').waitFor();
  const revision = await get(new URL(page.url()).pathname.split('/').at(-1)!);
  expect(revision).toMatchObject({ method: 'PUT', targetUrl: target, body: BODY, status: 'APPROVED' });
  expect(revision.headers).toEqual({ 'Content-Type': 'application/json', Prefer: 'return=minimal' });
  expect(await settledViolations(page, 'revision')).toEqual([]);
});

it('asks for a second press that names the changed request, and again after another change', async () => {
  const { action_id: id } = await refund({ method: 'PATCH', body: '{"name":"Ada"}' });
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await openEditor(page);
  const { field, submit, confirm } = editor(page);
  await field('name').fill('Bo');
  await submit.click();
  await confirm.waitFor();
  expect(await confirm.textContent()).toBe(`Confirm: PATCH /v1/refunds/${serial}`);
  await field('name').fill('Cy');
  await submit.waitFor();
  expect((await get(id)).status).toBe('PENDING');
  await approve(page);
  await page.waitForURL((at) => !at.pathname.includes(id));
});

it('shows what the gateway refuses beside the form, and loses nothing that was typed', async () => {
  chromium.tolerate(/40[0349]/);
  await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Never here',
    effect: 'deny',
    pathPattern: '/forbidden',
  });
  const { action_id: id } = await refund();
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await openEditor(page);
  const { target, url, note, submit, alert, close, dialog } = editor(page);
  await target.click();
  await note.fill('a reason');
  await url.fill('ftp://nowhere');
  await approve(page);
  await alert.getByText('Only HTTP and HTTPS protocols are allowed').waitFor();
  await url.fill(`${gateway.upstream.url}/v1/forbidden`);
  await approve(page);
  await alert.getByText('Denied by risk rule "Never here"').waitFor();
  await close.click();
  await dialog.waitFor({ state: 'detached' });
  await openEditor(page);
  expect(await url.inputValue()).toBe(`${gateway.upstream.url}/v1/forbidden`);
  expect(await note.inputValue()).toBe('a reason');

  // Somebody else decides meanwhile.
  await gateway.admin(`PATCH /approvals/${id}/deny`, {});
  await dialog.getByText('Already denied by Ada. Your changes are kept').waitFor();
  expect(await submit.isDisabled()).toBe(true);
  expect(await note.inputValue()).toBe('a reason');
});

it('says that the change waits for another approval', async () => {
  const rule = await gateway.admin<{ id: number }>(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Two people',
    effect: 'require_approval',
    approvals: 2,
    methods: ['PATCH'],
  });
  const { action_id: id } = await refund({ method: 'PATCH' });
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await openEditor(page);
  const { field } = editor(page);
  await field('amount').fill('500');
  await approve(page);
  await page
    .getByText(/^Changed, with your approval: .* It needs one more approval\.$/)
    .first()
    .waitFor();
  await page.getByText('You have approved this. Other people must approve it too.').waitFor();
  const { pathname } = new URL(page.url());
  await page.getByRole('link', { name: /For others/ }).click();
  await page.locator(`a[data-action-id="${pathname.split('/').at(-1)}"]`).waitFor();
  await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${rule.id}`);
});

it.each([
  ['binary', { body: undefined, bodyBase64: Buffer.from([0, 255, 1]).toString('base64'), headers: {} }, /is not text/],
  [
    'form',
    {
      body: '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n',
      headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
    },
    /is a form with parts/,
  ],
])('does not edit a %s body and says so, but edits the rest of the request', async (_kind, fields, why) => {
  const { action_id: id } = await refund(fields);
  const { digest, body: proposed } = await get(id);
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await openEditor(page);
  const { dialog, field, url } = editor(page);
  await dialog.getByText(why).waitFor();
  expect(await field('Body').count()).toBe(0);
  await url.fill(`${gateway.upstream.url}/v1/elsewhere/${serial}`);
  await approve(page);
  await page.waitForURL((at) => !at.pathname.includes(id));
  const revision = await get(new URL(page.url()).pathname.split('/').at(-1)!);
  expect(revision.body).toBe(proposed);
  expect(revision.digest).not.toBe(digest);
});

it('is not offered to people who may not decide', async () => {
  chromium.tolerate(/403/);
  await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Only Ada',
    effect: 'require_approval',
    methods: ['PUT'],
    approverIds: [gateway.agent.userId],
  });
  const { action_id: id } = await refund({ method: 'PUT' });
  for (const who of ['bo', 'cy']) {
    const page = await chromium.page({ movableClock: true });
    await logIn(page, gateway.url, `/approvals/${id}`, `${who}@example.com`);
    await page.getByRole('heading', { level: 1, name: /PUT refund/ }).waitFor();
    await settled(page);
    expect(await page.getByRole('button', { name: 'Edit and approve' }).count()).toBe(0);
    await page.keyboard.press('e');
    // While the editor is open or loads, this key does nothing.
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
  }
  const waiting = await gateway.admin<ActionPage>('GET /approvals');
  expect(waiting.items.map(({ action_id }) => action_id)).toContain(id);
});

it('fits into 320 px, with all its buttons, and so does the bar that opens it', async () => {
  const { action_id: id } = await refund();
  const page = await chromium.page({ device: { width: 320, height: 640 } });
  await logIn(page, gateway.url, `/approvals/${id}`);
  const { bar } = decision(page);
  await bar.waitFor();
  const buttons = await bar.getByRole('button').all();
  expect(buttons).toHaveLength(5);
  const tops = new Set<number>();
  for (const button of buttons) {
    const box = (await button.boundingBox())!;
    expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44);
    expect(box.x + box.width).toBeLessThanOrEqual(320);
    tops.add(Math.round(box.y));
  }
  expect(tops.size).toBe(1);
  await openEditor(page);
  const { dialog, submit } = editor(page);
  await submit.waitFor();
  expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
  expect((await submit.boundingBox())!.y).toBeLessThan(640);
});

it('asks for the confirmation that approving needs, and continues with the typed text', async () => {
  chromium.tolerate(/403/);
  const { id: workspace } = await readWorkspace(gateway);
  await gateway.admin(`PUT /workspaces/${workspace}`, { settings: { confirmFromRisk: 0 } });
  await gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
  const { action_id: id } = await refund();
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url, `/approvals/${id}`);
  await openEditor(page);
  const { field, alert, dialog } = editor(page);
  await field('amount').fill('500');
  await gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
  await approve(page);
  const confirm = page.getByRole('dialog', { name: 'Confirm it is you' });
  // Cancelling closes only this dialog.
  await confirm.getByRole('textbox', { name: 'Password' }).waitFor();
  await page.keyboard.press('Escape');
  await confirm.waitFor({ state: 'detached' });
  await alert.waitFor();
  expect(await field('amount').inputValue()).toBe('500');
  await approve(page);
  await confirm.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await confirm.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.waitForURL((at) => !at.pathname.includes(id));
});

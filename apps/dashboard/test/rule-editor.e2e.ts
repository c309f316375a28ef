import type { RiskRule } from '#contracts';
import type { Locator, Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { eventually } from '../../api/test/support/eventually.js';
import { pageWithAxe, violations } from './support/axe.js';
import { logIn, settled, useChromium } from './support/browser.js';

/** What the rule editor offers, and what it and the list say about rules beside each other. */
const chromium = useChromium();
let gateway: Gateway;
const path = () => `/services/${gateway.service.id}`;
const add = (name: string, fields: object) =>
  gateway.admin<RiskRule>(`POST ${path()}/risk-rules`, { name, effect: 'deny', ...fields });

const schema = { properties: { tariff: {}, currency: {} } };
const post = {
  summary: 'Create a charge',
  parameters: [{ in: 'query', name: 'expand' }],
  requestBody: { content: { 'application/json': { schema } } },
};
const PATHS = { delete: { summary: 'Void a charge' }, get: { summary: 'Read a charge' } };

beforeAll(async () => {
  gateway = await startGateway();
  const content = JSON.stringify({
    openapi: '3.0.0',
    info: {},
    paths: { '/charges': { post }, '/charges/{id}': PATHS },
  });
  await gateway.admin(`POST ${path()}/documentation`, { type: 'openapi', title: 'API', content });
});
afterAll(() => gateway.close());
// The preview refuses a condition that is not finished.
beforeEach(() => chromium.tolerate(/400/));
afterEach(async () => {
  const left = await gateway.admin<RiskRule[]>(`GET ${path()}/risk-rules`);
  for (const { id } of left) await gateway.admin(`DELETE ${path()}/risk-rules/${id}`);
});

async function openEditor(page: Page): Promise<Locator> {
  await logIn(page, gateway.url, `${path()}/rules`);
  await page.getByRole('button', { name: 'New rule' }).first().click();
  return page.getByRole('dialog');
}

/** The field for CEL, when the names of the description have come. */
async function openCel(page: Page): Promise<Locator> {
  const dialog = await openEditor(page);
  await settled(page);
  await dialog.getByRole('button', { name: 'Advanced: write it in CEL' }).click();
  return dialog.getByLabel('Condition in CEL');
}

it('offers the fields and parameters of the description', async () => {
  const page = await chromium.page();
  const dialog = await openEditor(page);
  await dialog.getByRole('button', { name: 'Add a condition' }).click();
  await dialog.locator('datalist option[value=tariff]').waitFor({ state: 'attached' });
  await dialog.getByLabel('Look at').selectOption('Query parameter');
  await dialog.locator('datalist option[value=expand]').waitFor({ state: 'attached' });
});

it('adds a preset that asks at once and undoes it, and no preset moves on the press', async () => {
  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, `${path()}/rules`);
  const preset = page.getByRole('button', { name: /^Ask before DELETE/ });
  await preset.waitFor();
  await settled(page);
  const before = await preset.boundingBox();
  await preset.click();
  await page.getByText('Added: Ask before DELETE').first().waitFor();
  await page.getByRole('button', { name: 'Edit: Ask before DELETE' }).waitFor();
  expect(await preset.boundingBox()).toEqual(before);
  expect(await preset.getAttribute('aria-disabled')).toBe('true');
  expect(await violations(page, 'presets')).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Deleted again: Ask before DELETE').first().waitFor();
  await page.getByText('No rules yet.').waitFor();
  expect(await gateway.admin(`GET ${path()}/risk-rules`)).toEqual([]);
});

it('opens a preset that lowers the protection in the editor, with what it matches', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, `${path()}/rules`);
  await page.getByRole('button', { name: /^Allow all reads/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('it only reads or touches personal data').first().waitFor();
  expect(await gateway.admin(`GET ${path()}/risk-rules`)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save rule' }).click();
  await page.getByText('Rule saved.').first().waitFor();
  await page.getByRole('button', { name: 'Edit: Allow all reads' }).waitFor();
  expect(await gateway.admin(`GET ${path()}/risk-rules`)).toMatchObject([{ name: 'Allow all reads', effect: 'allow' }]);
});

it('fills in method and path of an operation that is found by its words, by the keyboard', async () => {
  const page = await pageWithAxe(chromium, 'phone');
  const dialog = await openEditor(page);
  const field = dialog.getByRole('combobox', { name: 'Find an operation' });
  const options = page.getByRole('listbox', { name: 'Find an operation' }).getByRole('option');
  await field.pressSequentially('nothing');
  await page.getByText('No operation has these words.').waitFor();
  await field.fill('');
  await field.pressSequentially('charge');
  await options.nth(2).waitFor();
  // The list of options makes the page no wider than the phone.
  expect(await page.evaluate<number>('innerWidth')).toBe(390);
  expect(await violations(page, 'operations')).toEqual([]);
  await field.pressSequentially(' void');
  await options.nth(1).waitFor({ state: 'detached' });
  expect(await options.allTextContents()).toEqual(['Void a chargeDELETE /charges/*']);
  await page.keyboard.press('Enter');
  expect(await dialog.getByLabel('Path under the base URL').inputValue()).toBe('/charges/*');
  expect(await dialog.getByLabel('DELETE', { exact: true }).isChecked()).toBe(true);
  expect(await field.inputValue()).toBe('');
  // Escape closes the list before the dialog.
  await field.press('ArrowDown');
  await options.first().waitFor();
  await page.keyboard.press('Escape');
  await options.first().waitFor({ state: 'hidden' });
  expect(await dialog.isVisible()).toBe(true);
});

it('asks what a rule matches only when the gateway can tell', async () => {
  const page = await chromium.page({ movableClock: true });
  const dialog = await openEditor(page);
  const path = dialog.getByLabel('Path under the base URL');
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/preview')) asked.push((request.postDataJSON() as { pathPattern: string }).pathPattern);
  });
  for (const pattern of ['charges', '/charges']) {
    await path.fill(pattern);
    await page.clock.fastForward(1000);
    await settled(page);
  }
  await eventually(() => asked.includes('/charges'));
  expect(asked).toEqual(['/charges']);
});

it.each(['phone', 'desktop'] as const)('keeps the buttons in view on a %s', async (device) => {
  const page = await chromium.page({ device });
  const dialog = await openEditor(page);
  await settled(page);
  const save = dialog.getByRole('button', { name: 'Save rule' });
  const isInView = async () => {
    const { y, height } = (await save.boundingBox())!;
    return y > 0 && y + height <= (await page.evaluate<number>('innerHeight'));
  };
  expect(await isInView()).toBe(true);
  // A field that is reached by the keyboard is not behind them.
  const name = dialog.getByLabel('Name', { exact: true });
  await name.focus();
  expect(await isInView()).toBe(true);
  const field = (await name.boundingBox())!;
  expect(field.y + field.height).toBeLessThan((await dialog.getByRole('button', { name: 'Cancel' }).boundingBox())!.y);
});

it('completes CEL by the keyboard', async () => {
  const page = await chromium.page();
  const cel = await openCel(page);
  const options = page.getByRole('listbox', { name: 'What can stand here' }).getByRole('option');
  await cel.pressSequentially('req');
  await page.keyboard.press('Enter');
  await cel.pressSequentially('.body.');
  expect(await options.allTextContents()).toEqual(['tariff', 'currency']);
  const chosen = async () => (await cel.getAttribute('aria-activedescendant'))!;
  expect(await page.locator(`[id="${await chosen()}"]`).textContent()).toBe('tariff');
  await page.keyboard.press('ArrowDown');
  expect(await page.locator(`[id="${await chosen()}"]`).textContent()).toBe('currency');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Tab');
  expect(await cel.inputValue()).toBe('request.body.tariff');
  await options.first().waitFor({ state: 'detached' });
  await cel.pressSequentially(' > 5 && "mon');
  await page.keyboard.press('Enter');
  await cel.pressSequentially('" in eff');
  await page.keyboard.press('Enter');
  expect(await cel.inputValue()).toBe('request.body.tariff > 5 && "money" in effects');
  // Between the brackets of a function.
  await cel.pressSequentially(' && ha');
  await page.keyboard.press('Enter');
  await cel.pressSequentially('request.body.cu');
  await page.keyboard.press('Enter');
  expect(await cel.inputValue()).toMatch(/ && has\(request\.body\.currency\)$/);
  await page.getByRole('button', { name: 'Save rule' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

it('closes the list with Escape, and only then the dialog', async () => {
  const page = await chromium.page();
  const cel = await openCel(page);
  const list = page.getByRole('listbox', { name: 'What can stand here' });
  await cel.pressSequentially('op');
  await list.waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  expect(await cel.inputValue()).toBe('op');
  // Without a list, Enter begins a line and Tab leaves the field.
  await page.keyboard.press('Enter');
  expect(await cel.inputValue()).toBe('op\n');
  await page.keyboard.press('Control+Space');
  await list.getByRole('option', { name: 'firstTime' }).click();
  expect(await cel.inputValue()).toBe('op\nfirstTime');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.tagName')).not.toBe('TEXTAREA');
  const questions: string[] = [];
  page.on('dialog', (question) => {
    questions.push(question.message());
    void question.accept();
  });
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(questions).toEqual(['Leave without saving what you entered?']);
});

it('names rules that a stronger one hides, that are opposed, and that nothing matches', async () => {
  await add('Never delete', { methods: ['DELETE'], pathPattern: '/customers/**' });
  const hidden = await add('Ask before one goes', {
    effect: 'require_approval',
    methods: ['DELETE'],
    pathPattern: '/customers/*',
  });
  await add('Ask about money', { effect: 'require_approval', when: '"money" in effects' });
  await add('Allow money', { effect: 'allow', when: '"money" in effects' });
  await gateway.app.database.query(`UPDATE risk_rules SET updated_at = now() - interval '40 days' WHERE id = $1`, [
    hidden.id,
  ]);
  await gateway.app.database.query(
    `INSERT INTO risk_rule_matches (rule_id, since) VALUES ($1, now() - interval '40 days')`,
    [hidden.id],
  );
  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, `${path()}/rules`);
  const row = page.locator(`#rule-${hidden.id}`);
  await row.getByText('Hidden by Never delete, which is stronger and matches whenever this rule does.').waitFor();
  await row.getByText('No request matched in 30 days.').waitFor();
  await page.getByText('Says the opposite of Allow money. This rule decides.').waitFor();
  await page.getByText('Says the opposite of Ask about money, which decides.').waitFor();
  expect(await violations(page, 'findings')).toEqual([]);
  await row.getByRole('link', { name: 'Never delete' }).click();
  expect(page.url()).toMatch(/#rule-\d+$/);
});

it('shows in the editor where a rule stands, and what hides it before it is saved', async () => {
  await add('Never delete', { methods: ['DELETE'], pathPattern: '/customers/**' });
  const page = await chromium.page({ device: { width: 320, height: 700 } });
  const dialog = await openEditor(page);
  const order = dialog.getByRole('list', { name: 'Order of force' });
  expect(await order.locator('[aria-current=step]').textContent()).toContain('ask');
  await dialog.getByText('Stronger rules about some of the same requests: Never delete').waitFor();
  // At this width the header of the dialog may be over them.
  await dialog.getByRole('radio', { name: 'Allow', exact: true }).dispatchEvent('click');
  expect(await order.locator('[aria-current=step]').textContent()).toContain('allow');
  await dialog.getByText('GET', { exact: true }).dispatchEvent('click');
  await dialog.getByText('No stronger rule is about the same requests.').waitFor();
  await dialog.getByText('GET', { exact: true }).dispatchEvent('click');
  await dialog.getByText('DELETE', { exact: true }).dispatchEvent('click');
  await dialog.getByLabel('Path under the base URL').fill('/customers/*/cards');
  await dialog.getByText('Hidden by Never delete').waitFor();
  // The rule opens in another tab, so that the draft stays.
  const [other] = await Promise.all([
    page.context().waitForEvent('page'),
    dialog.getByRole('link', { name: 'Never delete' }).dispatchEvent('click'),
  ]);
  await other.waitForURL(/\/rules#rule-\d+$/);
  await other.close();
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
});

it('counts a request that more people must approve as treated differently, and says what several rules need', async () => {
  await gateway.hold({ method: 'DELETE', targetUrl: `${gateway.upstream.url}/v1/drafts/1` });
  await gateway.app.settled();
  const rule = await add('Ask one', { effect: 'require_approval', methods: ['DELETE'] });
  await add('Ask three', { effect: 'require_approval', approvals: 3, pathPattern: '/payouts' });
  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, `${path()}/rules`);
  await page.getByRole('button', { name: `Edit: ${rule.name}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Approvals').selectOption('2');
  await dialog.getByText('Where Ask three also matches, a request needs 3 people (that rule asks for most).').waitFor();
  await dialog.getByRole('button', { name: 'Try it on the last 1,000 requests' }).click();
  await dialog.getByText('It matches 1 of the last 1 request.').waitFor();
  await dialog.getByText('1 request would be treated differently.').waitFor();
  await dialog.getByText('asked (1 person) → asked (2 people)').waitFor();
  expect(await violations(page, 'other approvals')).toEqual([]);
});

it.each(['phone', 'desktop'] as const)('has no accessibility violations with the list open on a %s', async (device) => {
  const page = await pageWithAxe(chromium, device);
  const cel = await openCel(page);
  await cel.pressSequentially('request.');
  const list = page.getByRole('listbox', { name: 'What can stand here' });
  await list.waitFor();
  const problem = page.getByText(/^line 1, column/);
  await problem.waitFor();
  expect(await violations(page, `${device}, open`)).toEqual([]);
  await cel.press('Escape');
  await list.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: /^line 1, column/ }).waitFor();
  expect(await violations(page, `${device}, closed`)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
});

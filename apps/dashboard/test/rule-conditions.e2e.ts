import type { RiskRule } from '#contracts';
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { conditionFieldMessages } from '../src/features/services/condition-field-messages.js';
import { pageWithAxe, violations } from './support/axe.js';
import { logIn, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const rules = () => gateway.admin<RiskRule[]>(`GET /services/${gateway.service.id}/risk-rules`);

async function openEditor(page: Page): Promise<void> {
  await logIn(page, gateway.url, `/services/${gateway.service.id}/rules`);
  await page.getByRole('button', { name: 'New rule' }).first().click();
}

it('writes a condition with fields of recent requests, shows it in words, and opens it in the same fields', async () => {
  await gateway.hold({ method: 'POST', body: '{"amount":50,"currency":"EUR"}' }, { 'Idempotency-Key': 'seen' });
  const page = await chromium.page({ device: 'phone' });
  await openEditor(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('POST', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Add a condition' }).click();
  const save = dialog.getByRole('button', { name: 'Save rule' });
  expect(await save.isDisabled()).toBe(true);
  await dialog.getByText('Complete the condition, or remove it.').waitFor();
  await dialog.locator('datalist option[value=currency]').waitFor({ state: 'attached' });
  const field = dialog.getByLabel('Name', { exact: true }).first();
  await field.fill('currency');
  expect(await dialog.getByLabel('Test').inputValue()).toBe('is');
  await field.fill('amount');
  expect(await dialog.getByLabel('Test').inputValue()).toBe('>');
  await dialog.getByLabel('Value').fill('100');
  await dialog.getByText('A request that lacks the field counts as a match, so people are asked about it.').waitFor();

  await dialog.getByRole('button', { name: 'Add a condition' }).click();
  await dialog.getByLabel('Look at').nth(1).selectOption('What it does');
  const effects = dialog.getByRole('group', { name: 'Effects' });
  await effects.getByText('moves money').click();
  await effects.getByText('deletes').click();
  await dialog.getByText('amount > 100 and it deletes or moves money').waitFor();
  await save.click();
  await page.getByText('Rule saved.').first().waitFor();
  const saved = (await rules()).at(-1)!;
  expect(saved.when).toBe('request.body.amount > 100 && effects.exists(e, e in ["delete", "money"])');

  await page.getByRole('button', { name: `Edit: ${saved.name}` }).click();
  expect(await dialog.getByLabel('Value').inputValue()).toBe('100');
  await dialog.getByRole('button', { name: /^Remove the condition it deletes/ }).click();
  await save.click();
  await page.getByText('Rule saved.').nth(1).or(dialog.first()).first().waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect((await rules()).at(-1)!.when).toBe('request.body.amount > 100');
});

it('says that numbers of forms are texts, and reads them where the person wants that', async () => {
  const page = await pageWithAxe(chromium, 'phone');
  await openEditor(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Add a condition' }).click();
  await dialog.getByLabel('Name', { exact: true }).first().fill('price');
  await dialog.getByLabel('Value').fill('100');
  const reads = dialog.getByRole('checkbox', { name: 'Read a number in a text too' });
  expect(await reads.isChecked()).toBe(false);
  await dialog
    .getByText(/can’t be decided there: the request counts as a match, so people are asked about it\.$/)
    .waitFor();
  await reads.check();
  await dialog.getByText('So the condition also reads forms, where every value is a text.').waitFor();
  expect(await violations(page, 'numbers of forms')).toEqual([]);
  await dialog.getByRole('button', { name: 'Save rule' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await rules()).at(-1)!.when).toBe('double(request.body.price) > 100.0');
});

it('shows every other condition as CEL, and never loses it', async () => {
  const when = 'request.body.amount > 100 || operation == null';
  const { id, name } = await gateway.admin<RiskRule>(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Large or unknown',
    effect: 'require_approval',
    when,
  });
  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${gateway.service.id}/rules`);
  await page.getByText(when).waitFor();
  await page.getByRole('button', { name: `Edit: ${name}` }).click();
  const dialog = page.getByRole('dialog');
  const cel = dialog.getByLabel('Condition in CEL');
  expect(await cel.inputValue()).toBe(when);
  await dialog.getByText('Fields can’t show this condition.').waitFor();
  await dialog.getByRole('button', { name: 'Save rule' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await rules()).find((rule) => rule.id === id)!.when).toBe(when);

  await page.getByRole('button', { name: `Edit: ${name}` }).click();
  await cel.fill('request.body.amount > 5');
  await dialog.getByRole('button', { name: 'Back to fields' }).click();
  expect(await dialog.getByLabel('Value').inputValue()).toBe('5');
  await dialog.getByRole('button', { name: 'Advanced: write it in CEL' }).click();
  expect(await cel.inputValue()).toBe('request.body.amount > 5');
});

it('tries a rule on the latest requests when the person asks for it', async () => {
  const page = await chromium.page();
  await openEditor(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Try it on the last 1,000 requests' }).click();
  await dialog
    .getByText(/^It matches \d+ of the last \d+ requests?\./)
    .first()
    .waitFor();
});

it('shows the gateway’s error in the field, and goes to its place on a press', async () => {
  chromium.tolerate(/400/);
  const page = await chromium.page();
  await openEditor(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Advanced: write it in CEL' }).click();
  const cel = dialog.getByLabel('Condition in CEL');
  await cel.fill('firstTime &&\nrequest.bod == 1');
  await dialog.getByRole('button', { name: /^line 2, column 9: / }).click();
  expect(await cel.evaluate((node) => (node as unknown as { selectionStart: number }).selectionStart)).toBe(21);
  await cel.fill('request.body == null');
  await dialog.getByRole('button', { name: /^line 2/ }).waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Save rule' }).click();
  await dialog.waitFor({ state: 'detached' });
});

it('writes conditions that the gateway takes', async () => {
  for (const when of [
    'double(request.body["x-y"]["in"]) == 50.0',
    '!("x-y" in request.body.a)',
    '"a[]" in request.query && "1" in request.query["a[]"]',
    'request.body.size.contains("\\u2028\\"")',
    'effects.all(e, e in ["read", "personalData"])',
    'graphql != null && graphql.type == "mutation"',
    'firstTime',
    ...conditionFieldMessages.snippets.map(([code]) => code).filter((code) => !code.includes(', ')),
  ]) {
    const rule = { name: 'R', effect: 'require_approval', when };
    const { status, body } = await gateway.tryAdmin(`POST /services/${gateway.service.id}/risk-rules`, rule);
    expect([when, status, body]).toEqual([when, 201, expect.anything()]);
  }
});

it('has no accessibility violations, on a phone and on a desktop', async () => {
  for (const device of ['phone', 'desktop'] as const) {
    const page = await pageWithAxe(chromium, device);
    await openEditor(page);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add a condition' }).click();
    await dialog.getByLabel('Value').fill('1');
    await dialog.getByRole('button', { name: 'Add a condition' }).click();
    await dialog.getByLabel('Look at').nth(1).selectOption('What it does');
    expect(await violations(page, `${device} fields`)).toEqual([]);
    await dialog.getByRole('button', { name: 'Advanced: write it in CEL' }).click();
    await dialog.getByText('What you can write').click();
    expect(await violations(page, `${device} CEL`)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Edit what people are asked about' }).click();
    await page.getByRole('checkbox', { name: 'Deletes' }).check();
    await page.getByText(/^It would ask about /).waitFor();
    expect(await violations(page, `${device} what people are asked about`)).toEqual([]);
  }
});

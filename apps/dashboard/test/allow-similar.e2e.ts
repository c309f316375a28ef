import type { ExceptionCondition, RiskRule } from '#contracts';
import { exceptionConditions } from '../../api/src/approvals/exception-conditions.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { readValueLimits } from '../src/lib/value-limits.js';
import { pageWithAxe, violations } from './support/axe.js';
import { decision, logIn, read, useChromium } from './support/browser.js';
import { addMember } from './support/people.js';

const MINUTE_MS = 60_000;

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
});
afterAll(() => gateway.close());

it('approves and allows only similar requests from the same agent for an hour', async () => {
  gateway.model.answer({ score: 0.6, explanation: 'changes a customer' });
  const change = (id: number) =>
    gateway.proxy({
      method: 'PUT',
      targetUrl: `${gateway.upstream.url}/v1/customers/${id}`,
      body: '{}',
      intent: 'rename',
    });
  const held = await change(42);
  expect(held.status).toBe(428);
  const page = await chromium.page({ device: 'phone', movableClock: true });
  await logIn(page, gateway.url, `/approvals/${held.json<{ action_id: string }>().action_id}`);

  await decision(page).allowSimilar.tap();
  await page.getByRole('radio', { name: '1 hour' }).tap();
  const offered = page.getByRole('radiogroup', { name: 'For' }).locator('label');
  expect(await offered.allInnerTexts()).toEqual(['15 min', '1 hour', '1 day']);
  await page.getByText(/^Until .*, support-bot can send PUT .*customers.* to Shop without approval, where/).waitFor();
  await page.getByText('the body is empty').waitFor();
  await page.getByText('It matches 1 of the last 1 held requests.').waitFor();
  await read(page);
  const beforeMs = Date.now();
  await page.getByRole('button', { name: 'Approve and allow for 1 hour' }).tap();
  await page.getByText('Approved by Ada. The agent can run it now.').waitFor();

  // The rule is created after the approval.
  await page
    .getByText(/^Approved: /)
    .first()
    .waitFor();
  const afterMs = Date.now();
  const [rule] = await gateway.admin<RiskRule[]>(`GET /services/${gateway.service.id}/risk-rules`);
  expect(rule).toMatchObject({ effect: 'allow', methods: ['PUT'], agentIds: [gateway.agent.id], isActive: true });
  // The clocks of browser and gateway may differ a little.
  expect(Date.parse(rule.expiresAt!) - beforeMs).toBeGreaterThan(58 * MINUTE_MS);
  expect(Date.parse(rule.expiresAt!) - afterMs).toBeLessThan(62 * MINUTE_MS);

  // The first request may start with the old rules. The gateway assesses it again when it sees that they changed.
  expect((await change(43)).status).toBe(200);
  const asked = gateway.model.calls.length;
  expect((await change(45)).status).toBe(200);
  expect(gateway.model.calls).toHaveLength(asked);
  const other = await gateway.proxy({ method: 'PUT', targetUrl: `${gateway.upstream.url}/v1/refunds/43`, body: '{}' });
  expect(other.status).toBe(428);

  // The rule is listed and expires.
  await page.goto(`${gateway.url}/dashboard/services/${gateway.service.id}/rules`);
  await page
    .getByText(/until /)
    .first()
    .waitFor();
  await gateway.app.advance({ minutes: 61 });
  expect((await change(44)).status).toBe(428);
});

const rules = () => `/services/${gateway.service.id}/risk-rules`;
async function withRule(fields: object, check: (rule: RiskRule) => Promise<void>): Promise<void> {
  const rule = await gateway.admin<RiskRule>(`POST ${rules()}`, { effect: 'require_approval', ...fields });
  try {
    await check(rule);
  } finally {
    await gateway.logInAgain();
    await gateway.admin(`DELETE ${rules()}/${rule.id}`);
  }
}
let keys = 0;
const refund = (body: object, headers: object = {}) => ({
  method: 'POST',
  targetUrl: `${gateway.upstream.url}/v1/refunds`,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
  idempotencyKey: `refund-${++keys}`,
});

it('lifts the rule that asks, for the values that the person sees, and the rules list says so', async () => {
  await gateway.logInAgain();
  await withRule({ name: 'Ask before refunds', pathPattern: '/refunds' }, async (asking) => {
    for (const amount of [40, 60]) {
      const earlier = await gateway.hold(refund({ amount, currency: 'EUR', charge_id: 'ch_1' }));
      await gateway.approve(earlier.action_id);
    }
    const { action_id } = await gateway.hold(refund({ amount: 50, currency: 'EUR', charge_id: 'ch_1' }));
    const page = await pageWithAxe(chromium, 'phone', { movableClock: true });
    await logIn(page, gateway.url, `/approvals/${action_id}`);
    await decision(page).allowSimilar.tap();
    const { bar } = decision(page);
    await bar.getByText('can send POST /refunds to Shop without approval, where').waitFor();
    await bar.getByText('This lifts the rule “Ask before refunds” for these requests only.').waitFor();
    const limits = bar.getByRole('listitem');
    expect(await limits.allInnerTexts()).toEqual([
      'amount is above 0 and up to 50',
      'currency is EUR',
      'charge_id is ch_1',
      'there is no query',
      'the content type is “application/json”',
      'the body has no other field',
      'there are no headers but accept, accept-encoding, accept-language and 6 more',
    ]);
    // Of 40, 60 and 50.
    await bar.getByText(/^It matches 2 of the last \d+ held requests\.$/).waitFor();
    await bar.getByText(/^It would have saved 1 of your last [23] approvals for Shop\.$/).waitFor();
    await bar.getByRole('checkbox', { name: 'Any charge_id' }).tap();
    await bar.getByText('charge_id is any identifier').waitFor();
    expect(await bar.getByRole('checkbox', { name: /Any values/ }).count()).toBe(0);
    expect(await violations(page, 'allow similar')).toEqual([]);
    await read(page);
    const allow = page.getByRole('button', { name: 'Approve and allow for 15 min' });
    await allow.tap();
    // On a phone, the panel can cover fields of the request. The first press shows them then.
    const again = bar.getByText(/ Press again to approve\.$/);
    const approved = page.getByText(/^Approved: /).first();
    await again.or(approved).first().waitFor();
    if (await again.isVisible()) {
      await read(page);
      await allow.tap();
    }
    await approved.waitFor();

    const exception = (await gateway.admin<RiskRule[]>(`GET ${rules()}`)).find(({ exceptionTo }) => exceptionTo[0]);
    expect(exception).toMatchObject({ exceptionTo: [asking.id], fromAction: action_id, effect: 'allow' });
    const send = async (body: object) => (await gateway.proxy(refund(body))).status;
    expect(await send({ amount: 49, currency: 'EUR', charge_id: 'ch_2' })).toBe(200);
    expect(await send({ amount: 51, currency: 'EUR', charge_id: 'ch_1' })).toBe(428);
    expect(await send({ amount: 1, currency: 'USD', charge_id: 'ch_1' })).toBe(428);
    expect(await send({ amount: 1, currency: 'EUR', charge_id: 'ch_1', to: 'me' })).toBe(428);

    await page.goto(`${gateway.url}/dashboard/services/${gateway.service.id}/rules`);
    const row = page.getByRole('listitem').filter({ hasText: 'exception' }).filter({ hasText: 'Lifts' });
    await row.getByText('amount is above 0 and up to 50 and currency is EUR and charge_id is any identifier').waitFor();
    await row.getByText(/ left$/).waitFor();
    await row.getByText('“Ask before refunds”').waitFor();
    await page.getByText('1 exception lifts it for similar requests').waitFor();
    expect(await violations(page, 'rules with an exception')).toEqual([]);
    // The gateway takes only another name and another end.
    await row.getByRole('button', { name: `Edit: ${exception!.name}` }).tap();
    const dialog = page.getByRole('dialog', { name: 'Edit exception' });
    await dialog.getByText('In this workspace, exceptions last at most 24 hours.').waitFor();
    expect(await dialog.locator('input, select, textarea').count()).toBe(3);
    expect(await dialog.getByLabel('Expires').locator('option').allTextContents()).toEqual([
      expect.stringMatching(/^At /),
      ...['In 15 min', 'In 1 hour', 'In 8 hours', 'In 1 day'],
    ]);
    await dialog.getByLabel('Expires').selectOption('In 8 hours');
    await dialog.getByLabel('Use limit').fill('9');
    await dialog.getByLabel('Name').fill('Small refunds');
    await dialog.getByRole('button', { name: 'Save rule' }).tap();
    await dialog.waitFor({ state: 'detached' });
    const changed = (await gateway.admin<RiskRule[]>(`GET ${rules()}`)).find(({ id }) => id === exception!.id)!;
    const { name, maxUses, expiresAt, updatedAt: _, ...kept } = changed;
    expect([name, maxUses, expiresAt === exception!.expiresAt]).toEqual(['Small refunds', 9, false]);
    expect(exception).toMatchObject(kept);
    await row.getByRole('link', { name: 'Made from this request' }).tap();
    await page.waitForURL((url) => url.pathname.endsWith(`/approvals/${action_id}`));
    await gateway.logInAgain();
    await gateway.admin(`DELETE ${rules()}/${exception!.id}`);
  });
});

it('offers an approver no rule to edit', async () => {
  await gateway.logInAgain();
  await addMember(gateway, 'Bo', 'approver');
  await withRule({ name: 'Ask before refunds', pathPattern: '/refunds' }, async () => {
    const { action_id } = await gateway.hold(refund({ amount: 45, currency: 'EUR' }));
    for (const [email, links] of [
      ['bo@example.com', 0],
      ['ada@example.com', 1],
    ] as const) {
      const page = await chromium.page({ device: 'phone' });
      await logIn(page, gateway.url, `/approvals/${action_id}`, email);
      await decision(page).allowSimilar.tap();
      await page.getByText('This lifts the rule “Ask before refunds” for these requests only.').waitFor();
      await page.getByText(/^It matches /).waitFor();
      expect(await page.getByRole('link', { name: /edit .*rule/i }).count()).toBe(links);
      expect((await page.locator('body').innerText()).match(/edit[^.]*rule/gi) ?? []).toHaveLength(links);
    }
  });
});

it.each<[string, object, object, RegExp, object?]>([
  ['a hard rule', { exceptions: 'none' }, { amount: 1 }, /“Firm” is a hard rule that nothing lifts\./],
  ['a rule that asks two people', { approvals: 2 }, { amount: 2 }, /“Firm” is a hard rule that nothing lifts\./],
  ['values that can’t be limited', {}, { items: [{ id: 3 }] }, /limited: its body has objects or lists in a list/],
  [
    'headers that may be secrets',
    {},
    { amount: 3 },
    /limited: it has a header that may be a secret/,
    { 'X-Session': '7' },
  ],
])('says that nothing can be allowed because of %s', async (_case, fields, body, reason, headers = {}) => {
  await gateway.logInAgain();
  await withRule({ name: 'Firm', pathPattern: '/refunds', ...fields }, async () => {
    const { action_id } = await gateway.hold(refund(body, headers));
    const page = await chromium.page({ device: 'phone' });
    await logIn(page, gateway.url, `/approvals/${action_id}`);
    await decision(page).allowSimilar.tap();
    await page.getByText(reason).waitFor();
    expect(await page.getByRole('button', { name: /^Approve and allow for/ }).isDisabled()).toBe(true);
  });
});

it('keeps to the values of a request that no rule asks about, unless the person wants any', async () => {
  await gateway.logInAgain();
  gateway.model.answer({ score: 0.9, explanation: 'moves money' });
  const { action_id } = await gateway.hold(refund({ amount: 7 }));
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await decision(page).allowSimilar.tap();
  const { bar } = decision(page);
  await bar.getByText('amount is above 0 and up to 7').waitFor();
  await bar.getByRole('checkbox', { name: 'Any values, whatever the body and the query say' }).tap();
  await bar.getByText('without approval, whatever the body and the query say.').waitFor();
  expect(await bar.getByRole('listitem').count()).toBe(0);
});

it('reads whatever the gateway limits an exception to', () => {
  const odd = {
    'a.b': '" && x',
    if: -1,
    z: 0,
    all: ['x'],
    big: 1.5,
    none: '',
    size: '\ud83d\ude00',
    to: { on: null, is: {} },
  };
  for (const body of [odd, { a: 1 }, {}, null]) {
    const conditions = exceptionConditions({
      targetUrl: 'https://a.example/x?a[]=%20&size=',
      headers: { 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    }) as ExceptionCondition[];
    expect(readValueLimits(conditions.map(({ text }) => text).join(' && '))).not.toBeNull();
  }
});

it('includes other owners only when the user asks, and shows the owner in the inbox', async () => {
  await gateway.logInAgain();
  const path = '/repos/a-rather-long-organisation-name/the-repository/issues/17/lock';
  await gateway.hold({ method: 'PUT', targetUrl: `${gateway.upstream.url}/v1${path}`, body: '{}' });
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, '/approvals');
  const row = page.getByRole('link', { name: /PUT lock of issue 17/ });
  await row.waitFor();
  // On one line, the title would be cut before the repository.
  const what = row.locator('[class*=what]');
  expect(await what.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
  await row.tap();
  await decision(page).allowSimilar.tap();
  await page
    .getByText(/can send PUT \/repos\/a-rather-long-organisation-name\/the-repository\/issues\/\*\/lock to Shop/)
    .waitFor();
  await page.getByRole('checkbox', { name: 'Include every owner: /repos/*/*/issues/*/lock' }).tap();
  await page.getByText(/can send PUT \/repos\/\*\/\*\/issues\/\*\/lock to Shop/).waitFor();
});

it('is not available for GraphQL and says why; the title names the operation', async () => {
  await gateway.logInAgain();
  const { action_id } = await gateway.hold({
    method: 'POST',
    idempotencyKey: 'graphql',
    targetUrl: `${gateway.upstream.url}/v1/graphql`,
    body: JSON.stringify({ query: 'mutation CleanUp { deleteRepository(id: 1) { id } }' }),
  });
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await page.getByRole('heading', { name: 'POST graphql: mutation deleteRepository (CleanUp)' }).waitFor();
  await decision(page).allowSimilar.tap();
  await page.getByText('Not available for GraphQL. The body names the operation').waitFor();
  expect(await page.getByRole('button', { name: /^Approve and allow for/ }).isDisabled()).toBe(true);
});

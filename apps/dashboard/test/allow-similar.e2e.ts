import type { RiskRule } from '#contracts';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, logIn, read, useChromium } from './support/browser.js';

const MINUTE_MS = 60_000;

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
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
  await page.getByText(/^Until .*, support-bot can send PUT .*customers.* to Shop without approval\./).waitFor();
  await page.getByText('It matches 1 of the last 1 requests.').waitFor();
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

it('says when another rule overrides the allow rule', async () => {
  await gateway.logInAgain();
  await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Ask before DELETE',
    effect: 'require_approval',
    methods: ['DELETE'],
  });
  const { action_id } = await gateway.hold();
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await decision(page).allowSimilar.tap();
  await page.getByText('Rule “Ask before DELETE” overrides an allow rule').waitFor();
  expect(await page.getByRole('button', { name: /^Approve and allow for/ }).isDisabled()).toBe(true);
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

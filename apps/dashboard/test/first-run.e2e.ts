import { EgressClient, type Resolver } from '#egress';
import { startFakeModel, type FakeModel } from '../../api/test/support/fake-model.js';
import { startFakeUpstream, type FakeUpstream } from '../../api/test/support/fake-upstream.js';
import { startApp, type TestApp } from '../../api/test/support/start-app.js';
import type { Page } from 'playwright-core';
import { decision, pressTwice, useChromium } from './support/browser.js';
import { traces } from './support/traces.js';

const chromium = useChromium();
let app: TestApp;
let upstream: FakeUpstream;
let model: FakeModel;

beforeEach(async () => {
  [upstream, model] = await Promise.all([startFakeUpstream(), startFakeModel()]);
  app = await startApp({ LLM_BASE_URL: model.url, PRIVATE_TARGET_ALLOWLIST: upstream.hostAndPort });
});

afterEach(async () => {
  await app.close();
  await Promise.all([upstream.close(), model.close()]);
});

/** Completes all three steps. @returns the agent's key */
async function setUp(page: Page): Promise<string> {
  await page.goto(app.url);
  await page.waitForURL('**/dashboard/setup');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
  await page.getByLabel('Name').fill('Ada');
  await page.getByRole('button', { name: 'Create account' }).click();

  await page.getByRole('button', { name: 'Another API' }).click();
  await page.getByLabel('Base URL').fill(`${upstream.url}/v1`);
  await page.getByLabel('Name').fill('Shop');
  await page.getByRole('textbox', { name: 'Token' }).fill('shop-token');
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByText('It works: the API responded with 200').waitFor();

  await page.getByLabel('Name').fill('support-bot');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.getByText('Waiting for the first request…').waitFor();
  return page.getByLabel('Agent key').inputValue();
}

it('loads and removes demo data', async () => {
  const page = await chromium.page();
  // The agent's requests were held or refused.
  chromium.tolerate(/403|428/);
  // The gateway resolves the name but never connects, so the test also works without a network.
  const egress = app.app.get(EgressClient);
  const { resolver } = egress as unknown as { resolver: Resolver };
  const publicAddress: Resolver = () => Promise.resolve([{ address: '93.184.215.14', family: 4 }]);
  Object.assign(egress, { resolver: publicAddress });
  await page.goto(app.url);
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('button', { name: 'Load demo data' }).click();
  await page.getByText('3 waiting').waitFor();
  // The oldest of those with the highest risk.
  await page.getByRole('heading', { name: /^Refund/ }).waitFor();
  const outcomes = () =>
    app.database.query<{ outcome: string }[]>(`SELECT outcome FROM audit_records WHERE kind = 'request' ORDER BY id`);
  expect((await outcomes()).map(({ outcome }) => outcome)).toEqual(['refused', 'held', 'held', 'held']);
  expect(await traces(page)).not.toContain('agt_');
  await page.getByRole('link', { name: 'Services' }).first().click();
  await page.getByRole('button', { name: 'Remove demo data' }).click();
  await page.getByText('The demo data was removed.').first().waitFor();
  const left = await app.database.query<object[]>(
    `SELECT (SELECT count(*) FROM services)::int AS services, (SELECT count(*) FROM agents)::int AS agents,
       (SELECT count(*) FROM actions WHERE status = 'PENDING')::int AS waiting`,
  );
  expect(left).toEqual([{ services: 0, agents: 0, waiting: 0 }]);
  expect(await outcomes()).toHaveLength(4);
  Object.assign(egress, { resolver });
});

const request = (key: string, method: string) =>
  fetch(`${app.url}/proxy`, {
    method: 'POST',
    headers: { 'Agent-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ method, targetUrl: `${upstream.url}/v1/customers/42`, intent: 'clean up' }),
  });

it.each(['desktop', 'phone'] as const)('leads to the first forwarded request on a %s', async (device) => {
  const page = await chromium.page({ device });
  const key = await setUp(page);
  expect((await request(key, 'GET')).status).toBe(200);
  await page.getByText('The first request arrived. It was forwarded.').waitFor();
  expect(upstream.calls.at(-1)).toMatchObject({
    path: '/v1/customers/42',
    headers: { authorization: 'Bearer shop-token' },
  });
});

it('links to the first waiting action, which is then executed', async () => {
  const page = await chromium.page({ movableClock: true });
  const key = await setUp(page);
  const held = await request(key, 'DELETE');
  expect(held.status).toBe(428);
  const { action_id } = (await held.json()) as { action_id: string };

  await page.getByRole('button', { name: 'I stored the key' }).click();
  await page.getByRole('link', { name: 'Review it now' }).click();
  await page.getByRole('heading', { name: 'DELETE customer 42' }).waitFor();
  await decision(page).approve.waitFor();
  await pressTwice(
    page,
    () => decision(page).approve.click(),
    () => decision(page).confirm.click(),
  );
  await page.getByText('Nothing needs your decision.').waitFor();

  const executed = await fetch(`${app.url}/proxy/execute/${action_id}`, {
    method: 'POST',
    headers: { 'Agent-Key': key },
  });
  expect(executed.status).toBe(200);
  await page.goto(`${app.url}/dashboard/approvals/${action_id}`);
  await page.getByText('Approved by Ada and executed.').waitFor();
  expect(upstream.calls.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
});

it('continues where the user left', async () => {
  const page = await chromium.page();
  await page.goto(app.url);
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByLabel('Find an API').waitFor();
  await page.goto(`${app.url}/dashboard/setup`);
  await page.getByLabel('Find an API').waitFor();
  await page.getByRole('button', { name: 'Skip for now' }).first().click();
  await page.getByRole('link', { name: 'Go to approvals' }).click();
  await page.getByText('Nothing needs your decision.').waitFor();
  await page.getByRole('link', { name: 'Finish setting up' }).click();
  await page.getByLabel('Find an API').waitFor();
});

import type { CreateRiskRuleRequest } from '#contracts';
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, violations } from './support/axe.js';
import { logIn, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const rule = (fields: Partial<CreateRiskRuleRequest>) =>
  gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, fields);
const trial = (method: string, path: string, body = '') =>
  `/playground#${new URLSearchParams({
    service: String(gateway.service.id),
    agent: String(gateway.agent.id),
    method,
    path,
    body,
    headers: 'Content-Type: application/json',
    intent: 'try it',
  }).toString()}`;
async function check(page: Page) {
  await page.getByRole('button', { name: 'Check risk' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByRole('heading', { name: 'What would change the decision' }).waitFor();
  return result;
}

it('says which rule decides, what would change that, and of each rule whether it matches', async () => {
  await rule({ name: 'No payouts', effect: 'deny', pathPattern: '/payouts/**' });
  await rule({ name: 'Large refunds', effect: 'require_approval', when: 'request.body.amount > 100' });
  await rule({ name: 'Refunds pass', effect: 'allow', pathPattern: '/refunds' });
  for (const device of ['phone', 'desktop'] as const) {
    await gateway.logInAgain();
    const page = await pageWithAxe(chromium, device);
    await logIn(page, gateway.url, trial('POST', '/refunds', '{"amount":250}'));
    const result = await check(page);
    await result.getByText('Would be held for approval').waitFor();
    await result.getByText('Rule “Large refunds” decides.').waitFor();
    await result.getByText('Without rule “Large refunds”, rule “Refunds pass” would forward it.').waitFor();
    await result.getByText('Rule “Large refunds” would not match if amount ≤ 100.').waitFor();
    await result.getByText(/, the score would decide: forwarded if the model gives less than 0\.59\.$/).waitFor();
    expect(await result.getByRole('list', { name: 'Rules that match' }).getByRole('listitem').allInnerTexts()).toEqual([
      'Large refunds → ask, decides',
      'Refunds pass → allow',
    ]);
    const others = result.getByText('1 rule does not match');
    await others.focus();
    await page.keyboard.press('Enter');
    await result.getByText('→ deny: it is about other paths').waitFor();
    expect(await violations(page, `${device} playground`)).toEqual([]);

    await page.goto(`${gateway.url}/dashboard${trial('POST', '/refunds', '{"amount":50}')}`);
    await page.reload();
    const forwarded = await check(page);
    await forwarded.getByText('Rule “Large refunds” would hold it for approval if amount > 100.').waitFor();
    await forwarded.getByText(/^Without rule “Refunds pass”, the score would decide/).waitFor();

    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  }
});

it('says how many people must approve, and which rule asks for most', async () => {
  await rule({ name: 'Exports', effect: 'require_approval', pathPattern: '/exports' });
  await gateway.logInAgain();
  const page = await chromium.page();
  await logIn(page, gateway.url, trial('POST', '/exports'));
  await (await check(page)).getByText('Needs 1 person.').waitFor();
  await rule({ name: 'Exports by two', effect: 'require_approval', pathPattern: '/exports', approvals: 2 });
  await (await check(page)).getByText('Needs 2 people (rule “Exports by two” asks for most).').waitFor();
});

it('says how far the score is from another decision', async () => {
  await gateway.logInAgain();
  gateway.model.answer({ score: 0.8, explanation: 'writes' });
  const page = await chromium.page();
  await logIn(page, gateway.url, trial('POST', '/orders', '{"amount":5}'));
  const result = await check(page);
  await result.getByText('The score is 0.15 above the threshold. Below 0.50 the request would be forwarded.').waitFor();
  await result.getByText('The model gave 0.80. With less than 0.59 the request would be forwarded.').waitFor();
});

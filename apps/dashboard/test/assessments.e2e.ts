import type { HeldResponse } from '#contracts';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, violations } from './support/axe.js';
import { decision, logIn, read, useChromium } from './support/browser.js';

/** What the dashboard says while the model assesses a request that a rule has held. */
const chromium = useChromium();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ RISK_ASSESS_HELD: 'true', LLM_TIMEOUT_MS: '600000' });
  await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, { name: 'Ask', effect: 'require_approval' });
});
const releases: (() => void)[] = [];
afterAll(async () => {
  // An answer that is still held back would keep the gateway from ending.
  for (const release of releases) release();
  await gateway.close();
});

/** Holds a comment. The model answers when the returned function is called. */
async function holdComment(answer: Parameters<Gateway['model']['answer']>[0]) {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  releases.push(release);
  gateway.model.answer(async (call) => {
    await released;
    return typeof answer === 'function' ? answer(call) : answer;
  });
  const held = await gateway.proxy({
    method: 'POST',
    // Equal requests share a row.
    targetUrl: `${gateway.upstream.url}/v1/comments/${gateway.model.calls.length}`,
    idempotencyKey: `comment ${gateway.model.calls.length}`,
    intent: `comment ${gateway.model.calls.length}`,
  });
  return { id: held.json<HeldResponse>().action_id, release };
}

it('says that the model did not assess a request', async () => {
  const { id, release } = await holdComment({ body: 'down', status: 400 });
  release();
  const page = await chromium.page();
  await logIn(page, gateway.url, `/approvals/${id}`);
  await page.getByRole('main').getByText('Not assessed by the model').waitFor();
  await page.locator(`[data-action-id="${id}"]`).getByText('Not assessed').waitFor();
});

it('says in the list and beside the risk that the model assesses a request, and then what it says', async () => {
  const { id, release } = await holdComment({ score: 0.9, explanation: 'Insults a customer.' });
  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, `/approvals`);
  const row = page.locator(`[data-action-id="${id}"]`);
  await row.getByText('Being assessed').waitFor();
  expect(await violations(page, 'list')).toEqual([]);
  const detail = await chromium.page({ movableClock: true });
  await logIn(detail, gateway.url, `/approvals/${id}`);
  const main = detail.getByRole('main');
  await main.getByText('Being assessed by the model').waitFor();
  // A first press asks again, whatever the score so far.
  await read(detail);
  await decision(detail).approve.click();
  await detail.getByRole('button', { name: /^Confirm/ }).waitFor();
  release();
  await main.getByText('Insults a customer.').first().waitFor();
  await main.getByText('Being assessed by the model').waitFor({ state: 'detached' });
  await main.getByText('0.72').first().waitFor();
  await row.getByText('Being assessed').waitFor({ state: 'detached' });
  await row.getByText('0.72').waitFor();
});

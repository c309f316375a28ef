import type { RiskRule } from '#contracts';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, violations } from './support/axe.js';
import { logIn, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const limit = (name: string, pathPattern: string, count: number) =>
  gateway.admin<RiskRule>(`POST /services/${gateway.service.id}/risk-rules`, {
    name,
    effect: 'limit',
    pathPattern,
    limit: { count, per: 'day', then: 'deny' },
  });
const send = (path: string, headers = {}) => gateway.proxy({ targetUrl: `${gateway.upstream.url}/v1${path}` }, headers);

it('shows what each agent has used of a limit, what is left, and when it starts again', async () => {
  gateway.model.answer({ score: 0, explanation: 'harmless' });
  await limit('Few orders', '/orders/**', 4);
  await limit('Few refunds', '/refunds/**', 10);
  const other = await gateway.createAgent('order-bot', [gateway.service.id]);
  for (const id of [1, 2, 3]) expect((await send(`/orders/${id}`)).status).toBe(200);
  for (const id of [1, 2, 3, 4]) await send(`/orders/${id}`, { 'Agent-Key': other.apiKey });
  await gateway.app.settled();

  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, `/services/${gateway.service.id}/rules`);
  const row = page.getByRole('listitem').filter({ hasText: 'Few orders' });
  await row.getByText('Used today (UTC)').waitFor();
  await row.getByText(/^starts again in /).waitFor();
  const uses = row.getByRole('listitem');
  expect(await uses.allInnerTexts()).toEqual([
    expect.stringMatching(/^order-bot\s+4 of 4, used up$/),
    expect.stringMatching(/^support-bot\s+3 of 4, 1 left$/),
  ]);
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Few refunds' })
    .getByText('No agent has used it today (UTC).')
    .waitFor();
  expect(await violations(page, 'limits')).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);

  // The playground shows the same for the agent that is tried.
  const trial = `service=${gateway.service.id}&agent=${gateway.agent.id}&path=/orders/1&intent=look`;
  await page.goto(`${gateway.url}/dashboard/playground#${trial}`);
  await page.getByRole('button', { name: 'Check risk' }).click();
  await page.getByText('3 of 4, 1 left').waitFor();
});

import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, violations } from './support/axe.js';
import { logIn, settled, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Holds a deletion and a change. */
async function holdTwo() {
  const deletion = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/drafts/7`, intent: 'remove seven' });
  gateway.model.answer({ score: 0.9, explanation: 'Changes a price.' });
  const change = await gateway.hold({
    method: 'PUT',
    targetUrl: `${gateway.upstream.url}/v1/prices/8`,
    intent: 'change eight',
    body: '{}',
  });
  return { deletion, change };
}

it('shows beside the risk what the request does, and the reasons on a press, with the keyboard, and to a pointer', async () => {
  const { deletion } = await holdTwo();
  const phone = await pageWithAxe(chromium, 'phone');
  await logIn(phone, gateway.url, `/approvals/${deletion.action_id}`);
  const words = phone.getByRole('button', { name: 'What it does: deletes', exact: true });
  const reason = phone.getByText(/takes something away/).first();
  await words.waitFor();
  expect(await reason.isVisible()).toBe(false);
  const request = phone.getByText('/v1/drafts/7').first();
  const before = await request.boundingBox();
  await words.tap();
  await reason.waitFor();
  expect(await words.getAttribute('aria-expanded')).toBe('true');
  // Nothing moves under the finger.
  expect(await request.boundingBox()).toEqual(before);
  expect(await violations(phone, 'reasons')).toEqual([]);
  await words.tap();
  await reason.waitFor({ state: 'hidden' });

  const desktop = await chromium.page();
  await logIn(desktop, gateway.url, `/approvals/${deletion.action_id}`);
  const shown = desktop.getByText(/takes something away/).first();
  const button = desktop.getByRole('button', { name: 'What it does: deletes', exact: true });
  await button.hover();
  await shown.waitFor();
  await button.click();
  expect(await shown.isVisible()).toBe(true);
  await desktop.keyboard.press('Escape');
  await shown.waitFor({ state: 'hidden' });
  await desktop.mouse.move(0, 0);
  await desktop.getByRole('link', { name: 'Shop' }).last().focus();
  await desktop.keyboard.press('Tab');
  await shown.waitFor();
  await desktop.keyboard.press('Tab');
  await shown.waitFor({ state: 'hidden' });
});

it('filters the list by what requests do, in the URL too, and names it in the rows where there is room', async () => {
  await holdTwo();
  const page = await chromium.page({ device: { width: 900, height: 900 } });
  await logIn(page, gateway.url, '/approvals?effect=delete');
  const list = page.getByRole('list', { name: 'Requests' });
  await list.getByText('remove seven').waitFor();
  await list.getByText('deletes', { exact: true }).waitFor();
  expect(await list.getByText('change eight').count()).toBe(0);
  await page.getByLabel('What it does').selectOption('money');
  await list.getByText('change eight').waitFor();
  expect(new URL(page.url()).searchParams.get('effect')).toBe('money');
  await page.setViewportSize({ width: 390, height: 844 });
  await settled(page);
  expect(await list.getByText('money', { exact: true }).isVisible()).toBe(false);
});

it('shows in the playground what a request does and why it would be held, and the order of force', async () => {
  const { id } = gateway.service;
  await gateway.admin(`PUT /services/${id}`, { askFor: ['delete'] });
  const page = await chromium.page();
  await logIn(page, gateway.url, `/playground#service=${id}&method=DELETE&path=/drafts/1&intent=tidy`);
  await page.getByRole('button', { name: 'Check risk' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('Would be held for approval').waitFor();
  await result.getByText('The service asks people about what this request does.').waitFor();
  await result.getByText('An allow rule with a path or a condition that matches would let it pass.').waitFor();
  await result.getByText(/^deletes: .* takes something away$/).waitFor();
  await result.getByText(/^The first that applies decides: /).waitFor();
  await gateway.admin(`PUT /services/${id}`, { askFor: [] });
});

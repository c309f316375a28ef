import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, settled, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

it('shows a held upload as a list of its fields and files', async () => {
  gateway.model.answer({ score: 0.9, explanation: 'publishes a file' });
  const form = new FormData();
  form.append('title', 'Annual report');
  form.append('file', new File([new Uint8Array(2500)], 'report.pdf', { type: 'application/pdf' }));
  const held = await fetch(`${gateway.url}/s/Shop;idempotency=none/files`, {
    method: 'POST',
    headers: { 'Agent-Key': gateway.agentKey },
    body: form,
  });
  expect(held.status).toBe(428);
  const { action_id: id } = (await held.json()) as { action_id: string };
  for (const device of ['desktop', 'phone'] as const) {
    const page = await chromium.page({ device });
    await logIn(page, gateway.url, `/approvals/${id}`);
    await settled(page);
    const table = page.getByRole('table', { name: 'Form' });
    expect(await table.getByRole('row', { name: /^title/ }).textContent()).toBe('titleAnnual report');
    const file = table.getByRole('row', { name: /^file/ });
    expect(await file.textContent()).toBe('filereport.pdfapplication/pdf · 2.5 kB');
    expect(await file.isVisible()).toBe(true);
  }
});

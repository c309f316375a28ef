/** Held requests with texts, bodies and files that the page must show in a special way. */
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, logIn, settled, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const HOSTILE = [
  '<img src="https://evil.example/x.png" onerror="document.title=1">',
  '<a href="https://evil.example/">safe</a>',
  '[Approve](https://evil.example/)',
  'https://evil.example/approve',
  'javascript:alert(1)',
  'a\u202Eb\u200Bc',
].join(' ');

it('hidden characters are spelled out, and no text is markup or a link', async () => {
  const { action_id } = await gateway.hold({
    method: 'POST',
    idempotencyKey: 'hostile',
    intent: HOSTILE,
    targetUrl: `${gateway.upstream.url}/v1/notes?text=${encodeURIComponent(HOSTILE)}`,
    body: JSON.stringify({ note: HOSTILE, [HOSTILE]: 1 }),
    headers: { 'Content-Type': 'application/json', 'X-Note': '<a href="https://evil.example/">safe</a>' },
  });
  const page = await chromium.page();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  const intent = page.locator('article header blockquote');
  await intent.getByText('U+202E').waitFor();
  await intent.getByText('U+200B').waitFor();
  for (const button of await page.getByRole('button', { name: 'Show all' }).all()) await button.click();

  const words = await page.locator('article').innerText();
  expect(words).toContain('<img src="https://evil.example/x.png"');
  expect(words).toContain('[Approve](https://evil.example/)');
  expect(await page.locator('article').locator('img, iframe, script, form').count()).toBe(0);
  const links = await page
    .locator('a')
    .evaluateAll((found) => found.map((link) => (link as unknown as { href: string }).href));
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((link) => !link.startsWith(gateway.url))).toEqual([]);
  expect(asked.filter((url) => !url.startsWith(gateway.url))).toEqual([]);
});

it('says when the words of an agent name a harmless act, and the request does something else', async () => {
  const held = async (intent: string) =>
    (
      await gateway.hold({
        method: 'DELETE',
        targetUrl: `${gateway.upstream.url}/v1/pages/7`,
        intent,
        idempotencyKey: intent,
      })
    ).action_id;
  const line = 'The agent’s words do not mention that this deletes something.';
  const page = await chromium.page();
  await logIn(page, gateway.url, `/approvals/${await held('Read the newest version of the page')}`);
  await page.locator('article header').getByText(line).waitFor();
  const other = await chromium.page();
  await logIn(other, gateway.url, `/approvals/${await held('Look for the oldest page and remove it')}`);
  await decision(other).approve.waitFor();
  await settled(other);
  expect(await other.getByText(line).count()).toBe(0);
});

it('shows a long body of the list only when all of it is there, and offers no decision before', async () => {
  const { action_id } = await gateway.hold({ method: 'PUT', body: 'beginning '.repeat(10_000) });
  const page = await chromium.page();
  const asked = new Promise<() => void>((resolve) => {
    void page.route(`${gateway.url}/approvals/${action_id}?*`, (route) => resolve(() => void route.continue()));
  });
  await logIn(page, gateway.url);
  await page.locator(`a[data-action-id="${action_id}"]`).click();
  const answer = await asked;
  expect(await page.getByText('beginning beginning').count()).toBe(0);
  expect(await decision(page).approve.count()).toBe(0);
  answer();
  await page.getByText('beginning beginning').first().waitFor();
  await decision(page).approve.waitFor();
});

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

import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, useChromium } from './support/browser.js';

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
